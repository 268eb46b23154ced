use super::bins::{Bin, TrendPeriod, bins};
use super::compare::{Sides, by_prompt, compare};
use super::record::{
    AiTrendPoint, AiTrendRecord, DriftFlag, DriftKind, RateChange, TrendDirection, TrendReason,
    TrendVerdict,
};
use super::{METHOD_VERSION, PERIODS_BEFORE, movers};
use crate::findings::ai_visibility::{
    LeftOut, MIN_ANSWERS, PromptTally, ScoreParts, ai_visibility_score,
};
use crate::findings::envelope::Envelope;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use crate::statistics::describe::mean;
use crate::statistics::panel_rate;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
pub struct TrendInput<'a> {
    pub project_id: i64,
    /// The keyword and its text; `None` for the whole project.
    pub keyword: Option<(i64, &'a str)>,
    /// Tallies of other engines are ignored.
    pub engine: &'a str,
    pub period: TrendPeriod,
    /// The tallies of the project, in any order. Branded prompts are left out.
    pub tallies: &'a [PromptTally],
    /// The period of this moment is incomplete.
    pub measured_at: DateTime<Utc>,
    pub provider: Option<&'a str>,
}

pub fn trend(input: &TrendInput<'_>) -> AiTrendRecord {
    let own: Vec<&PromptTally> = { input.tallies.iter() }
        .filter(|it| it.engine == input.engine && !it.is_branded)
        .filter(|it| {
            input
                .keyword
                .is_none_or(|keyword| it.keyword_id == Some(keyword.0))
        })
        .collect();
    let bins = bins(&own, input.period);
    let this = input.period.start(input.measured_at.date_naive());
    let last_period = input.period.before(this, 1).unwrap_or(this);
    let drift_flags = drifts(&bins);
    let last = bins.iter().find(|it| it.start == last_period);
    let sides = sides(&bins, last, last_period, input.period);
    let key = format!(
        "{METHOD_VERSION}/{}/{}/{}/{last_period}",
        input.project_id,
        input.keyword.map_or(0, |it| it.0),
        input.engine,
    );
    let mentions = compare(
        &sides,
        PromptTally::mention_count,
        &format!("{key}/mentions"),
    );
    let citations = compare(
        &sides,
        PromptTally::citation_count,
        &format!("{key}/citations"),
    );
    let (verdict, reason) = verdict(&mentions.change, &bins, last, input.period);
    let change = mentions.change.ok();
    let movers = match (input.keyword, reason) {
        (None, None) => movers::keywords(&sides, &key),
        _ => movers::Movers::default(),
    };
    let (new_cited_domains, lost_cited_domains) = match reason {
        None => movers::domains(&sides),
        Some(_) => (Vec::new(), Vec::new()),
    };
    let points = points(&bins, &key);
    let mut left_out = LeftOut::default();
    let of_last = own
        .iter()
        .filter(|it| input.period.start(it.day) == last_period);
    of_last.for_each(|it| left_out.merge(&it.left_out));
    AiTrendRecord {
        envelope: envelope(input, &points, &bins, reason),
        keyword: input.keyword.map(|it| it.1.to_owned()),
        period: input.period,
        engine: input.engine.to_owned(),
        points,
        verdict,
        reason,
        last_period,
        left_out,
        change_abs: change.map(|it| it.change),
        change_low: change.map(|it| it.interval.low),
        change_high: change.map(|it| it.interval.high),
        interval_method: change.map(|it| it.method),
        significant: change.map(|it| it.is_significant()),
        direction: change.map(|it| match (it.is_significant(), it.change > 0.0) {
            (false, _) => TrendDirection::Flat,
            (true, true) => TrendDirection::Up,
            (true, false) => TrendDirection::Down,
        }),
        citation_change: citations.change.ok().map(|it| RateChange::of(&it)),
        shared_prompts: mentions.shared,
        all_prompts: mentions.either,
        composition_adjusted: change.is_some() && mentions.shared < mentions.either,
        drift_flags,
        new_cited_domains,
        lost_cited_domains,
        top_gainers: movers.gainers,
        top_losers: movers.losers,
        compared_keywords: movers.compared,
        moved_keywords: movers.moved,
    }
}

/// The last full period, and those of the four before that are of its segment.
fn sides<'a>(
    bins: &[Bin<'a>],
    last: Option<&Bin<'a>>,
    last_period: NaiveDate,
    period: TrendPeriod,
) -> Sides<'a> {
    let earliest = (1..=PERIODS_BEFORE)
        .filter_map(|it| period.before(last_period, u32::try_from(it).ok()?))
        .min();
    let is_before = |it: &&Bin<'a>| {
        it.start < last_period
            && earliest.is_some_and(|earliest| it.start >= earliest)
            && last.is_some_and(|last| last.segment == it.segment)
    };
    Sides {
        now: last.map(|it| it.tallies.clone()).unwrap_or_default(),
        before: { bins.iter() }
            .filter(is_before)
            .flat_map(|it| it.tallies.iter().copied())
            .collect(),
    }
}

fn verdict(
    change: &Result<panel_rate::PanelChange, TrendReason>,
    bins: &[Bin<'_>],
    last: Option<&Bin<'_>>,
    period: TrendPeriod,
) -> (TrendVerdict, Option<TrendReason>) {
    match change {
        Ok(change) if change.is_significant() => (TrendVerdict::Moved, None),
        Ok(_) => (TrendVerdict::WithinNoise, None),
        Err(TrendReason::NoAnswersBefore) => {
            // Distinguishes a new segment from missing answers.
            let before = last.and_then(|last| {
                let from = period.before(last.start, u32::try_from(PERIODS_BEFORE).ok()?)?;
                let earlier = { bins.iter().rev() }.find(|it| it.start < last.start)?;
                (earlier.start >= from && earlier.segment != last.segment)
                    .then_some((earlier, last))
            });
            before.map_or(
                (
                    TrendVerdict::InsufficientData,
                    Some(TrendReason::NoAnswersBefore),
                ),
                |(earlier, last)| {
                    let kinds = changes(earlier, last);
                    let verdict = match kinds.first().map(|it| it.0) {
                        Some(DriftKind::SourceChange) => TrendVerdict::SourceChanged,
                        Some(DriftKind::PromptPanelChange) => TrendVerdict::PromptPanelChanged,
                        Some(DriftKind::DetectorChange) => TrendVerdict::DetectorChanged,
                        _ => TrendVerdict::ModelChanged,
                    };
                    (verdict, Some(TrendReason::NewSegment))
                },
            )
        }
        Err(reason) => (TrendVerdict::InsufficientData, Some(*reason)),
    }
}

fn drifts(bins: &[Bin<'_>]) -> Vec<DriftFlag> {
    bins.windows(2)
        .flat_map(|pair| {
            changes(&pair[0], &pair[1])
                .into_iter()
                .map(|(kind, from, to)| DriftFlag {
                    date: pair[1].since,
                    kind,
                    from,
                    to,
                })
        })
        .collect()
}

type Change = (DriftKind, Option<String>, Option<String>);

fn changes(before: &Bin<'_>, after: &Bin<'_>) -> Vec<Change> {
    let (one, other) = (&before.key, &after.key);
    let source = |it: Provenance| {
        let name = serde_json::to_value(it).ok();
        name.and_then(|it| it.as_str().map(str::to_owned))
    };
    let all: [Change; 4] = [
        (
            DriftKind::SourceChange,
            source(one.provenance),
            source(other.provenance),
        ),
        (
            DriftKind::ModelChange,
            one.model.map(str::to_owned),
            other.model.map(str::to_owned),
        ),
        (
            DriftKind::PromptPanelChange,
            Some(one.template_version.to_string()),
            Some(other.template_version.to_string()),
        ),
        (
            DriftKind::DetectorChange,
            Some(one.detector_version.to_owned()),
            Some(other.detector_version.to_owned()),
        ),
    ];
    all.into_iter().filter(|it| it.1 != it.2).collect()
}

/// Of exponential smoothing: the weight of the newest period.
const SMOOTHING_FACTOR: f64 = 0.4;

fn points(bins: &[Bin<'_>], key: &str) -> Vec<AiTrendPoint> {
    let mut smoothed: Option<(usize, f64, f64)> = None;
    bins.iter()
        .filter_map(|bin| {
            let counts = by_prompt(&bin.tallies, PromptTally::mention_count);
            let counts: Vec<_> = counts.into_values().collect();
            let rate = panel_rate::rate(&counts, &format!("{key}/{}", bin.start))?;
            let (hits, trials) = total_counts(&counts);
            let (hits, trials) = match smoothed {
                Some((segment, old_hits, old_trials)) if segment == bin.segment => (
                    SMOOTHING_FACTOR * hits + (1.0 - SMOOTHING_FACTOR) * old_hits,
                    SMOOTHING_FACTOR * trials + (1.0 - SMOOTHING_FACTOR) * old_trials,
                ),
                _ => (hits, trials),
            };
            smoothed = Some((bin.segment, hits, trials));
            let mut point = point(bin, &rate);
            // Jeffreys' prior.
            point.smoothed_mention_rate = (hits + 0.5) / (trials + 1.0);
            Some(point)
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
fn total_counts(counts: &[panel_rate::Count]) -> (f64, f64) {
    let sum = |of: fn(&panel_rate::Count) -> u64| counts.iter().map(of).sum::<u64>() as f64;
    (sum(|it| it.hits), sum(|it| it.trials))
}

fn point(bin: &Bin<'_>, rate: &panel_rate::PanelRate) -> AiTrendPoint {
    let sum = |of: fn(&PromptTally) -> u64| bin.tallies.iter().map(|it| of(it)).sum::<u64>();
    let answer_count = sum(|it| it.answers);
    let citation_rate = over_prompts(bin, |it| counted(it.citations, it.sourced));
    let share = over_prompts(bin, |it| (it.share_sum, it.shared));
    let recommendation_rate = over_prompts(bin, |it| counted(it.recommendations, it.evaluated));
    let parts = ScoreParts {
        mention_rate: rate.rate,
        position_adjusted_share: share,
        citation_rate,
        recommendation_rate,
    };
    AiTrendPoint {
        date: bin.start,
        segment: u32::try_from(bin.segment).unwrap_or(u32::MAX),
        model: bin.key.model.map(str::to_owned),
        answer_count,
        prompt_count: by_prompt(&bin.tallies, PromptTally::mention_count).len() as u64,
        other_answer_count: bin.others,
        mention_rate: rate.rate,
        low: rate.interval.low,
        high: rate.interval.high,
        smoothed_mention_rate: rate.rate,
        citation_rate,
        share_of_voice: ratio(sum(|it| it.mentions), sum(|it| it.namings)),
        position_adjusted_share: share,
        ai_visibility_score: (answer_count >= MIN_ANSWERS).then(|| ai_visibility_score(&parts)),
        sentiment_score: over_prompts(bin, |it| (it.sentiment_sum, it.felt)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
const fn counted(part: u64, whole: u64) -> (f64, u64) {
    (part as f64, whole)
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The mean over prompts of sum / count.
#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
fn over_prompts(bin: &Bin<'_>, of: fn(&PromptTally) -> (f64, u64)) -> Option<f64> {
    let mut sums: BTreeMap<&str, (f64, u64)> = BTreeMap::new();
    for tally in &bin.tallies {
        let (sum, count) = of(tally);
        let entry = sums.entry(&tally.prompt_id).or_default();
        *entry = (entry.0 + sum, entry.1 + count);
    }
    let means: Vec<f64> = { sums.values() }
        .filter(|it| it.1 > 0)
        .map(|it| it.0 / it.1 as f64)
        .collect();
    mean(&means)
}

fn envelope(
    input: &TrendInput<'_>,
    points: &[AiTrendPoint],
    bins: &[Bin<'_>],
    reason: Option<TrendReason>,
) -> Envelope {
    let answers: u64 = points.iter().map(|it| it.answer_count).sum();
    let mut warnings = Vec::new();
    if points.iter().any(|it| it.other_answer_count > 0) {
        warnings.push("answersOnOtherTerms".to_owned());
    }
    if bins
        .windows(2)
        .any(|it| input.period.next(it[0].start) != Some(it[1].start))
    {
        warnings.push("gaps".to_owned());
    }
    Envelope {
        result_type: ResultType::AiTrends,
        project_id: input.project_id,
        keyword_id: input.keyword.map(|it| it.0),
        url: None,
        measured_at: input.measured_at,
        status: if reason.is_none() {
            RecordStatus::Ok
        } else {
            RecordStatus::InsufficientData
        },
        error: None,
        provenance: bins
            .last()
            .map_or(Provenance::Measured, |it| it.key.provenance),
        provider: input.provider.map(str::to_owned),
        method_version: METHOD_VERSION.to_owned(),
        sample_size: u32::try_from(answers).unwrap_or(u32::MAX),
        warnings,
    }
}
