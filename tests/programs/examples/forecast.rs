//! Computes forecasts for `tests/oracles/forecast.py`, which compares them with `statsforecast`, `statsmodels` and
//! `ruptures`: JSON lines in, JSON lines out.

use analysis::forecast::{
    change_points,
    history::{Frequency, History, Observation, ObservedValue, SeasonalPeriod},
    methods::{
        Damped, Ses, Theta, ThetaKind, naive, naive_deviations, random_walk_with_drift,
        seasonal_naive,
    },
    project::{Method, Projection, project},
    season::{Season, SeasonKind, is_seasonal},
    transform::Scale,
};
use chrono::{Days, NaiveDate};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    op: String,
    values: Vec<Option<f64>>,
    #[serde(default)]
    horizon: usize,
    #[serde(default)]
    period: usize,
    #[serde(default)]
    from: usize,
    #[serde(default)]
    scale: Option<String>,
    #[serde(default)]
    penalty: f64,
    #[serde(default)]
    times: u32,
}

impl Question {
    fn scale(&self) -> Scale {
        match self.scale.as_deref() {
            Some("position") => Scale::Position { depth: 100 },
            Some("share") => Scale::Share { trials: 30 },
            Some("count") => Scale::Count,
            _ => Scale::Unbounded,
        }
    }

    fn known(&self) -> Vec<f64> {
        self.values.iter().flatten().copied().collect()
    }

    fn history(&self) -> Option<History> {
        let first = NaiveDate::from_ymd_opt(2026, 1, 1)?;
        let observations: Vec<Observation> = (0..)
            .zip(&self.values)
            .map(|(day, value)| Observation {
                date: first + Days::new(day),
                value: value.map_or(ObservedValue::Missing, ObservedValue::Value),
            })
            .collect();
        let mut history = History::of(&observations, Frequency::Daily, self.scale())?;
        history.seasonal_period = SeasonalPeriod {
            period: self.period,
            min_points: self.from,
        };
        Some(history)
    }

    fn theta(&self, kind: ThetaKind) -> Option<Value> {
        let values = self.known();
        let season = Season::find(&values, self.period, SeasonKind::Multiplicative);
        let plain = season
            .as_ref()
            .map_or_else(|| values.clone(), |it| it.adjust(&values));
        let theta = Theta::fit(&plain, kind)?;
        let mut points = theta.forecast(self.horizon);
        if let Some(season) = &season {
            season.restore(&mut points, values.len());
        }
        Some(json!({"points": points, "alpha": theta.alpha, "error": theta.squared_errors}))
    }

    fn damped(&self) -> Option<Value> {
        let damped = Damped::fit(&self.known(), None)?;
        Some(json!({
            "points": damped.forecast(self.horizon),
            "deviations": damped.deviations(self.horizon),
            "alpha": damped.alpha, "beta": damped.beta, "phi": damped.phi,
            "error": damped.squared_errors,
        }))
    }

    fn ses(&self) -> Option<Value> {
        let ses = Ses::fit(&self.known())?;
        Some(json!({"points": vec![ses.level; self.horizon], "alpha": ses.alpha}))
    }

    fn season(&self) -> Value {
        let values = self.known();
        let season = Season::decompose(&values, self.period, SeasonKind::Additive);
        json!({
            "seasonal": is_seasonal(&values, self.period),
            "strength": season.as_ref().map(|it| it.strength),
            "rest": season.map(|it| it.adjust(&values)),
        })
    }

    /// CPU seconds of a fit with its forecast, and of a projection with its back-test.
    ///
    /// Linux counts in ticks of some milliseconds, so fits are repeated ten times as often.
    fn speed(&self) -> Option<Value> {
        let history = self.history()?;
        let values = history.values();
        let begun = processor_seconds()?;
        for _ in 0..10 * self.times {
            let fit = analysis::forecast::combination::Combination::fit(
                std::hint::black_box(&values),
                self.period,
                SeasonKind::Additive,
                None,
            )?;
            std::hint::black_box(fit.forecast(self.horizon));
        }
        let fit = processor_seconds()? - begun;
        let begun = processor_seconds()?;
        for _ in 0..self.times {
            std::hint::black_box(project(history.clone(), self.scale(), self.horizon).is_ok());
        }
        let whole = processor_seconds()? - begun;
        let times = f64::from(self.times);
        Some(json!({"fit": fit / times / 10.0, "whole": whole / times}))
    }

    fn answer(&self) -> Option<Value> {
        let horizon = self.horizon;
        Some(match self.op.as_str() {
            "naive" => json!({
                "points": naive(&self.known(), horizon)?,
                "deviations": naive_deviations(&self.known(), horizon)?,
            }),
            "seasonalNaive" => {
                json!({"points": seasonal_naive(&self.known(), self.period, horizon)?})
            }
            "drift" => json!({"points": random_walk_with_drift(&self.known(), horizon)?}),
            "ses" => self.ses()?,
            "theta" => self.theta(ThetaKind::Standard)?,
            "optimisedTheta" => self.theta(ThetaKind::Optimized)?,
            "dynamicTheta" => self.theta(ThetaKind::Dynamic)?,
            "dynamicOptimisedTheta" => self.theta(ThetaKind::DynamicOptimized)?,
            "damped" => self.damped()?,
            "season" => self.season(),
            "levels" => json!(change_points::levels(&self.known(), self.penalty)),
            "changes" => json!(change_points::change_points(&self.known())),
            "speed" => self.speed()?,
            _ => match project(self.history()?, self.scale(), horizon) {
                Ok(projection) => projection_json(&projection),
                Err(refusal) => json!({"refusal": format!("{refusal:?}")}),
            },
        })
    }
}

/// CPU time of this process.
fn processor_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

fn projection_json(projection: &Projection) -> Value {
    let each = |part: fn(&analysis::forecast::project::Point) -> f64| -> Vec<f64> {
        projection.points.iter().map(part).collect()
    };
    json!({
        "method": match projection.method {
            Method::Combination => "combination",
            Method::Naive => "naive",
            Method::Constant => "constant",
        },
        "median": each(|it| it.median), "mean": each(|it| it.mean),
        "lo80": each(|it| it.within80.0), "hi80": each(|it| it.within80.1),
        "lo95": each(|it| it.within95.0), "hi95": each(|it| it.within95.1),
        "changes": projection.changes.len(), "n": projection.used.points.len(),
        "conformalSteps": projection.conformal_steps,
        "scores": projection.scores.map(|it| json!({
            "mase": it.mase, "naiveMase": it.naive_mase, "origins": it.origins, "mae": it.mae,
            "coverage80": it.coverage80, "coverage95": it.coverage95,
        })),
    })
}

fn main() -> Result<(), Failure> {
    answer_lines(|it: Question| Ok(it.answer().unwrap_or(Value::Null)))
}
