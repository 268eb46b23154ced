//! Computes the findings of generated markets for `tests/oracles/search_intelligence.py`: JSON lines in, JSON lines
//! out. `do` selects the operation.

use analysis::{
    ctr::{ClickCurve, PositionClicks},
    findings::{
        cannibalization::{self, CannibalizationInput, OwnPlace, OwnSnapshot, PageFacts},
        competitors::{self, CompetitorRecord, CompetitorsContext, Pinned},
        keyword_market::{Measurement, TrackedKeyword},
        rankings::{
            self, KeywordRank, PastRanks, RankInput, RankPoint, RankState, RankingRecord,
            RankingsSummary, RankingsTally, changes_between,
        },
        serp::{self, PreviousSerp, SerpInput, SerpRecord, SerpSummary, SerpTally},
        sov::{self, SovContext, SovRecord},
    },
    keyword_metrics::{PriorityInput, demand, difficulty_from_links, priorities},
    observation::search_page::{
        AiOverview, Block, BlockContent, Device, Feature, FeatureBlock, FeatureCoverage,
        OrganicResult, PageLink, SearchPage,
    },
    provenance::Provenance,
    search_intent,
    search_panel::{Panel, PanelPage, PanelTopic},
    statistics::{
        bootstrap::mean_of_clusters, concentration::concentration, isotonic::non_increasing,
        newcombe::newcombe, rbo::rbo_ext, theil_sen::slope, wilson::wilson,
    },
    url_rules::{OwnSites, SiteScope, page_key},
};
use chrono::{DateTime, TimeDelta, Utc};
use programs::{
    Failure, answer_lines,
    clusters::{TopPage, clusters},
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum Question {
    Market(Box<Market>),
    Cannibalization(Box<Window>),
    /// Changes between two measurements, as (keyword, volume, position, depth).
    Changes {
        before: Vec<(i64, Option<u64>, Option<u32>, u32)>,
        now: Vec<(i64, Option<u64>, Option<u32>, u32)>,
    },
    Newcombe {
        first: (u64, u64),
        second: (u64, u64),
    },
    Wilson {
        of: (u64, u64),
    },
    Rbo {
        one: Vec<u32>,
        other: Vec<u32>,
        p: f64,
    },
    Concentration {
        weights: Vec<f64>,
    },
    Isotonic {
        points: Vec<(f64, f64)>,
    },
    Slope {
        values: Vec<Option<f64>>,
    },
    Bootstrap {
        values: Vec<f64>,
        key: String,
    },
    /// A project's own click curve from (position, impressions, clicks), down to position 110.
    Curve {
        rows: Vec<(u32, u64, u64)>,
    },
    Difficulty {
        links: Vec<u64>,
    },
    Demand {
        months: Vec<(u32, Option<u64>)>,
    },
    Clusters {
        pages: Vec<Vec<String>>,
    },
    Intent {
        keyword: String,
        language: String,
        url: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Market {
    own: String,
    aliases: Vec<String>,
    tracked: Vec<String>,
    keywords: Vec<Keyword>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keyword {
    #[serde(rename = "keyword")]
    text: String,
    language: String,
    volume: Option<u64>,
    cpc: Option<f64>,
    tags: Vec<String>,
    results: Vec<Listed>,
    features: Vec<(Feature, u32, Vec<String>)>,
    coverage: FeatureCoverage,
    /// Whether there is an overview (`None` is unknown), and its citations.
    overview: Option<(bool, Vec<String>)>,
    /// URLs of the previous page and of a month ago.
    previous: Option<Vec<String>>,
    month_ago: Option<Vec<String>>,
    /// Earlier ranks, newest first: age in days, position, depth; depth 0 is a failure.
    past: Vec<(i64, Option<u32>, u32)>,
    days_old: i64,
}

#[derive(Deserialize)]
struct Listed {
    url: String,
    title: String,
    sitelinks: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Window {
    volume: Option<u64>,
    snapshots: Vec<(i64, Vec<(String, u32)>)>,
    imported: Vec<(String, Option<u64>, Option<u64>)>,
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}

fn answer(question: Question) -> Value {
    let bounds = |it: analysis::statistics::wilson::Interval| [it.low, it.high];
    match question {
        Question::Market(market) => market_findings(&market),
        Question::Cannibalization(window) => json!(cannibalization_record(&window)),
        Question::Changes { before, now } => {
            json!(changes_between(&standings(&before), &standings(&now)))
        }
        Question::Newcombe { first, second } => json!(newcombe(first, second).map(bounds)),
        Question::Wilson { of } => json!(wilson(of.0, of.1).map(bounds)),
        Question::Rbo { one, other, p } => json!(rbo_ext(&one, &other, p)),
        Question::Concentration { weights } => {
            json!(concentration(&weights).map(|it| [it.hhi, it.effective, it.entropy]))
        }
        Question::Isotonic { points } => json!(non_increasing(&points)),
        Question::Slope { values } => json!(slope(&values)),
        Question::Bootstrap { values, key } => json!(mean_of_clusters(&values, &key).map(bounds)),
        Question::Curve { rows } => json!(curve(&rows)),
        Question::Difficulty { links } => json!(difficulty_from_links(&links)),
        Question::Demand { months } => json!(demand(&months)),
        Question::Clusters { pages } => {
            let pages: Vec<TopPage> = (0..)
                .zip(pages)
                .map(|(keyword_id, urls)| TopPage { keyword_id, urls })
                .collect();
            json!(clusters(&pages).groups)
        }
        Question::Intent {
            keyword,
            language,
            url,
        } => {
            let listed = Listed {
                url,
                title: String::new(),
                sitelinks: false,
            };
            let page = page_of(&[listed], &[], FeatureCoverage::Partial, None, 0);
            json!(search_intent::classify(&keyword, &language, Some(&page)))
        }
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

fn curve(rows: &[(u32, u64, u64)]) -> Option<Vec<f64>> {
    let rows: Vec<PositionClicks> = rows
        .iter()
        .map(|(position, impressions, clicks)| PositionClicks {
            position: *position,
            impressions: *impressions,
            clicks: *clicks,
        })
        .collect();
    let curve = ClickCurve::measured("own", &rows)?;
    Some((1..=110).map(|position| curve.at(position)).collect())
}

fn standings(rows: &[(i64, Option<u64>, Option<u32>, u32)]) -> Vec<KeywordRank> {
    rows.iter()
        .map(|(keyword_id, search_volume, position, depth)| KeywordRank {
            keyword_id: *keyword_id,
            keyword: keyword_id.to_string(),
            search_volume: *search_volume,
            point: point(0, *position, *depth),
        })
        .collect()
}

fn point(days_ago: i64, position: Option<u32>, depth_checked: u32) -> RankPoint {
    RankPoint {
        measured_at: now() - TimeDelta::days(days_ago),
        state: match (position, depth_checked) {
            (_, 0) => RankState::Error,
            (Some(_), _) => RankState::Ranked,
            (None, _) => RankState::NotRanked,
        },
        position,
        absolute_position: None,
        depth_checked,
        url: None,
    }
}

fn page_of(
    results: &[Listed],
    features: &[(Feature, u32, Vec<String>)],
    coverage: FeatureCoverage,
    overview: Option<&(bool, Vec<String>)>,
    days_old: i64,
) -> SearchPage {
    let link = |url: &String| PageLink {
        title: "?".into(),
        url: url.clone(),
    };
    let organic = (1..)
        .zip(results)
        .map(|(position, listed): (u32, _)| Block {
            absolute_position: None,
            page: position.div_ceil(10),
            content: BlockContent::Organic(OrganicResult {
                position,
                url: listed.url.clone(),
                title: listed.title.clone(),
                sitelinks: listed
                    .sitelinks
                    .then(|| link(&listed.url))
                    .into_iter()
                    .collect(),
                ..Default::default()
            }),
        });
    let shown = features.iter().map(|(feature, page, urls)| Block {
        absolute_position: None,
        page: *page,
        content: BlockContent::Feature(FeatureBlock {
            feature: *feature,
            title: None,
            text: None,
            links: urls.iter().map(link).collect(),
        }),
    });
    SearchPage {
        engine: "google".into(),
        provider: "made up".into(),
        provenance: Provenance::Measured,
        fetched_at: now() - TimeDelta::days(days_old),
        calls: 1,
        total_results_estimate: Some(1),
        feature_coverage: coverage,
        blocks: organic.chain(shown).collect(),
        ai_overview: overview.map(|(present, urls)| AiOverview {
            present: *present,
            citations: urls.iter().map(link).collect(),
            ..AiOverview::absent()
        }),
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

fn previous(urls: Option<&Vec<String>>) -> Option<PreviousSerp> {
    urls.map(|urls| PreviousSerp {
        urls: distinct(urls),
        features: Vec::new(),
        feature_coverage: FeatureCoverage::Absent,
    })
}

fn distinct(urls: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let keys = urls.iter().map(|it| page_key(it));
    keys.filter(|key| seen.insert(key.clone()))
        .take(20)
        .collect()
}

fn tracked(id: i64, keyword: &Keyword) -> TrackedKeyword {
    TrackedKeyword {
        project_id: 1,
        keyword_id: id,
        keyword: keyword.text.clone(),
        country: "us".into(),
        location: None,
        language: keyword.language.clone(),
        device: Device::Desktop,
        search_volume: keyword.volume,
    }
}

/// In the service's order: snapshots, then the panel, then what needs the panel.
fn market_findings(market: &Market) -> Value {
    let site = SiteScope::of(&market.own);
    let aliases = market.aliases.iter().map(|it| SiteScope::of(it)).collect();
    let own = OwnSites::with_aliases(site, aliases);
    let mut panel = Panel::new(&own, ClickCurve::published(), now());
    let (mut serps, mut ranks) = (Vec::new(), Vec::new());
    for (id, keyword) in (1..).zip(&market.keywords) {
        let (serp, rank) = measured(id, keyword, own.site());
        let topic = PanelTopic {
            keyword_id: id,
            keyword: keyword.text.clone(),
            search_volume: keyword.volume,
            tags: keyword.tags.clone(),
            page_group: None,
        };
        match PanelPage::of_record(&serp) {
            Some(seen) => panel.add(topic, &seen),
            None => panel.add_missing(topic),
        }
        serps.push(serp);
        ranks.push(rank);
    }
    let (rank_sum, serp_sum) = complete(market, &panel, &mut serps, &mut ranks);
    let (shares, competitors) = panel_findings(market, &panel);
    json!({
        "rankings": ranks,
        "serp": serps,
        "rankingsSummary": rank_sum,
        "serpSummary": serp_sum,
        "sov": shares,
        "competitors": competitors,
    })
}

fn measured(id: i64, keyword: &Keyword, site: &SiteScope) -> (SerpRecord, RankingRecord) {
    let page = page_of(
        &keyword.results,
        &keyword.features,
        keyword.coverage,
        keyword.overview.as_ref(),
        keyword.days_old,
    );
    let tracked = tracked(id, keyword);
    let serp = serp::snapshot(&SerpInput {
        keyword: &tracked,
        site,
        measurement: Measurement::Seen(&page),
        competitors: None,
        previous: previous(keyword.previous.as_ref()).as_ref(),
        month_ago: previous(keyword.month_ago.as_ref()).as_ref(),
        prominence: None,
    });
    let past: Vec<RankPoint> = keyword
        .past
        .iter()
        .map(|(days, position, depth)| point(keyword.days_old + *days, *position, *depth))
        .collect();
    let rank = rankings::rank(&RankInput {
        keyword: &tracked,
        site,
        measurement: Measurement::Seen(&page),
        past: PastRanks {
            points: &past,
            best: None,
            worst: None,
        },
        own_data: None,
        difficulty: None,
    });
    (serp, rank)
}

/// Difficulties, opportunities and priorities need all pages.
fn complete(
    market: &Market,
    panel: &Panel<'_>,
    serps: &mut [SerpRecord],
    ranks: &mut [RankingRecord],
) -> (RankingsSummary, SerpSummary) {
    let prominence = panel.prominence();
    let (mut rank_sum, mut serp_sum) = (RankingsTally::default(), SerpTally::default());
    for (serp, rank) in serps.iter_mut().zip(&mut *ranks) {
        serp.complete_difficulty(&prominence);
        rank.set_difficulty(serp.difficulty.as_ref().and_then(|it| it.score));
        serp_sum.add(serp);
    }
    let inputs: Vec<PriorityInput> = ranks
        .iter()
        .zip(&market.keywords)
        .map(|(rank, keyword)| PriorityInput {
            opportunity: rank.opportunity,
            cpc: keyword.cpc,
            intent: rank.intent,
            trend: None,
        })
        .collect();
    for (rank, priority) in ranks.iter_mut().zip(priorities(&inputs)) {
        rank.priority_score = priority.map(|it| it.score);
        rank_sum.add(rank);
    }
    let count = market.keywords.len() as u64;
    (rank_sum.finish(count), serp_sum.finish(count))
}

fn panel_findings(market: &Market, panel: &Panel<'_>) -> (Vec<SovRecord>, Vec<CompetitorRecord>) {
    let followed: BTreeSet<String> = market.tracked.iter().cloned().collect();
    let tracked = Pinned {
        class: None,
        is_tracked: true,
    };
    let pinned: BTreeMap<String, Pinned> = followed
        .iter()
        .map(|name| (name.clone(), tracked))
        .collect();
    let shares = sov::shares(
        panel,
        &SovContext {
            project_id: 1,
            tracked: &followed,
            week_ago: None,
            month_ago: None,
            provider: None,
        },
    );
    let competitors = competitors::competitors(
        panel,
        &CompetitorsContext {
            project_id: 1,
            pinned: &pinned,
            home_page_types: &BTreeMap::new(),
            earlier: &BTreeMap::new(),
            ai: &BTreeMap::new(),
            provider: None,
        },
    );
    (shares, competitors)
}

fn cannibalization_record(window: &Window) -> Option<cannibalization::CannibalizationRecord> {
    let keyword = TrackedKeyword {
        project_id: 1,
        keyword_id: 1,
        keyword: "running shoes".into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: window.volume,
    };
    let snapshots: Vec<OwnSnapshot> = window
        .snapshots
        .iter()
        .map(|(days, places)| OwnSnapshot {
            at: now() - TimeDelta::days(*days),
            depth_checked: 100,
            places: places
                .iter()
                .map(|(url, position)| OwnPlace {
                    url: url.clone(),
                    position: *position,
                    expected_ctr: None,
                })
                .collect(),
        })
        .collect();
    let facts = |(url, clicks, impressions): &(String, Option<u64>, Option<u64>)| {
        let facts = PageFacts {
            clicks: *clicks,
            impressions: *impressions,
            ..Default::default()
        };
        (page_key(url), facts)
    };
    cannibalization::evaluate(&CannibalizationInput {
        keyword: &keyword,
        engine: "google",
        provider: None,
        provenance: Provenance::Measured,
        site: &SiteScope::of("acme.com"),
        snapshots: &snapshots,
        pages: &window.imported.iter().map(facts).collect(),
        similarities: &BTreeMap::new(),
    })
}
