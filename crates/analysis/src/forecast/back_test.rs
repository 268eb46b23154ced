//! What the methods would have said earlier, and how it turned out.

use super::{
    accuracy::{mean_absolute_error, seasonal_step, smape},
    combination::Combination,
    count,
    history::History,
    methods::naive_deviations,
    season::SeasonKind,
    spread::PastErrors,
    transform::Scale,
};

/// The shortest past that a forecast is made from.
const LEAST_PAST: usize = 8;
/// Looks back that the farthest step has, where the history is long enough.
const LOOKS_OF_FARTHEST: usize = 24;
/// Farther horizons are looked at every second place, or third, … where the history is long enough:
/// neighbouring looks say nearly the same.
const STEPS_PER_STRIDE: usize = 24;

/// What is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// The combination.
    Combination,
    /// The last value, again and again.
    Naive,
}

/// One look from the past: what was said of the values whose outcome is known.
#[derive(Debug, Clone, PartialEq)]
struct Look {
    known: usize,
    combination: Said,
    naive: Said,
}

/// Forecasts on the scale of the series, and the deviations that normal theory gives them.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    points: Vec<f64>,
    deviations: Vec<f64>,
}

/// How good the methods were, in the unit of the series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// From how many points in the past forecasts were made.
    pub origins: usize,
    /// Mean absolute error of what is published.
    pub mae: f64,
    /// Its sMAPE, 0 to 200.
    pub smape: f64,
    /// Its mean absolute error by the mean seasonal step of the history; `None` without steps.
    pub mase: Option<f64>,
    /// The same of the combination, …
    pub combination_mase: Option<f64>,
    /// … of the last value …
    pub naive_mase: Option<f64>,
    /// … and of the last season; `None` without a season.
    pub seasonal_naive_mase: Option<f64>,
    /// Mean absolute error of the combination by that of the last value; `None` when that is 0.
    pub ratio_to_naive: Option<f64>,
    /// Share of outcomes inside the 80 % intervals that would have been told at the time.
    pub coverage80: f64,
    /// The same of the 95 % intervals.
    pub coverage95: f64,
}

/// Looks back from a rolling origin.
#[derive(Debug, Clone, PartialEq)]
pub struct BackTest {
    looks: Vec<Look>,
}

impl BackTest {
    /// Forecasts each of the last values from what was known before.
    #[must_use]
    pub fn of(history: &History, horizon: usize) -> Self {
        let series = history.values();
        let mut near: Option<Combination> = None;
        let mut looks = Vec::new();
        for known in origins(series.len(), horizon) {
            let past = &series[..known];
            let steps = horizon.min(series.len() - known);
            let period = history.period(known);
            let Some(fit) = Combination::fit(past, period, SeasonKind::Additive, near.as_ref())
            else {
                continue;
            };
            looks.push(Look {
                known,
                combination: Said {
                    points: fit.forecast(steps),
                    deviations: fit.deviations(steps),
                },
                naive: Said {
                    points: vec![past[known - 1]; steps],
                    deviations: naive_deviations(past, steps).unwrap_or_default(),
                },
            });
            near = Some(fit);
        }
        Self { looks }
    }

    /// The combination, unless the last value was the better forecast.
    #[must_use]
    pub fn verdict(&self, history: &History, scale: Scale) -> Published {
        let error =
            |published| mean_absolute_error(&self.pairs(history, scale, published)).unwrap_or(0.0);
        if error(Published::Combination) > error(Published::Naive) {
            Published::Naive
        } else {
            Published::Combination
        }
    }

    /// How far off a method was, for the intervals of its next forecasts.
    #[must_use]
    pub fn errors(&self, history: &History, published: Published) -> PastErrors {
        let mut errors = PastErrors::default();
        for look in &self.looks {
            for (step, error) in look.errors(history, published) {
                errors.add(step, error);
            }
        }
        errors
    }

    /// How good a method was; `None` when there was nothing to compare with.
    #[must_use]
    pub fn scores(&self, history: &History, scale: Scale, published: Published) -> Option<Scores> {
        let unit: Vec<f64> = history.places.iter().map(|it| scale.back(it.z)).collect();
        let period = history.period(unit.len());
        let step = seasonal_step(&unit, period);
        let scaled = |error: f64| step.map(|step| error / step);
        let error_of = |it| mean_absolute_error(&self.pairs(history, scale, it));
        let combination = error_of(Published::Combination)?;
        let naive = error_of(Published::Naive)?;
        let pairs = self.pairs(history, scale, published);
        let mae = mean_absolute_error(&pairs)?;
        let (coverage80, coverage95) = self.coverage(history, published)?;
        Some(Scores {
            origins: self.looks.len(),
            mae,
            smape: smape(&pairs)?,
            mase: scaled(mae),
            combination_mase: scaled(combination),
            naive_mase: scaled(naive),
            seasonal_naive_mase: self.seasonal_naive_error(history, &unit).and_then(scaled),
            ratio_to_naive: (naive > 0.0).then(|| combination / naive),
            coverage80,
            coverage95,
        })
    }

    /// Outcomes with what was forecast, in the unit of the series. What was filled in is no outcome.
    fn pairs(&self, history: &History, scale: Scale, published: Published) -> Vec<(f64, f64)> {
        self.looks
            .iter()
            .flat_map(|look| {
                let outcomes = &history.places[look.known..];
                outcomes.iter().zip(&look.said(published).points)
            })
            .filter(|(outcome, _)| outcome.measured)
            .map(|(outcome, point)| (scale.back(outcome.z), scale.back(*point)))
            .collect()
    }

    /// Mean absolute error of repeating the last season; `None` without one.
    fn seasonal_naive_error(&self, history: &History, unit: &[f64]) -> Option<f64> {
        let mut pairs = Vec::new();
        for look in &self.looks {
            let period = history.period(look.known);
            if period == 1 {
                continue;
            }
            for step in 0..look.naive.points.len() {
                if history.places[look.known + step].measured {
                    let same = look.known - period + step % period;
                    pairs.push((unit[look.known + step], unit[same]));
                }
            }
        }
        mean_absolute_error(&pairs)
    }

    /// Shares of outcomes inside of the intervals that each look would have told: made of the errors
    /// of earlier looks whose outcome was known by then.
    fn coverage(&self, history: &History, published: Published) -> Option<(f64, f64)> {
        let mut known_errors = PastErrors::default();
        let mut waiting: Vec<(usize, usize, f64)> = Vec::new();
        let (mut inside80, mut inside95, mut all) = (0_usize, 0_usize, 0_usize);
        for look in &self.looks {
            waiting.retain(|&(at, step, error)| {
                let known = at < look.known;
                if known {
                    known_errors.add(step, error);
                }
                !known
            });
            let spreads = known_errors.spreads(&look.said(published).deviations);
            for (step, error) in look.errors(history, published) {
                let Some(spread) = spreads.get(step) else {
                    continue;
                };
                // A forecast that is right to the last digit lies inside of an interval of width 0.
                all += 1;
                inside80 += usize::from(error.abs() <= spread.half80);
                inside95 += usize::from(error.abs() <= spread.half95);
                waiting.push((look.known + step, step, error));
            }
        }
        let share = |inside: usize| count(inside) / count(all);
        (all > 0).then(|| (share(inside80), share(inside95)))
    }
}

impl Look {
    const fn said(&self, published: Published) -> &Said {
        match published {
            Published::Combination => &self.combination,
            Published::Naive => &self.naive,
        }
    }

    /// Step and error, on the scale of the series, where the outcome was measured.
    fn errors<'h>(
        &'h self,
        history: &'h History,
        published: Published,
    ) -> impl Iterator<Item = (usize, f64)> + 'h {
        let outcomes = &history.places[self.known..];
        outcomes
            .iter()
            .zip(&self.said(published).points)
            .enumerate()
            .filter(|(_, (outcome, _))| outcome.measured)
            .map(|(step, (outcome, point))| (step, outcome.z - point))
    }
}

/// From where in a series to look, oldest first: back to where the farthest step has 24 looks, if
/// there are so many.
fn origins(length: usize, horizon: usize) -> impl Iterator<Item = usize> {
    // A look that knows less than a third of the history says little of what is said with all of it.
    let room = length.saturating_sub(horizon + length / 3) / LOOKS_OF_FARTHEST;
    let stride = horizon.div_ceil(STEPS_PER_STRIDE).min(room).max(1);
    let back = horizon + (LOOKS_OF_FARTHEST - 1) * stride;
    let first = length.saturating_sub(back).max(LEAST_PAST);
    // The last origin is the last but one value.
    let offset = length.saturating_sub(first + 1) % stride;
    (first + offset..length).step_by(stride)
}
