//! Measures all findings of a project's results pages on one core.
//!
//!     cargo run --release -p programs --example search_speed -- 10000 100
//!
//! Generates that many keywords with that many results each, and prints the seconds of each step: rankings and serp
//! records as JSON, the panel read from that JSON, shares of voice, competitors, difficulties and priorities,
//! cannibalization over 28 days.

use analysis::{
    ctr::ClickCurve,
    document::Document,
    findings::{
        cannibalization::{
            self, CannibalizationInput, CannibalizationRecord, CannibalizationTally, OwnPlace,
            OwnSnapshot,
        },
        competitors::{self, CompetitorRecord, CompetitorsContext},
        keyword_market::{Measurement, TrackedKeyword},
        rankings::{
            self, KeywordRank, PastRanks, RankInput, RankPoint, RankState, RankingRecord,
            RankingsTally, changes_between,
        },
        serp::{self, PreviousSerp, SerpInput, SerpRecord, SerpTally},
        sov::{self, SovContext, SovRecord},
    },
    keyword_metrics::{PriorityInput, priorities},
    observation::search_page::{
        AiOverview, Block, BlockContent, Device, Feature, FeatureBlock, FeatureCoverage,
        OrganicResult, PageLink, SearchPage,
    },
    provenance::Provenance,
    search_panel::{Panel, PanelPage, PanelTopic},
    url_rules::{OwnSites, SiteScope},
};
use chrono::{DateTime, TimeDelta, Utc};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    time::Instant,
};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

/// Deterministic.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn link(title: &str, url: String) -> PageLink {
    PageLink {
        title: title.to_owned(),
        url,
    }
}

/// A few domains are frequent and most are rare.
fn page(draws: &mut Draws, keyword: u32, depth: u32) -> SearchPage {
    let organic = (1..=depth).map(|position| {
        let reach = 1 + draws.below(4_000);
        let site = draws.below(reach);
        let (host, path) = match site {
            0 => ("www.acme.com".to_owned(), format!("shoes/{}", draws.below(40))),
            _ => (format!("www.site-{site}.com"), format!("page/{keyword}-{position}")),
        };
        Block {
            absolute_position: Some(position + 2),
            page: position.div_ceil(10),
            content: BlockContent::Organic(OrganicResult {
                position,
                url: format!("https://{host}/{path}"),
                title: format!("Result {position} for keyword {keyword} and what goes with it"),
                snippet: Some("A text of usual length about what was searched for, with a date and a price and some more words that nobody reads in full.".to_owned()),
                displayed_url: Some(format!("https://{host}")),
                highlighted: vec![format!("keyword {keyword}")],
                ..Default::default()
            }),
        }
    });
    let mut blocks: Vec<Block> = organic.collect();
    for feature in [Feature::PaidTop, Feature::PeopleAlsoAsk, Feature::Images] {
        if draws.below(2) == 0 {
            let links = (0..4).map(|it| {
                link(
                    "What is it?",
                    format!("https://www.site-{}.com/{it}", draws.below(500)),
                )
            });
            let shown = FeatureBlock {
                feature,
                title: None,
                text: None,
                links: links.collect(),
            };
            blocks.push(Block {
                absolute_position: Some(1),
                page: 1,
                content: BlockContent::Feature(shown),
            });
        }
    }
    let has_overview = draws.below(3) == 0;
    SearchPage {
        engine: "google".into(),
        provider: "made up".into(),
        provenance: Provenance::Simulated,
        fetched_at: now(),
        calls: 1,
        total_results_estimate: Some(1_000_000),
        feature_coverage: FeatureCoverage::Complete,
        blocks,
        ai_overview: Some(AiOverview {
            present: has_overview,
            absolute_position: Some(1),
            text: has_overview.then(|| "An answer.".to_owned()),
            citations: (0..5)
                .filter(|_| has_overview)
                .map(|_| {
                    link(
                        "source",
                        format!("https://www.site-{}.com/", draws.below(200)),
                    )
                })
                .collect(),
        }),
        related: vec!["another search".to_owned()],
        warnings: Vec::new(),
    }
}

fn tracked(id: i64, draws: &mut Draws) -> TrackedKeyword {
    TrackedKeyword {
        project_id: 1,
        keyword_id: id,
        keyword: format!("keyword {id} price"),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: Some(10 + draws.below(10_000)),
    }
}

fn history(draws: &mut Draws) -> Vec<RankPoint> {
    (1..=37)
        .map(|days| RankPoint {
            measured_at: now() - TimeDelta::days(days),
            state: RankState::Ranked,
            position: u32::try_from(1 + draws.below(60)).ok(),
            absolute_position: None,
            depth_checked: 100,
            url: Some("https://www.acme.com/shoes/1".to_owned()),
        })
        .collect()
}

fn window(draws: &mut Draws) -> Vec<OwnSnapshot> {
    (0..28)
        .map(|day| OwnSnapshot {
            at: now() - TimeDelta::days(day),
            depth_checked: 100,
            places: (0..2)
                .map(|_| OwnPlace {
                    url: format!("https://www.acme.com/shoes/{}", draws.below(3)),
                    position: u32::try_from(1 + draws.below(60)).unwrap_or(1),
                    expected_ctr: Some(0.03),
                })
                .collect(),
        })
        .collect()
}

#[derive(Default)]
struct Stopwatch(BTreeMap<&'static str, f64>);

impl Stopwatch {
    fn time<T>(&mut self, step: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        *self.0.entry(step).or_insert(0.0) += start.elapsed().as_secs_f64();
        result
    }
}

fn measured(
    keyword: &TrackedKeyword,
    site: &SiteScope,
    page: &SearchPage,
    before: &PreviousSerp,
    past: &[RankPoint],
) -> (RankingRecord, SerpRecord) {
    let serp = serp::snapshot(&SerpInput {
        keyword,
        site,
        measurement: Measurement::Seen(page),
        competitors: None,
        previous: Some(before),
        month_ago: Some(before),
        prominence: None,
    });
    let rank = rankings::rank(&RankInput {
        keyword,
        site,
        measurement: Measurement::Seen(page),
        past: PastRanks {
            points: past,
            best: None,
            worst: None,
        },
        own_data: None,
        difficulty: None,
    });
    (rank, serp)
}

#[derive(Default)]
struct Ranks {
    volumes: BTreeMap<i64, Option<u64>>,
    standings: Vec<KeywordRank>,
    priority_inputs: Vec<PriorityInput>,
    sum: RankingsTally,
}

fn read_ranks(records: &[Document]) -> Result<Ranks, serde_json::Error> {
    let mut ranks = Ranks::default();
    for record in records {
        let rank: RankingRecord = record.parse()?;
        let id = rank.envelope.keyword_id.unwrap_or_default();
        ranks.volumes.insert(id, rank.search_volume);
        ranks.sum.add(&rank);
        ranks.priority_inputs.push(PriorityInput {
            opportunity: rank.target_ctr_gain,
            cpc: None,
            intent: rank.intent,
            trend: None,
        });
        ranks.standings.push(KeywordRank {
            keyword_id: id,
            keyword: rank.market.keyword.clone(),
            search_volume: rank.search_volume,
            point: RankPoint::of(&rank),
        });
    }
    Ok(ranks)
}

fn read_serps(
    records: &[Document],
    ranks: &Ranks,
    panel: &mut Panel<'_>,
) -> Result<SerpTally, serde_json::Error> {
    let mut sum = SerpTally::default();
    for record in records {
        let serp: SerpRecord = record.parse()?;
        let id = serp.envelope.keyword_id.unwrap_or_default();
        let topic = PanelTopic {
            keyword_id: id,
            keyword: serp.market.keyword.clone(),
            search_volume: ranks.volumes.get(&id).copied().flatten(),
            tags: vec![format!("tag {}", id % 20)],
            page_group: None,
        };
        if let Some(seen) = PanelPage::of_record(&serp) {
            panel.add(topic, &seen);
        }
        sum.add(&serp);
    }
    Ok(sum)
}

fn shares(panel: &Panel<'_>) -> Vec<SovRecord> {
    sov::shares(
        panel,
        &SovContext {
            project_id: 1,
            tracked: &BTreeSet::new(),
            week_ago: None,
            month_ago: None,
            provider: None,
        },
    )
}

fn competitor_records(panel: &Panel<'_>) -> Vec<CompetitorRecord> {
    competitors::competitors(
        panel,
        &CompetitorsContext {
            project_id: 1,
            pinned: &BTreeMap::new(),
            home_page_types: &BTreeMap::new(),
            earlier: &BTreeMap::new(),
            ai: &BTreeMap::new(),
            provider: None,
        },
    )
}

fn shift_positions(standings: &[KeywordRank]) -> Vec<KeywordRank> {
    let shift = |it: &KeywordRank| KeywordRank {
        point: RankPoint {
            position: it.point.position.map(|position| position % 30 + 1),
            ..it.point.clone()
        },
        ..it.clone()
    };
    standings.iter().map(shift).collect()
}

fn cannibalization_record(
    keyword: &TrackedKeyword,
    site: &SiteScope,
    snapshots: &[OwnSnapshot],
) -> Option<CannibalizationRecord> {
    cannibalization::evaluate(&CannibalizationInput {
        keyword,
        engine: "google",
        provider: None,
        provenance: Provenance::Simulated,
        site,
        snapshots,
        pages: &BTreeMap::new(),
        similarities: &BTreeMap::new(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|it| it.parse::<u32>());
    let count = numbers.next().transpose()?.unwrap_or(10_000);
    let depth = numbers.next().transpose()?.unwrap_or(100);
    let mut out = std::io::stdout().lock();
    let mut draws = Draws(7);
    let own = OwnSites::of(SiteScope::of("acme.com"));
    let mut watch = Stopwatch::default();

    let (mut ranks, mut serps) = (Vec::new(), Vec::new());
    for id in 1..=count {
        let before = PreviousSerp::of_page(&page(&mut draws, id, 20));
        let page = page(&mut draws, id, depth);
        let keyword = tracked(i64::from(id), &mut draws);
        let past = history(&mut draws);
        let (rank, serp) = watch.time("1 rankings and serp records", || {
            measured(&keyword, own.site(), &page, &before, &past)
        });
        watch.time("2 as JSON", || {
            ranks.push(Document::of(&rank));
            serps.push(Document::of(&serp));
        });
    }
    let mut panel = Panel::new(&own, ClickCurve::published(), now());
    let known = watch.time("3 rankings read back, summary", || read_ranks(&ranks))?;
    let serp_sum = watch.time("4 serp read back, summary, panel", || {
        read_serps(&serps, &known, &mut panel)
    })?;
    let shares = watch.time("5 shares of voice", || shares(&panel));
    let competitors = watch.time("6 competitors", || competitor_records(&panel));
    let (prominence, changes, priorities) = watch.time("7 prominence, changes, priorities", || {
        let changes = changes_between(&shift_positions(&known.standings), &known.standings);
        (
            panel.prominence(),
            changes,
            priorities(&known.priority_inputs),
        )
    });
    let mut tally = CannibalizationTally::default();
    for id in 1..=count {
        let keyword = tracked(i64::from(id), &mut draws);
        let snapshots = window(&mut draws);
        watch.time("8 cannibalization", || {
            tally.add(cannibalization_record(&keyword, own.site(), &snapshots).as_ref());
        });
    }

    for (step, seconds) in &watch.0 {
        writeln!(out, "{step}: {seconds:.3} s")?;
    }
    let total: f64 = watch.0.values().sum();
    writeln!(
        out,
        "{count} keywords with {depth} results each: {total:.3} s in all on one core"
    )?;
    let bytes: usize = serps.iter().chain(&ranks).map(|it| it.as_str().len()).sum();
    writeln!(
        out,
        "{} domains, {} shares, {} competitors, {} features, {} priorities, {} moves, {} cannibalised",
        panel.domain_count(),
        shares.len(),
        competitors.len(),
        serp_sum.finish(u64::from(count)).features.len(),
        priorities.len(),
        changes.compared,
        tally.finish(u64::from(count)).keywords,
    )?;
    writeln!(
        out,
        "{} MiB of records, {} bytes of prominence, visibility {:?}",
        bytes >> 20,
        serde_json::to_string(&prominence)?.len(),
        known.sum.finish(u64::from(count)).visibility_index,
    )?;
    Ok(())
}
