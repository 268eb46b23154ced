use super::back_test::{BackTest, PublishedMethod, Scores};
use super::change_points::change_points;
use super::combination::Combination;
use super::count;
use super::history::{Frequency, History};
use super::methods::{Ses, naive_deviations};
use super::season::{Season, SeasonKind};
use super::spread::{PastErrors, Spread};
use super::transform::Scale;
use chrono::NaiveDate;

/// Share of days below the checked depth up to which a position is forecast.
const MAX_BELOW_DEPTH: f64 = 0.3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    TooShort {
        measured: usize,
        needed: usize,
    },
    /// Too often not ranked within the checked depth.
    BelowDepth {
        measured: usize,
        /// Probability to rank within the depth on the next day.
        ranked: f64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Combination,
    /// The combination had a larger error.
    Naive,
    Constant,
}

/// In the unit of the series.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    pub method: Method,
    pub points: Vec<Point>,
    /// Points with intervals from past errors; the others use normal theory.
    pub conformal_steps: usize,
    /// `None` if the history is too short.
    pub scores: Option<Scores>,
    /// Period and strength.
    pub season: Option<(usize, f64)>,
    pub trend: Option<Trend>,
    /// First days after level shifts.
    pub changes: Vec<NaiveDate>,
    /// Cut to the last level, if that is long enough.
    pub used: History,
    scale: Scale,
    last: Option<(f64, Spread)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub date: NaiveDate,
    pub mean: f64,
    pub median: f64,
    pub within80: (f64, f64),
    pub within95: (f64, f64),
}

/// Of the damped trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Change of the trend in the coming week.
    pub slope_per_week: f64,
    /// Share of the trend that remains after a step.
    pub damping: f64,
}

/// At most `horizon` steps, limited by the history's length.
pub fn project(mut history: History, scale: Scale, horizon: usize) -> Result<Projection, Refusal> {
    let changes = changes(&history);
    let dates = changes.iter().map(|&place| history.date(place)).collect();
    if let Some(&last) = changes.last() {
        let rest = &history.points[last..];
        if rest.iter().filter(|it| it.measured).count() >= Frequency::Daily.min_points() {
            history.drop_before(last);
        }
    }
    check_history(&history)?;
    let horizon = horizon.clamp(1, history.frequency.max_horizon(history.measured()).max(1));
    let mut projection = match constant(&history) {
        Some(value) => constant_projection(history, scale, horizon, value),
        None => estimated_projection(history, scale, horizon)?,
    };
    projection.changes = dates;
    Ok(projection)
}

/// After removing the season.
fn changes(history: &History) -> Vec<usize> {
    let values = history.values();
    let period = history.period(values.len());
    let season = Season::find(&values, period, SeasonKind::Additive);
    change_points(&season.map_or(values.clone(), |season| season.adjust(&values)))
}

fn check_history(history: &History) -> Result<(), Refusal> {
    let (measured, needed) = (history.measured(), history.frequency.min_points());
    if measured < needed {
        return Err(Refusal::TooShort { measured, needed });
    }
    if count(history.below_depth()) > MAX_BELOW_DEPTH * count(measured) {
        return Err(Refusal::BelowDepth {
            measured,
            ranked: ranking_probability(history),
        });
    }
    Ok(())
}

/// SES level of ranked (1) and unranked (0) days, kept half a day from 0 and 1 (Jeffreys).
fn ranking_probability(history: &History) -> f64 {
    let ranked: Vec<f64> = history
        .points
        .iter()
        .filter(|it| it.measured)
        .map(|it| if it.below_depth { 0.0 } else { 1.0 })
        .collect();
    let edge = 0.5 / (count(ranked.len()) + 1.0);
    let level = Ses::fit(&ranked).map_or(0.5, |it| it.level);
    level.clamp(edge, 1.0 - edge)
}

fn constant(history: &History) -> Option<f64> {
    let first = history.points.first()?.z;
    let same = |z: f64| (z - first).abs() <= f64::EPSILON * first.abs();
    history.points.iter().all(|it| same(it.z)).then_some(first)
}

/// For constant series; intervals are the smallest measurable step.
fn constant_projection(history: History, scale: Scale, horizon: usize, z: f64) -> Projection {
    let value = scale.back(z);
    let ends = (
        scale.clamp(value - scale.resolution()),
        scale.clamp(value + scale.resolution()),
    );
    let points = dates(&history, horizon)
        .map(|date| Point {
            date,
            mean: value,
            median: value,
            within80: ends,
            within95: ends,
        })
        .collect();
    Projection {
        method: Method::Constant,
        points,
        conformal_steps: 0,
        scores: None,
        season: None,
        trend: None,
        changes: Vec::new(),
        used: history,
        scale,
        last: None,
    }
}

fn estimated_projection(
    history: History,
    scale: Scale,
    horizon: usize,
) -> Result<Projection, Refusal> {
    let values = history.values();
    let period = history.period(values.len());
    let too_short = || Refusal::TooShort {
        measured: history.measured(),
        needed: history.frequency.min_points(),
    };
    let fit =
        Combination::fit(&values, period, SeasonKind::Additive, None).ok_or_else(too_short)?;
    let back_test = BackTest::of(&history, horizon);
    let published = back_test.published_method(&history, scale);
    let (centres, deviations) = match published {
        PublishedMethod::Combination => (fit.forecast(horizon), fit.deviations(horizon)),
        PublishedMethod::Naive => (
            vec![values[values.len() - 1]; horizon],
            naive_deviations(&values, horizon).ok_or_else(too_short)?,
        ),
    };
    let errors: PastErrors = back_test.errors(&history, published);
    let spreads = errors.spreads(&deviations);
    let points = dates(&history, horizon)
        .zip(centres.iter().zip(&spreads))
        .map(|(date, (&centre, spread))| Point::of(date, centre, spread, scale))
        .collect();
    Ok(Projection {
        method: match published {
            PublishedMethod::Combination => Method::Combination,
            PublishedMethod::Naive => Method::Naive,
        },
        points,
        conformal_steps: errors.conformal_steps().min(horizon),
        scores: back_test.scores(&history, scale, published),
        season: fit
            .season()
            .map(|season| (season.period(), season.strength)),
        trend: Some(Trend::of(&fit, &history, scale)),
        changes: Vec::new(),
        used: history,
        scale,
        last: centres.last().copied().zip(spreads.last().copied()),
    })
}

fn dates(history: &History, horizon: usize) -> impl Iterator<Item = NaiveDate> + '_ {
    let next = history.points.len();
    (next..next + horizon).map(|place| history.date(place))
}

impl Projection {
    /// Of the value at the end of the horizon. For constant series by Jeffreys' prior.
    pub fn cumulative_probability(&self, value: f64) -> f64 {
        let z = self.scale.forward(value);
        if let Some((centre, spread)) = self.last {
            return spread.probability_below(z - centre);
        }
        let n = count(self.used.measured());
        let stays = (n + 0.5) / (n + 1.0);
        let below = self.points.last().is_none_or(|point| point.median <= value);
        if below { stays } else { 1.0 - stays }
    }
}

impl Point {
    /// Ends are transformed quantiles, at least half (80 %) or one (95 %) smallest measurable step away.
    fn of(date: NaiveDate, centre: f64, spread: &Spread, scale: Scale) -> Self {
        let median = scale.back(centre);
        let ends = |half: f64, floor: f64| {
            let low = scale.back(centre - half).min(median - floor);
            let high = scale.back(centre + half).max(median + floor);
            (scale.clamp(low), scale.clamp(high))
        };
        Self {
            date,
            mean: spread.expected_value(|error| scale.back(centre + error)),
            median,
            within80: ends(spread.half80, scale.resolution() / 2.0),
            within95: ends(spread.half95, scale.resolution()),
        }
    }
}

impl Trend {
    fn of(fit: &Combination, history: &History, scale: Scale) -> Self {
        let steps = 7 / history.frequency.days() as usize;
        let trend = fit.damped();
        let then = trend.forecast(steps).last().copied().unwrap_or(trend.level);
        Self {
            slope_per_week: scale.back(then) - scale.back(trend.level),
            damping: trend.phi,
        }
    }
}
