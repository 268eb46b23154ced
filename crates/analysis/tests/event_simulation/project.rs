//! A project without any change: what its figures show is chance alone.

use super::draws::{Draws, Series};
use analysis::events::{
    AlarmBudget, CompetitorOrder, EventDraft, EventRun, MeasuredRank, OrderHistory, PropertyClicks,
    RankSample, TestName, VitalsMemory, answer_events, clicks_fell, overtook, rank_event,
    tested_figures, vitals_events,
};
use analysis::findings::ai_trends::{TrendInput, TrendPeriod, trend};
use analysis::findings::ai_visibility::{LeftOut, PromptTally};
use analysis::findings::rankings::RankState;
use analysis::findings::vitals::{MetricRecord, Spread, Subject, VitalsRecord, VitalsSource};
use analysis::observation::vitals::FormFactor;
use analysis::provenance::{Provenance, RecordStatus};
use analysis::url_rules::{OwnSites, SiteScope};
use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Utc};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

const DEPTH: u32 = 100;
pub const WARM_UP: u64 = 28;
const COMPETITORS: usize = 3;
const PAGES: usize = 5;
const PROMPTS: usize = 60;
const ENGINES: [&str; 3] = ["one", "two", "three"];

#[derive(Debug, Clone, Copy)]
pub struct World {
    /// Degrees of freedom of the noise.
    pub freedom: u32,
    /// `None`: 0 to .8, by project.
    pub phi: Option<f64>,
    /// B of the ranks.
    pub false_alarms: f64,
    /// After the warm-up.
    pub days: u64,
    /// Answers, clicks and speed too.
    pub everything: bool,
}

/// Events that report a fall: counts by kind. Ranks with a short history are counted apart.
pub type Falls = BTreeMap<&'static str, u32>;

pub struct Simulated {
    pub keywords: usize,
    pub falls: Falls,
}

const fn run(job: i64, method: &str) -> EventRun<'_> {
    EventRun {
        job,
        simulated: false,
        method,
    }
}

pub fn day(number: u64) -> NaiveDate {
    // A Monday.
    NaiveDate::from_ymd_opt(2026, 6, 1).unwrap_or_default() + Days::new(number)
}

fn noon(number: u64) -> DateTime<Utc> {
    day(number).and_time(NaiveTime::MIN).and_utc()
}

pub fn simulate(seed: u64, world: &World) -> Simulated {
    let mut draws = Draws::seeded(seed);
    let mut falls = Falls::new();
    let phi = world.phi.unwrap_or_else(|| draws.between(0.0, 0.8));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "5 to 500"
    )]
    let keywords = draws.log_uniform(5.0, 500.0).round() as usize;
    simulate_ranks(&mut draws, world, (keywords, phi), &mut falls);
    if world.everything {
        simulate_answers(&mut draws, world, &mut falls);
        simulate_clicks(&mut draws, world, &mut falls);
        simulate_vitals(&mut draws, world, phi / 2.0, &mut falls);
    }
    Simulated { keywords, falls }
}

fn note(falls: &mut Falls, number: u64, events: impl IntoIterator<Item = EventDraft>) {
    for event in events {
        if number >= WARM_UP && event.fell() {
            let is_short = event.test.name == TestName::None && event.kind.info().is_tested;
            let name = match event.kind.name() {
                "rank.changed" | "keyword.lost" if is_short => "ranks, short history",
                "vitals.regressed" if event.test.name == TestName::None => {
                    "vitals.regressed, visitors"
                }
                name => name,
            };
            *falls.entry(name).or_default() += 1;
        }
    }
}

struct Keyword {
    id: i64,
    base: f64,
    own: Series,
    competitors: Vec<(f64, Series, OrderHistory)>,
    past: Vec<RankSample>,
}

impl Keyword {
    fn started(id: i64, draws: &mut Draws, phi: f64, freedom: u32) -> Self {
        let deviation = draws.pick(&[0.05, 0.10, 0.15, 0.30]);
        let series = |draws: &mut Draws| Series::started(draws, phi, deviation, freedom);
        Self {
            id,
            base: draws.log_uniform(1.0, 100.0).ln(),
            own: series(draws),
            competitors: (0..COMPETITORS)
                .map(|_| {
                    let base = draws.log_uniform(1.0, 100.0).ln();
                    (base, series(draws), OrderHistory::default())
                })
                .collect(),
            past: Vec::new(),
        }
    }
}

/// A position, if it is within the depth.
pub fn position(log: f64, depth: u32) -> Option<u32> {
    let place = log.exp().round().clamp(1.0, 10_000.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "1 to 10,000"
    )]
    let place = place as u32;
    (place <= depth).then_some(place)
}

pub const fn sample(day: NaiveDate, position: Option<u32>, depth: u32) -> RankSample {
    RankSample {
        day,
        state: match position {
            Some(_) => RankState::Ranked,
            None if depth == 0 => RankState::Error,
            None => RankState::NotRanked,
        },
        position,
        depth,
    }
}

fn simulate_ranks(draws: &mut Draws, world: &World, (count, phi): (usize, f64), falls: &mut Falls) {
    let mut ids = 0..;
    let mut keyword = |draws: &mut Draws| {
        Keyword::started(ids.next().unwrap_or_default(), draws, phi, world.freedom)
    };
    let mut keywords: Vec<Keyword> = (0..count).map(|_| keyword(draws)).collect();
    let phase = draws.between(0.0, TAU);
    let budget = AlarmBudget {
        false_alarms: world.false_alarms,
        subjects: count as u64,
    };
    let mut overtaken = std::collections::BTreeSet::new();
    for number in 0..WARM_UP + world.days {
        // Five a month.
        if number % 6 == 5 {
            #[expect(clippy::cast_possible_truncation, reason = "below the count")]
            let at = (draws.next() % count as u64) as usize;
            keywords[at] = keyword(draws);
        }
        let today = f64::from(u32::try_from(number).unwrap_or_default());
        let common = 0.03 * draws.normal() + 0.05 * (TAU * today / 7.0 + phase).sin();
        let job = i64::try_from(number).unwrap_or_default();
        for keyword in &mut keywords {
            let log = keyword.base + common + keyword.own.next(draws);
            let depth = match draws.unit() {
                it if it < 0.02 => 0,
                it if it < 0.03 => 10,
                _ => DEPTH,
            };
            let own = position(log, depth);
            let now = sample(day(number), own, depth);
            let rank = MeasuredRank {
                keyword_id: keyword.id,
                keyword: "",
                measured_at: noon(number),
                now,
                past: keyword.past.iter().rev().copied(),
            };
            note(
                falls,
                number,
                rank_event(&run(job, "rankings/2"), &budget, &rank),
            );
            keyword.past.push(now);
            for (domain, (base, series, history)) in (0..).zip(&mut keyword.competitors) {
                let theirs = position(*base + 0.0 + series.next(draws), depth);
                if depth < 20 {
                    continue;
                }
                history.add(day(number), own, theirs);
                let domain: u32 = domain;
                let order = CompetitorOrder {
                    keyword_id: keyword.id,
                    keyword: "",
                    domain: &domain.to_string(),
                    measured_at: noon(number),
                    own,
                    theirs,
                    history: *history,
                };
                let event = overtook(&run(job, "serp/3"), &order);
                let is_first = |it: &EventDraft| overtaken.insert(it.dedupe_key.clone());
                note(falls, number, event.filter(is_first));
            }
        }
    }
}

fn simulate_answers(draws: &mut Draws, world: &World, falls: &mut Falls) {
    let own = OwnSites::of(SiteScope::of("own.example"));
    let engines: Vec<(Vec<f64>, f64)> = ENGINES
        .iter()
        .map(|_| {
            let levels = (0..PROMPTS).map(|_| 1.5 * draws.normal() - 0.5);
            (levels.collect(), draws.log_uniform(0.003, 0.3))
        })
        .collect();
    let mut tallies: Vec<Vec<PromptTally>> = vec![Vec::new(); ENGINES.len()];
    for week in 0..(WARM_UP + world.days) / 7 {
        let number = 7 * week + 2;
        for (at, (levels, cited)) in engines.iter().enumerate() {
            let of_engine = &mut tallies[at];
            of_engine.retain(|it| it.day + Days::new(7 * 5) > day(number));
            for (prompt, level) in levels.iter().enumerate() {
                let rate = 1.0 / (1.0 + (-(level + 0.5 * draws.normal())).exp());
                let mentions = draws.count(rate, 5);
                let citations = draws.count(*cited, 5);
                of_engine.push(tally(
                    ENGINES[at],
                    prompt,
                    day(number),
                    (mentions, citations),
                ));
            }
        }
        // On the Tuesday after the week.
        let number = 7 * week + 8;
        let trends: Vec<_> = ENGINES
            .iter()
            .enumerate()
            .map(|(at, engine)| {
                trend(&TrendInput {
                    project_id: i64::from_ne_bytes(draws.next().to_ne_bytes()),
                    keyword: None,
                    engine,
                    period: TrendPeriod::Week,
                    tallies: &tallies[at],
                    measured_at: noon(number),
                    provider: None,
                })
            })
            .collect();
        note(
            falls,
            number,
            answer_events(&run(0, "ai-trends/1"), &trends, &own),
        );
    }
}

fn tally(
    engine: &str,
    prompt: usize,
    day: NaiveDate,
    (mentions, citations): (u64, u64),
) -> PromptTally {
    let cited = (citations > 0).then(|| ("own.example".to_owned(), citations));
    PromptTally {
        day,
        engine: engine.to_owned(),
        model: None,
        template_version: 1,
        detector_version: "1".to_owned(),
        provenance: Provenance::Measured,
        prompt_id: prompt.to_string(),
        keyword_id: None,
        is_branded: false,
        answers: 5,
        mentions,
        sourced: 5,
        citations,
        evaluated: 5,
        recommendations: 0,
        namings: 5,
        shared: 5,
        share_sum: 0.0,
        felt: 0,
        sentiment_sum: 0.0,
        left_out: LeftOut::default(),
        cited_domains: cited.into_iter().collect(),
    }
}

/// Twelve weeks before the others, so that the history is full.
fn simulate_clicks(draws: &mut Draws, world: &World, falls: &mut Falls) {
    let level = draws.log_uniform(1.0, 1_000.0);
    let deviation = draws.pick(&[0.05, 0.10, 0.20]);
    let mut weekly = Series::started(draws, 0.3, deviation, world.freedom);
    let mut days: Vec<(NaiveDate, u64)> = Vec::new();
    let mut noise = 0.0;
    for number in 0..WARM_UP + world.days {
        if number % 7 == 0 {
            noise = weekly.next(draws);
        }
        let weekday = day(number).weekday().num_days_from_monday();
        let share = if weekday < 5 { 1.15 } else { 0.625 };
        let expected = level * share * (noise + 0.1 * draws.normal()).exp();
        // Nearly a Poisson count.
        let clicks = (expected + expected.sqrt() * draws.normal())
            .round()
            .max(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        days.push((day(number), clicks as u64));
        // Fetched on Thursdays, when the last week is complete.
        if weekday == 3 {
            let from = days.len().saturating_sub(90);
            let of = PropertyClicks {
                property: "sc-domain:own.example",
                days: &days[from..],
                measured_at: noon(number),
            };
            note(falls, number, clicks_fell(&run(0, ""), &of));
        }
    }
}

struct Page {
    url: String,
    lab: [(f64, Series); 3],
    field: [(f64, Series); 3],
}

fn simulate_vitals(draws: &mut Draws, world: &World, phi: f64, falls: &mut Falls) {
    let mut pages: Vec<Page> = (0..2 * PAGES)
        .map(|page| {
            let deviation = draws.pick(&[0.03, 0.05, 0.10, 0.20]);
            let lab = [(800.0, 6_000.0), (0.01, 0.4), (50.0, 1_500.0)].map(|(low, high)| {
                let base = draws.log_uniform(low, high);
                (base, Series::started(draws, phi, deviation, world.freedom))
            });
            let field = [(800.0, 6_000.0), (0.01, 0.4), (80.0, 700.0)].map(|(low, high)| {
                let base = draws.log_uniform(low, high);
                (base, Series::started(draws, 0.95, 0.03, world.freedom))
            });
            Page {
                url: format!("https://own.example/{page}"),
                lab,
                field,
            }
        })
        .collect();
    let mut memory = VitalsMemory::default();
    for number in 0..WARM_UP + world.days {
        let job = i64::try_from(number).unwrap_or_default();
        let mut records = Vec::new();
        for page in &mut pages {
            for source in [VitalsSource::Lab, VitalsSource::Field] {
                records.push(record(draws, page, source, noon(number)));
            }
        }
        let budget = AlarmBudget::of_vitals(records.iter().map(tested_figures).sum());
        for record in &records {
            let events = vitals_events(&run(job, "vitals/1"), &budget, record, &memory);
            note(falls, number, events);
        }
        for record in &records {
            memory.add(record);
        }
    }
}

fn record(
    draws: &mut Draws,
    page: &mut Page,
    source: VitalsSource,
    at: DateTime<Utc>,
) -> VitalsRecord {
    let subject = Subject {
        project_id: 1,
        url: &page.url,
        measured_at: at,
    };
    let mut record = subject.failed(FormFactor::Phone, source, "");
    (record.envelope.status, record.envelope.error) = (RecordStatus::Ok, None);
    let series = match source {
        VitalsSource::Lab => &mut page.lab,
        VitalsSource::Field => &mut page.field,
    };
    let [lcp, cls, other] = series.each_mut().map(|(base, series)| {
        let value = Some(*base * series.next(draws).exp());
        Some(match source {
            VitalsSource::Lab => MetricRecord {
                value,
                ..MetricRecord::default()
            },
            VitalsSource::Field => MetricRecord {
                p75: value,
                ..MetricRecord::default()
            },
        })
    });
    (record.metrics.lcp, record.metrics.cls) = (lcp, cls);
    match source {
        VitalsSource::Lab => {
            record.metrics.tbt = other;
            record.iqr = Some(Spread::default());
        }
        VitalsSource::Field => record.metrics.inp = other,
    }
    record
}
