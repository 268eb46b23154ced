use super::{
    CUT_AT_GAP, HORIZON_SHORTENED, LEVEL_SHIFT, METHOD_VERSION, NAIVE_IS_BETTER, NO_BACK_TEST,
    NORMAL_INTERVALS,
    conversions::saturating_u32,
    quantity::Quantity,
    record::{
        BackTestScores, ForecastPoint, ForecastQuality, ForecastRecord, ForecastRefusal,
        HistorySpan, RefusalReason, Seasonality, SeriesTrend, TargetChance,
    },
};
use crate::findings::envelope::{Envelope, FindingContext};
use crate::findings::keyword_market::TrackedKeyword;
use crate::forecast::back_test::Scores;
use crate::forecast::history::{Frequency, History, Observation};
use crate::forecast::project::{Method, Projection, Refusal, project};
use crate::forecast::transform::Scale;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistorySource<'a> {
    /// A forecast of simulated measurements is simulated.
    pub provenance: Provenance,
    pub provider: Option<&'a str>,
}

#[derive(Debug, Clone, Copy)]
pub struct ForecastInput<'a> {
    pub context: FindingContext,
    /// The keyword with the engine, for series of a keyword.
    pub keyword: Option<(&'a TrackedKeyword, &'a str)>,
    pub quantity: Quantity,
    /// In any order; of one method version only.
    pub observations: &'a [Observation],
    pub source: HistorySource<'a>,
    /// How many days ahead.
    pub days: u32,
    /// Targets: for positions upper bounds, for everything else lower bounds.
    pub thresholds: &'a [f64],
}

pub fn forecast(input: &ForecastInput<'_>) -> ForecastRecord {
    let blank = blank(input);
    let scale = input.quantity.scale();
    let Some(frequency) = Frequency::of(input.observations) else {
        return without_frequency(blank, input, scale);
    };
    let Some(history) = History::of(input.observations, frequency, scale) else {
        return refused(blank, RefusalReason::NoHistory, 0, None);
    };
    let blank = ForecastRecord {
        frequency: Some(frequency.into()),
        ..measured(blank, &history)
    };
    let cut_at_gap = history.cut_at_gap;
    let steps = (input.days / frequency.days()).max(1);
    match project(history, scale, steps as usize) {
        Ok(projection) => forecast_record(blank, input, &projection, steps, cut_at_gap),
        Err(refusal) => refused_by(blank, input, refusal, cut_at_gap),
    }
}

fn blank(input: &ForecastInput<'_>) -> ForecastRecord {
    let (target, unit) = input.quantity.target();
    let mut envelope =
        Envelope::measured(ResultType::Forecast, METHOD_VERSION, None, &input.context);
    envelope.keyword_id = input.keyword.map(|(keyword, _)| keyword.keyword_id);
    envelope.provider = input.source.provider.map(str::to_owned);
    envelope.sample_size = 0;
    envelope.provenance = match input.source.provenance {
        Provenance::Simulated => Provenance::Simulated,
        _ => Provenance::Estimated,
    };
    ForecastRecord {
        envelope,
        market: input
            .keyword
            .map(|(keyword, engine)| keyword.market_on(engine)),
        ai_engine: None,
        target,
        unit,
        frequency: None,
        history: HistorySpan::default(),
        horizon: 0,
        points: Vec::new(),
        method: None,
        backtest: None,
        seasonality: None,
        trend: None,
        targets: Vec::new(),
        change_points: Vec::new(),
        quality: None,
        refusal: None,
    }
}

fn measured(mut record: ForecastRecord, history: &History) -> ForecastRecord {
    let n = history.points.len();
    record.history = HistorySpan {
        start: Some(history.date(0)),
        end: Some(history.end),
        n: saturating_u32(n),
        missing: saturating_u32(n - history.measured()),
    };
    record.envelope.sample_size = saturating_u32(history.measured());
    record
}

/// For fewer than two measured days, or too rare ones.
fn without_frequency(
    blank: ForecastRecord,
    input: &ForecastInput<'_>,
    scale: Scale,
) -> ForecastRecord {
    let Some(history) = History::of(input.observations, Frequency::Daily, scale) else {
        return refused(blank, RefusalReason::NoHistory, 0, None);
    };
    let record = measured(blank, &history);
    if history.cut_at_gap {
        return refused(
            record,
            RefusalReason::MeasuredTooRarely,
            history.measured(),
            None,
        );
    }
    let needed = Frequency::Daily.min_points();
    refused(
        record,
        RefusalReason::HistoryTooShort,
        history.measured(),
        Some(needed),
    )
}

fn refused_by(
    mut record: ForecastRecord,
    input: &ForecastInput<'_>,
    refusal: Refusal,
    cut_at_gap: bool,
) -> ForecastRecord {
    if cut_at_gap {
        record.envelope.warnings.push(CUT_AT_GAP.to_owned());
    }
    match refusal {
        Refusal::TooShort { measured, needed } => refused(
            record,
            RefusalReason::HistoryTooShort,
            measured,
            Some(needed),
        ),
        Refusal::BelowDepth { measured, ranked } => {
            if let Quantity::Position { depth } = input.quantity {
                record.targets.push(TargetChance {
                    threshold: f64::from(depth),
                    probability: ranked,
                });
            }
            refused(record, RefusalReason::MostlyNotRanked, measured, None)
        }
    }
}

fn refused(
    mut record: ForecastRecord,
    reason: RefusalReason,
    measured: usize,
    needed: Option<usize>,
) -> ForecastRecord {
    record.envelope.status = RecordStatus::InsufficientData;
    record.envelope.warnings.push(reason.code().to_owned());
    record.refusal = Some(ForecastRefusal {
        reason,
        measured: saturating_u32(measured),
        needed: needed.map(saturating_u32),
    });
    record
}

fn forecast_record(
    record: ForecastRecord,
    input: &ForecastInput<'_>,
    projection: &Projection,
    steps: u32,
    cut_at_gap: bool,
) -> ForecastRecord {
    let before = record.history.n;
    let mut record = measured(record, &projection.used);
    record.horizon = saturating_u32(projection.points.len());
    record.points = projection.points.iter().map(ForecastPoint::from).collect();
    record.method = Some(projection.method.into());
    record.backtest = projection.scores.as_ref().map(BackTestScores::from);
    record.seasonality = projection.season.map(|(period, strength)| Seasonality {
        period: saturating_u32(period),
        strength,
    });
    record.trend = projection.trend.map(|trend| SeriesTrend {
        slope_per_week: trend.slope_per_week,
        phi: trend.damping,
    });
    record.targets = input
        .thresholds
        .iter()
        .filter_map(|&threshold| {
            let probability = input.quantity.probability(projection, threshold)?;
            Some(TargetChance {
                threshold,
                probability,
            })
        })
        .collect();
    record.change_points.clone_from(&projection.changes);
    record.quality = projection.scores.and_then(quality);
    let unknown_quality = projection.scores.is_none() && projection.method != Method::Constant;
    let warnings = [
        (cut_at_gap, CUT_AT_GAP),
        (record.history.n < before, LEVEL_SHIFT),
        (record.horizon < steps, HORIZON_SHORTENED),
        (projection.method == Method::Naive, NAIVE_IS_BETTER),
        (
            projection.method != Method::Constant
                && projection.conformal_steps < projection.points.len(),
            NORMAL_INTERVALS,
        ),
        (unknown_quality, NO_BACK_TEST),
    ];
    let present = warnings.into_iter().filter(|(is_so, _)| *is_so);
    record
        .envelope
        .warnings
        .extend(present.map(|(_, code)| code.to_owned()));
    if unknown_quality {
        record.envelope.status = RecordStatus::Partial;
    }
    record
}

fn quality(scores: Scores) -> Option<ForecastQuality> {
    Some(match scores.ratio_to_naive? {
        ratio if ratio < 0.95 => ForecastQuality::Good,
        ratio if ratio < 1.05 => ForecastQuality::Fair,
        _ => ForecastQuality::Poor,
    })
}
