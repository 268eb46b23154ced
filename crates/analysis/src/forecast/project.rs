//! From a history to a forecast: what is used of it, which method speaks, how sure it is.

use super::{
    back_test::{BackTest, Published, Scores},
    change_points::change_points,
    combination::Combination,
    count,
    history::{Frequency, History},
    methods::{Ses, naive_deviations},
    season::{Season, SeasonKind},
    spread::{PastErrors, Spread},
    transform::Scale,
};
use chrono::NaiveDate;

/// Above this share of days below the depth a position is not forecast.
const MOST_BELOW_DEPTH: f64 = 0.3;

/// Why a series is not forecast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// It has fewer measurements in a row than a forecast needs.
    TooShort {
        /// What there is.
        measured: usize,
        /// What it takes.
        needed: usize,
    },
    /// Too often the site was not ranked within the depth.
    BelowDepth {
        /// What there is.
        measured: usize,
        /// The chance to be ranked within the depth on the next day.
        ranked: f64,
    },
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The median of Theta, damped trend and simple exponential smoothing.
    Combination,
    /// The last value, because the combination was worse.
    Naive,
    /// The only value there ever was.
    Constant,
}

/// A forecast in the unit of the series.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Who speaks.
    pub method: Method,
    /// The next days or weeks.
    pub points: Vec<Point>,
    /// How many of them have intervals from past errors; the rest has them from normal theory.
    pub conformal_steps: usize,
    /// How good it was; `None` when the history is too short to tell.
    pub scores: Option<Scores>,
    /// What repeats.
    pub season: Option<(usize, f64)>,
    /// Where it is heading.
    pub trend: Option<Trend>,
    /// First days of new levels.
    pub changes: Vec<NaiveDate>,
    /// What the forecast was made of: the last level alone, if there is enough of it.
    pub used: History,
    scale: Scale,
    last: Option<(f64, Spread)>,
}

/// The forecast of a day or a week.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When.
    pub date: NaiveDate,
    /// The mean of what is thought possible.
    pub mean: f64,
    /// Half of what is thought possible lies below.
    pub median: f64,
    /// Ends of the 80 % interval.
    pub within80: (f64, f64),
    /// Ends of the 95 % interval.
    pub within95: (f64, f64),
}

/// The damped trend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// How much the trend alone changes in the coming week.
    pub slope_per_week: f64,
    /// What is left of the trend a step later.
    pub damping: f64,
}

/// Forecasts a history, `horizon` steps ahead or as far as it allows.
///
/// # Errors
/// When the history does not allow a forecast.
pub fn project(mut history: History, scale: Scale, horizon: usize) -> Result<Projection, Refusal> {
    let changes = changes(&history);
    let dates = changes.iter().map(|&place| history.date(place)).collect();
    if let Some(&last) = changes.last() {
        let rest = &history.places[last..];
        if rest.iter().filter(|it| it.measured).count() >= Frequency::Daily.least() {
            history.begin_at(last);
        }
    }
    enough(&history)?;
    let horizon = horizon.clamp(1, history.frequency.farthest(history.measured()).max(1));
    let mut projection = match constant(&history) {
        Some(value) => always(history, scale, horizon, value),
        None => estimated(history, scale, horizon)?,
    };
    projection.changes = dates;
    Ok(projection)
}

/// Places where the level jumped, season aside.
fn changes(history: &History) -> Vec<usize> {
    let values = history.values();
    let period = history.period(values.len());
    let season = Season::find(&values, period, SeasonKind::Additive);
    change_points(&season.map_or(values.clone(), |season| season.adjust(&values)))
}

fn enough(history: &History) -> Result<(), Refusal> {
    let (measured, needed) = (history.measured(), history.frequency.least());
    if measured < needed {
        return Err(Refusal::TooShort { measured, needed });
    }
    if count(history.below_depth()) > MOST_BELOW_DEPTH * count(measured) {
        return Err(Refusal::BelowDepth {
            measured,
            ranked: chance_to_rank(history),
        });
    }
    Ok(())
}

/// The level of simple exponential smoothing over days ranked (1) and not (0), no nearer to certainty
/// than half a day in all of them (Jeffreys).
fn chance_to_rank(history: &History) -> f64 {
    let ranked: Vec<f64> = history
        .places
        .iter()
        .filter(|it| it.measured)
        .map(|it| if it.below_depth { 0.0 } else { 1.0 })
        .collect();
    let edge = 0.5 / (count(ranked.len()) + 1.0);
    let level = Ses::fit(&ranked).map_or(0.5, |it| it.level);
    level.clamp(edge, 1.0 - edge)
}

fn constant(history: &History) -> Option<f64> {
    let first = history.places.first()?.z;
    let same = |z: f64| (z - first).abs() <= f64::EPSILON * first.abs();
    history.places.iter().all(|it| same(it.z)).then_some(first)
}

/// A series that never changed: its value, give or take the smallest step that can be measured.
fn always(history: History, scale: Scale, horizon: usize, z: f64) -> Projection {
    let value = scale.back(z);
    let ends = (
        scale.possible(value - scale.step()),
        scale.possible(value + scale.step()),
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

fn estimated(history: History, scale: Scale, horizon: usize) -> Result<Projection, Refusal> {
    let values = history.values();
    let period = history.period(values.len());
    let too_short = || Refusal::TooShort {
        measured: history.measured(),
        needed: history.frequency.least(),
    };
    let fit =
        Combination::fit(&values, period, SeasonKind::Additive, None).ok_or_else(too_short)?;
    let back_test = BackTest::of(&history, horizon);
    let published = back_test.verdict(&history, scale);
    let (centres, deviations) = match published {
        Published::Combination => (fit.forecast(horizon), fit.deviations(horizon)),
        Published::Naive => (
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
            Published::Combination => Method::Combination,
            Published::Naive => Method::Naive,
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
    let next = history.places.len();
    (next..next + horizon).map(|place| history.date(place))
}

impl Projection {
    /// The chance that the value at the horizon's end is at most this.
    ///
    /// Of a series that never changed: half an observation in all of them speaks against it staying
    /// so (Jeffreys).
    #[must_use]
    pub fn chance_at_most(&self, value: f64) -> f64 {
        let z = self.scale.forward(value);
        if let Some((centre, spread)) = self.last {
            return spread.chance_below(z - centre);
        }
        let n = count(self.used.measured());
        let stays = (n + 0.5) / (n + 1.0);
        let below = self.points.last().is_none_or(|point| point.median <= value);
        if below { stays } else { 1.0 - stays }
    }
}

impl Point {
    /// Ends are quantiles carried back; each is at least half a step (80 %) or one (95 %) away,
    /// because nothing closer can be measured.
    fn of(date: NaiveDate, centre: f64, spread: &Spread, scale: Scale) -> Self {
        let median = scale.back(centre);
        let ends = |half: f64, floor: f64| {
            let low = scale.back(centre - half).min(median - floor);
            let high = scale.back(centre + half).max(median + floor);
            (scale.possible(low), scale.possible(high))
        };
        Self {
            date,
            mean: spread.mean_of(|error| scale.back(centre + error)),
            median,
            within80: ends(spread.half80, scale.step() / 2.0),
            within95: ends(spread.half95, scale.step()),
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
