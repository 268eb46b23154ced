//! Rolling-origin evaluation: forecasts from past origins, compared with the outcomes.

use super::accuracy::{mean_absolute_error, seasonal_step, smape};
use super::combination::Combination;
use super::count;
use super::history::History;
use super::methods::naive_deviations;
use super::season::SeasonKind;
use super::spread::PastErrors;
use super::transform::Scale;

/// Shortest history before an origin.
const MIN_PAST: usize = 8;
/// Origins that reach the horizon, if the history is long enough.
const ORIGINS_AT_HORIZON: usize = 24;
/// For longer horizons only every second, third, … origin is used, since adjacent origins are redundant.
const STEPS_PER_STRIDE: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishedMethod {
    Combination,
    Naive,
}

#[derive(Debug, Clone, PartialEq)]
struct OriginForecast {
    known: usize,
    combination: MethodForecast,
    naive: MethodForecast,
}

/// On the scale of the series; deviations by normal theory.
#[derive(Debug, Clone, PartialEq)]
struct MethodForecast {
    points: Vec<f64>,
    deviations: Vec<f64>,
}

/// In the unit of the series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    pub origins: usize,
    /// Mean absolute error of the published method.
    pub mae: f64,
    /// sMAPE, 0 to 200.
    pub smape: f64,
    /// MAE divided by the mean seasonal step of the history; `None` if that is 0.
    pub mase: Option<f64>,
    pub combination_mase: Option<f64>,
    pub naive_mase: Option<f64>,
    /// `None` without a season.
    pub seasonal_naive_mase: Option<f64>,
    /// MAE of the combination divided by that of the last value; `None` if that is 0.
    pub ratio_to_naive: Option<f64>,
    /// Share of outcomes inside the 80 % intervals made at the origin.
    pub coverage80: f64,
    pub coverage95: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct BackTest {
    forecasts: Vec<OriginForecast>,
}

impl BackTest {
    pub fn of(history: &History, horizon: usize) -> Self {
        let series = history.values();
        let mut warm_start: Option<Combination> = None;
        let mut looks = Vec::new();
        for known in origins(series.len(), horizon) {
            let past = &series[..known];
            let steps = horizon.min(series.len() - known);
            let period = history.period(known);
            let Some(fit) =
                Combination::fit(past, period, SeasonKind::Additive, warm_start.as_ref())
            else {
                continue;
            };
            looks.push(OriginForecast {
                known,
                combination: MethodForecast {
                    points: fit.forecast(steps),
                    deviations: fit.deviations(steps),
                },
                naive: MethodForecast {
                    points: vec![past[known - 1]; steps],
                    deviations: naive_deviations(past, steps).unwrap_or_default(),
                },
            });
            warm_start = Some(fit);
        }
        Self { forecasts: looks }
    }

    /// The combination, unless the last value had a smaller error.
    pub fn published_method(&self, history: &History, scale: Scale) -> PublishedMethod {
        let error =
            |published| mean_absolute_error(&self.pairs(history, scale, published)).unwrap_or(0.0);
        if error(PublishedMethod::Combination) > error(PublishedMethod::Naive) {
            PublishedMethod::Naive
        } else {
            PublishedMethod::Combination
        }
    }

    pub fn errors(&self, history: &History, published: PublishedMethod) -> PastErrors {
        let mut errors = PastErrors::default();
        for look in &self.forecasts {
            for (step, error) in look.errors(history, published) {
                errors.add(step, error);
            }
        }
        errors
    }

    /// `None` without outcomes to compare with.
    pub fn scores(
        &self,
        history: &History,
        scale: Scale,
        published: PublishedMethod,
    ) -> Option<Scores> {
        let unit: Vec<f64> = history.points.iter().map(|it| scale.back(it.z)).collect();
        let period = history.period(unit.len());
        let step = seasonal_step(&unit, period);
        let scaled = |error: f64| step.map(|step| error / step);
        let error_of = |it| mean_absolute_error(&self.pairs(history, scale, it));
        let combination = error_of(PublishedMethod::Combination)?;
        let naive = error_of(PublishedMethod::Naive)?;
        let pairs = self.pairs(history, scale, published);
        let mae = mean_absolute_error(&pairs)?;
        let (coverage80, coverage95) = self.coverage(history, published)?;
        Some(Scores {
            origins: self.forecasts.len(),
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

    /// (Outcome, forecast) in the unit of the series, without filled gaps.
    fn pairs(
        &self,
        history: &History,
        scale: Scale,
        published: PublishedMethod,
    ) -> Vec<(f64, f64)> {
        self.forecasts
            .iter()
            .flat_map(|look| {
                let outcomes = &history.points[look.known..];
                outcomes.iter().zip(&look.forecast(published).points)
            })
            .filter(|(outcome, _)| outcome.measured)
            .map(|(outcome, point)| (scale.back(outcome.z), scale.back(*point)))
            .collect()
    }

    /// `None` without a season.
    fn seasonal_naive_error(&self, history: &History, unit: &[f64]) -> Option<f64> {
        let mut pairs = Vec::new();
        for look in &self.forecasts {
            let period = history.period(look.known);
            if period == 1 {
                continue;
            }
            for step in 0..look.naive.points.len() {
                if history.points[look.known + step].measured {
                    let same = look.known - period + step % period;
                    pairs.push((unit[look.known + step], unit[same]));
                }
            }
        }
        mean_absolute_error(&pairs)
    }

    /// Of the 80 % and 95 % intervals, each made of errors of earlier origins with outcomes known at its origin.
    fn coverage(&self, history: &History, published: PublishedMethod) -> Option<(f64, f64)> {
        let mut known_errors = PastErrors::default();
        let mut waiting: Vec<(usize, usize, f64)> = Vec::new();
        let (mut inside80, mut inside95, mut all) = (0_usize, 0_usize, 0_usize);
        for look in &self.forecasts {
            waiting.retain(|&(at, step, error)| {
                let known = at < look.known;
                if known {
                    known_errors.add(step, error);
                }
                !known
            });
            let spreads = known_errors.spreads(&look.forecast(published).deviations);
            for (step, error) in look.errors(history, published) {
                let Some(spread) = spreads.get(step) else {
                    continue;
                };
                // Inclusive: an exact forecast lies inside an interval of width 0.
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

impl OriginForecast {
    const fn forecast(&self, published: PublishedMethod) -> &MethodForecast {
        match published {
            PublishedMethod::Combination => &self.combination,
            PublishedMethod::Naive => &self.naive,
        }
    }

    /// On the scale of the series, without filled gaps.
    fn errors<'h>(
        &'h self,
        history: &'h History,
        published: PublishedMethod,
    ) -> impl Iterator<Item = (usize, f64)> + 'h {
        let outcomes = &history.points[self.known..];
        outcomes
            .iter()
            .zip(&self.forecast(published).points)
            .enumerate()
            .filter(|(_, (outcome, _))| outcome.measured)
            .map(|(step, (outcome, point))| (step, outcome.z - point))
    }
}

/// Oldest first; goes back until 24 origins reach the horizon, if possible.
fn origins(length: usize, horizon: usize) -> impl Iterator<Item = usize> {
    // Origins with less than a third of the history are not representative.
    let max_stride = length.saturating_sub(horizon + length / 3) / ORIGINS_AT_HORIZON;
    let stride = horizon.div_ceil(STEPS_PER_STRIDE).min(max_stride).max(1);
    let back = horizon + (ORIGINS_AT_HORIZON - 1) * stride;
    let first = length.saturating_sub(back).max(MIN_PAST);
    // The last origin is the last but one value.
    let offset = length.saturating_sub(first + 1) % stride;
    (first + offset..length).step_by(stride)
}
