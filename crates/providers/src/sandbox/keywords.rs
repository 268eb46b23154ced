//! Keyword data of the simulated market; equal keyword, market, month and seed give equal data.

use super::{SandboxSettings, chance::Chance, layout, simulated_failure::SimulatedFailure};
use analysis::keyword_text::{display, normalized};
use analysis::observation::keyword_research::{
    CostPerClick, IdeaRelation, KeywordFigures, KeywordIdea, MonthlyVolume, ReportedIntent,
    ResearchedKeyword,
};
use analysis::observation::search_page::Feature;
use analysis::provenance::Provenance;
use analysis::search_intent;
use analysis::search_intent::Intent;
use analysis::table::records;
use async_trait::async_trait;
use chrono::{Datelike, Months, NaiveDate};
use domain::money::MicroUsd;
use domain::ports::clock::Clock;
use domain::ports::keyword_data::{
    KeywordData, KeywordDataLabel, KeywordDataOutcome, KeywordQuery,
};
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};
use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;
use std::sync::{Arc, LazyLock};

/// Two years, so that each of the last twelve has one to compare with.
const MONTHS: u32 = 24;
/// Share of ideas that have data.
const KNOWN_SHARE: f64 = 0.85;

/// By language: the relation and the pattern around the keyword.
type Ideas = HashMap<&'static str, Vec<(IdeaRelation, &'static str)>>;
static IDEAS: LazyLock<Ideas> = LazyLock::new(|| {
    let mut all = Ideas::new();
    for [language, relation, ideas] in records(include_str!("ideas.tsv")) {
        let relation = match relation {
            "related" => IdeaRelation::Related,
            "phrase" => IdeaRelation::Phrase,
            "question" => IdeaRelation::Question,
            "alsoAsk" => IdeaRelation::AlsoAsk,
            _ => unreachable!("{relation} is not a relation"),
        };
        let ideas = ideas.split(" | ").map(|it| (relation, it));
        all.entry(language).or_default().extend(ideas);
    }
    all
});

pub(crate) struct SandboxKeywords {
    settings: SandboxSettings,
    clock: Arc<dyn Clock>,
}

impl SandboxKeywords {
    pub(crate) fn new(settings: SandboxSettings, clock: Arc<dyn Clock>) -> Self {
        Self { settings, clock }
    }

    fn answer(&self, query: &KeywordQuery) -> Result<ResearchedKeyword, ProviderError> {
        let market = Chance::seeded(self.settings.seed)
            .derive("keyword data")
            .derive(&query.country)
            .derive(&query.language);
        let chance = market.derive(&normalized(&query.keyword));
        let failure = SimulatedFailure::in_keyword(&query.keyword).or_else(|| {
            SimulatedFailure::at_random(chance, query.day, self.settings.failure_rate.0)
        });
        let nothing = ResearchedKeyword {
            provider: layout::PROVIDER.to_owned(),
            provenance: Provenance::Simulated,
            fetched_at: self.clock.now(),
            figures: KeywordFigures::default(),
            features: None,
            ideas: Vec::new(),
        };
        match failure {
            Some(SimulatedFailure::Blocked) => return Err(ProviderError::Unavailable),
            Some(SimulatedFailure::Nothing) => return Ok(nothing),
            Some(failure) => {
                if let Some(error) = failure.error() {
                    return Err(error);
                }
            }
            None => {}
        }
        let figures = figures(market, &query.keyword, query, None);
        Ok(ResearchedKeyword {
            features: Some(features(chance, &figures)),
            ideas: ideas(market, query, figures.search_volume.unwrap_or_default()),
            figures,
            ..nothing
        })
    }
}

#[async_trait]
impl KeywordData for SandboxKeywords {
    fn label(&self) -> KeywordDataLabel {
        KeywordDataLabel {
            name: layout::PROVIDER.to_owned(),
            provenance: Provenance::Simulated,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent::on(1, MicroUsd::default())
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        None
    }

    async fn research(
        &self,
        query: &KeywordQuery,
        _: &Arc<dyn PaidCallLedger>,
    ) -> KeywordDataOutcome {
        self.settings.wait().await;
        KeywordDataOutcome {
            answer: self.answer(query),
            spent: self.max_spend(),
        }
    }
}

/// An idea has a lower volume than its keyword.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "volumes lie between ten and some millions"
)]
fn figures(
    market: Chance,
    keyword: &str,
    query: &KeywordQuery,
    below: Option<u64>,
) -> KeywordFigures {
    let chance = market.derive(&normalized(keyword));
    let words = i32::try_from(keyword.split_whitespace().count().clamp(1, 8)).unwrap_or(8);
    let base = match below {
        None => {
            10_f64.powf(2.6 + 2.6 * chance.derive("volume").fraction()) * 0.62_f64.powi(words - 1)
        }
        Some(limit) => to_f64(limit) * (0.02 + 0.5 * chance.derive("volume").fraction().powi(3)),
    };
    let base = base.max(10.0);
    let months = months(chance, base, query.day);
    let last_year: u64 = months[12..].iter().filter_map(|it| it.volume).sum();
    let intent = intent(chance, keyword, &query.language);
    let wanted = match intent.main {
        Intent::Transactional => 1.0,
        Intent::Commercial => 0.7,
        Intent::Navigational => 0.3,
        Intent::Informational => 0.2,
    };
    let competition = (0.1 + 0.5 * wanted + 0.4 * chance.derive("competition").fraction()).min(1.0);
    let competition = round_to_two_decimals(competition);
    let amount = round_to_two_decimals(
        0.15 + 6.0 * competition * chance.derive("cpc").fraction() + 0.8 * wanted,
    );
    let hard =
        8.0 * base.log10() + 40.0 * chance.derive("difficulty").fraction() - 4.0 * f64::from(words);
    KeywordFigures {
        search_volume: Some(round_to_two_digits(to_f64(last_year) / 12.0) as u64),
        cpc: Some(CostPerClick {
            amount: Some(amount),
            low: Some(round_to_two_decimals(0.45 * amount)),
            high: Some(round_to_two_decimals(1.9 * amount)),
            currency: MicroUsd::CURRENCY.to_owned(),
        }),
        competition: Some(competition),
        difficulty: Some(hard.clamp(1.0, 97.0).round()),
        intent: Some(intent),
        months,
        ..KeywordFigures::default()
    }
}

/// Volumes of the last full months, with a season and a trend.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "volumes lie between nothing and some millions"
)]
fn months(chance: Chance, base: f64, day: NaiveDate) -> Vec<MonthlyVolume> {
    let swing = 0.6 * chance.derive("swing").fraction().powi(2);
    let peak = TAU * chance.derive("peak").fraction();
    let growth = 0.6 * (chance.derive("growth").fraction() - 0.4);
    let this_month = day.with_day(1).unwrap_or(day);
    (1..=MONTHS)
        .rev()
        .map(|back| {
            let month = this_month - Months::new(back);
            let season = 1.0 + swing * (TAU * f64::from(month.month0()) / 12.0 - peak).cos();
            let trend = 1.0 - growth * f64::from(back) / 12.0;
            let noise = chance.derive("noise").derive(&month.to_string()).fraction();
            let volume = base * season * trend.max(0.2) * (0.93 + 0.14 * noise);
            MonthlyVolume {
                year: month.year(),
                month: month.month(),
                volume: Some(round_to_two_digits(volume) as u64),
            }
        })
        .collect()
}

fn intent(chance: Chance, keyword: &str, language: &str) -> ReportedIntent {
    let all = [
        Intent::Informational,
        Intent::Commercial,
        Intent::Transactional,
        Intent::Navigational,
    ];
    let by_chance = all[chance.derive("intent").below(3)];
    let by_words = search_intent::classify(keyword, language, None);
    let is_question = search_intent::is_question(keyword, language) == Some(true);
    // Keywords without a hint count as informational; draw their intent instead.
    let main = match by_words {
        Some(intent) if is_question || intent != Intent::Informational => intent,
        _ => by_chance,
    };
    let other = all[chance.derive("other intent").below(all.len())];
    ReportedIntent {
        main,
        secondary: [other].into_iter().filter(|it| *it != main).collect(),
        confidence: Some(round_to_two_decimals(
            0.55 + 0.44 * chance.derive("confidence").fraction(),
        )),
    }
}

fn features(chance: Chance, figures: &KeywordFigures) -> Vec<Feature> {
    let main = figures.intent.as_ref().map(|it| it.main);
    let (informational, transactional) = (
        main == Some(Intent::Informational),
        main == Some(Intent::Transactional),
    );
    let paid = figures.competition.unwrap_or_default();
    let likely = |yes: bool, high: f64, low: f64| if yes { high } else { low };
    let shares = [
        (Feature::AiOverview, likely(informational, 0.65, 0.2)),
        (Feature::FeaturedSnippet, likely(informational, 0.3, 0.08)),
        (Feature::PaidTop, paid),
        (Feature::Shopping, likely(transactional, 0.6, 0.1)),
        (Feature::PeopleAlsoAsk, 0.8),
        (Feature::LocalPack, 0.12),
        (Feature::Images, 0.4),
        (Feature::Video, 0.3),
        (Feature::RelatedSearches, 0.95),
    ];
    let shown = shares.into_iter().filter(|(feature, share)| {
        chance.derive("feature").derive(feature.name()).fraction() < *share
    });
    shown.map(|(feature, _)| feature).collect()
}

fn ideas(market: Chance, query: &KeywordQuery, volume: u64) -> Vec<KeywordIdea> {
    let keyword = display(&query.keyword).to_lowercase();
    let own = IDEAS.get(query.language.as_str());
    let patterns = own.unwrap_or(&IDEAS["other"]);
    let mut seen = HashSet::from([normalized(&keyword)]);
    let mut ideas: Vec<KeywordIdea> = patterns
        .iter()
        .filter_map(|(relation, pattern)| {
            let text = pattern.replace("{}", &keyword);
            let chance = market.derive(&normalized(&text));
            let is_known = chance.derive("known").fraction() < KNOWN_SHARE;
            (is_known && seen.insert(normalized(&text))).then(|| KeywordIdea {
                figures: figures(market, &text, query, Some(volume)),
                relation: *relation,
                keyword: text,
            })
        })
        .collect();
    ideas.sort_by_key(|it| std::cmp::Reverse(it.figures.search_volume));
    ideas
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
fn to_f64(volume: u64) -> f64 {
    volume as f64
}

/// Two significant digits, in steps of at least ten, like Google.
fn round_to_two_digits(volume: f64) -> f64 {
    let step = 10_f64.powf((volume.max(10.0).log10().floor() - 1.0).max(1.0));
    (volume / step).round() * step
}

fn round_to_two_decimals(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{ports::paid_call_ledger::NoPaidCalls, test_support::FrozenClock};

    async fn researched(
        keyword: &str,
        country: &str,
        language: &str,
        seed: u64,
    ) -> KeywordDataOutcome {
        let settings = SandboxSettings {
            seed,
            ..SandboxSettings::default()
        };
        let query = KeywordQuery {
            keyword: keyword.to_owned(),
            country: country.to_owned(),
            language: language.to_owned(),
            day: NaiveDate::from_ymd_opt(2026, 11, 22).unwrap(),
        };
        let journal: Arc<dyn PaidCallLedger> = Arc::new(NoPaidCalls);
        SandboxKeywords::new(settings, Arc::new(FrozenClock::default()))
            .research(&query, &journal)
            .await
    }

    #[tokio::test]
    async fn data_depends_only_on_keyword_market_and_seed() {
        let first = researched("running shoes", "us", "en", 0).await;
        assert_eq!(first, researched("Running  Shoes", "us", "en", 0).await);
        for other in [
            researched("walking shoes", "us", "en", 0).await,
            researched("running shoes", "gb", "en", 0).await,
            researched("running shoes", "us", "en", 1).await,
        ] {
            assert_ne!(first.answer, other.answer);
        }
    }

    #[tokio::test]
    async fn metrics_are_plausible_and_labeled_simulated() {
        for (keyword, language) in [
            ("running shoes", "en"),
            ("laufschuhe", "de"),
            ("x", "ja"),
            (
                "a very long keyword of many words that few people search",
                "en",
            ),
        ] {
            let found = researched(keyword, "de", language, 3).await.answer.unwrap();
            assert_eq!(found.provider, "sandbox");
            assert_eq!(found.provenance, Provenance::Simulated);
            assert!(found.ideas.len() >= 4, "{keyword}: {}", found.ideas.len());
            let all =
                std::iter::once(&found.figures).chain(found.ideas.iter().map(|it| &it.figures));
            for it in all {
                assert_eq!(it.months.len(), 24);
                assert!(it.months.is_sorted_by_key(|it| (it.year, it.month)));
                let last = it.months.last().unwrap();
                assert_eq!((last.year, last.month), (2026, 10));
                assert!(it.search_volume.unwrap() <= 5_000_000);
                assert!((0.0..=1.0).contains(&it.competition.unwrap()));
                assert!((0.0..=100.0).contains(&it.difficulty.unwrap()));
                let cpc = it.cpc.as_ref().unwrap();
                assert!(cpc.low < cpc.amount && cpc.amount < cpc.high);
            }
        }
    }

    #[tokio::test]
    async fn failures_come_on_request() {
        let failed = researched("sandbox:unavailable shoes", "us", "en", 0).await;
        assert_eq!(failed.answer, Err(ProviderError::Unavailable));
        let nothing = researched("sandbox:nothing", "us", "en", 0).await;
        let nothing = nothing.answer.unwrap();
        assert_eq!(nothing.figures, KeywordFigures::default());
        assert_eq!(nothing.ideas, []);
    }
}
