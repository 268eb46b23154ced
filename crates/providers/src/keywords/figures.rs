//! Keyword data in the format of DataForSEO Labs. Missing, null or invalid values are unknown.

use crate::search::data_for_seo::items::feature;
use analysis::observation::keyword_research::{
    CompetitionLevel, CostPerClick, KeywordFigures, MonthlyVolume, ReportedIntent,
};
use analysis::observation::search_page::Feature;
use analysis::search_intent::Intent;
use serde_json::{Map, Value};

/// Two years and one before, enough for changes and seasons.
const MAX_MONTHS: usize = 36;
/// Source: `docs.dataforseo.com`, `keyword_info.cpc`.
const CURRENCY: &str = "USD";

pub(super) fn keyword_figures(data: &Map<String, Value>) -> KeywordFigures {
    let info = |name: &str| at(data, "keyword_info", name);
    let amount = |name: &str| info(name).and_then(Value::as_f64).filter(|it| *it >= 0.0);
    let (mean, low, high) = (
        amount("cpc"),
        amount("low_top_of_page_bid"),
        amount("high_top_of_page_bid"),
    );
    let cpc = (mean.is_some() || low.is_some() || high.is_some()).then(|| CostPerClick {
        amount: mean,
        low,
        high,
        currency: CURRENCY.to_owned(),
    });
    let difficulty = at(data, "keyword_properties", "keyword_difficulty").and_then(Value::as_f64);
    let domains = at(data, "avg_backlinks_info", "referring_domains").and_then(Value::as_f64);
    let yearly = info("search_volume_trend")
        .and_then(|it| it.get("yearly"))
        .and_then(Value::as_f64);
    KeywordFigures {
        search_volume: info("search_volume").and_then(Value::as_u64),
        cpc,
        competition: amount("competition").filter(|it| *it <= 1.0),
        competition_level: info("competition_level")
            .and_then(Value::as_str)
            .and_then(level),
        difficulty: difficulty.filter(|it| (0.0..=100.0).contains(it)),
        referring_domains: domains.filter(|it| *it >= 0.0),
        intent: intent(data),
        months: months(info("monthly_searches")),
        yearly_change: yearly.map(|it| it / 100.0).filter(|it| *it >= -1.0),
    }
}

/// SERP features other than organic results. Positions are not reported: ads count as top ads.
pub(super) fn features(data: &Map<String, Value>) -> Option<Vec<Feature>> {
    let types = at(data, "serp_info", "serp_item_types")?.as_array()?;
    let mut features = Vec::new();
    for kind in types.iter().filter_map(Value::as_str) {
        let feature = match kind {
            "organic" => continue,
            "ai_overview" => Feature::AiOverview,
            "paid" => Feature::PaidTop,
            kind => feature(kind),
        };
        if !features.contains(&feature) {
            features.push(feature);
        }
    }
    Some(features)
}

fn at<'d>(data: &'d Map<String, Value>, group: &str, name: &str) -> Option<&'d Value> {
    data.get(group)?.get(name).filter(|it| !it.is_null())
}

fn level(word: &str) -> Option<CompetitionLevel> {
    match word {
        "LOW" => Some(CompetitionLevel::Low),
        "MEDIUM" => Some(CompetitionLevel::Medium),
        "HIGH" => Some(CompetitionLevel::High),
        _ => None,
    }
}

/// The format has no probabilities.
fn intent(data: &Map<String, Value>) -> Option<ReportedIntent> {
    let main = at(data, "search_intent_info", "main_intent")?.as_str();
    let others = at(data, "search_intent_info", "foreign_intent").and_then(Value::as_array);
    let others = others.into_iter().flatten().filter_map(Value::as_str);
    Some(ReportedIntent {
        main: main.and_then(parse_intent)?,
        secondary: others.filter_map(parse_intent).collect(),
        confidence: None,
    })
}

fn parse_intent(intent: &str) -> Option<Intent> {
    match intent {
        "informational" => Some(Intent::Informational),
        "navigational" => Some(Intent::Navigational),
        "commercial" => Some(Intent::Commercial),
        "transactional" => Some(Intent::Transactional),
        _ => None,
    }
}

fn months(searches: Option<&Value>) -> Vec<MonthlyVolume> {
    let searches = searches.and_then(Value::as_array);
    let months = searches.into_iter().flatten().filter_map(|it| {
        let number = |name: &str| it.get(name).and_then(Value::as_u64);
        Some(MonthlyVolume {
            year: i32::try_from(number("year")?).ok()?,
            month: { number("month") }
                .and_then(|it| u32::try_from(it).ok())
                .filter(|it| (1..=12).contains(it))?,
            volume: number("search_volume"),
        })
    });
    let mut months: Vec<MonthlyVolume> = months.collect();
    months.sort_by_key(|it| (it.year, it.month));
    months.split_off(months.len().saturating_sub(MAX_MONTHS))
}
