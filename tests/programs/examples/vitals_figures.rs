//! Computes vitals figures for `tests/oracles/lighthouse_scores.mjs`, which compares them with Lighthouse: JSON lines
//! in, JSON lines out.

use analysis::{
    findings::vitals::{
        blocking_time::{Activity, Span, time_to_interactive, total_blocking_time},
        layout_shift::{Shift, cumulative_layout_shift},
        lighthouse_score::{ControlPoints, metric_scores, performance_score},
        speed_index::{Frame, count_colors, speed_index},
        thresholds_of,
    },
    observation::vitals::{FormFactor, LabMetrics, VitalsMetric},
};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Case {
    Score {
        metric: String,
        form_factor: FormFactor,
        value: f64,
    },
    Whole {
        form_factor: FormFactor,
        metrics: LabMetrics,
    },
    Shift {
        shifts: Vec<(f64, f64)>,
    },
    Blocking {
        fcp: f64,
        dom_content_loaded: f64,
        end: f64,
        tasks: Vec<(f64, f64)>,
        requests: Vec<(f64, f64)>,
    },
    SpeedIndex {
        frames: Vec<(f64, Vec<u8>)>,
    },
    Rating {
        metric: VitalsMetric,
        value: f64,
    },
}

fn spans(pairs: &[(f64, f64)]) -> Vec<Span> {
    pairs.iter().map(|&(from, to)| Span { from, to }).collect()
}

fn figure(case: Case) -> Value {
    match case {
        Case::Score {
            metric,
            form_factor,
            value,
        } => {
            let curve = match metric.as_str() {
                "fcp" => ControlPoints::fcp(form_factor),
                "lcp" => ControlPoints::lcp(form_factor),
                "tbt" => ControlPoints::tbt(form_factor),
                "si" => ControlPoints::si(form_factor),
                "inp" => ControlPoints::inp(),
                "tti" => ControlPoints::tti(form_factor),
                _ => ControlPoints::cls(),
            };
            json!(curve.score(value))
        }
        Case::Whole {
            form_factor,
            metrics,
        } => {
            json!(performance_score(&metric_scores(&metrics, form_factor)))
        }
        Case::Shift { shifts } => {
            let shifts: Vec<Shift> = shifts
                .iter()
                .map(|&(at, score)| Shift { at, score })
                .collect();
            json!(cumulative_layout_shift(&shifts))
        }
        Case::Blocking {
            fcp,
            dom_content_loaded,
            end,
            tasks,
            requests,
        } => {
            let (tasks, requests) = (spans(&tasks), spans(&requests));
            let load = Activity {
                fcp,
                dom_content_loaded,
                end,
                tasks: &tasks,
                requests: &requests,
            };
            let tti = time_to_interactive(&load);
            json!([tti, tti.map(|it| total_blocking_time(&tasks, fcp, it))])
        }
        Case::SpeedIndex { frames } => {
            let frames: Vec<Frame> = frames
                .iter()
                .map(|(at, pixels)| Frame {
                    at: *at,
                    colors: count_colors(pixels),
                })
                .collect();
            json!(speed_index(&frames))
        }
        Case::Rating { metric, value } => json!(thresholds_of(metric, FormFactor::All).rate(value)),
    }
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(figure(it)))
}
