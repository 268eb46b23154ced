//! Computes AI visibility figures for `tests/oracles/ai_visibility.py`: JSON lines in, JSON lines out.

use analysis::{
    ai_answers::{position_adjusted, vader_compound},
    findings::ai_visibility::{ScoreParts, ai_visibility_score},
    statistics::{
        benjamini_hochberg, bootstrap,
        newcombe::newcombe,
        panel_rate::{self, Count},
        wilson::{Interval, wilson},
    },
};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Question {
    Wilson(u64, u64),
    Newcombe((u64, u64), (u64, u64)),
    Bootstrap(Vec<f64>, String),
    FewClusters(Vec<f64>, String),
    BenjaminiHochberg(Vec<f64>),
    Rate(Vec<(u64, u64)>, String),
    Change(Vec<(u64, u64)>, Vec<(u64, u64)>, String),
    PositionAdjusted(Vec<(usize, Vec<usize>)>, usize),
    Vader(String),
    Score(f64, Option<f64>, Option<f64>, Option<f64>),
}

fn interval_json(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |it| json!([it.low, it.high]))
}

fn counts(pairs: Vec<(u64, u64)>) -> Vec<Count> {
    let pairs = pairs.into_iter();
    pairs.map(|(hits, trials)| Count { hits, trials }).collect()
}

fn answer(question: Question) -> Value {
    match question {
        Question::Wilson(k, n) => interval_json(wilson(k, n)),
        Question::Newcombe(one, other) => interval_json(newcombe(one, other)),
        Question::Bootstrap(values, key) => {
            interval_json(bootstrap::mean_of_clusters(&values, &key))
        }
        Question::FewClusters(values, key) => {
            interval_json(bootstrap::mean_of_few_clusters(&values, &key))
        }
        Question::BenjaminiHochberg(p) => json!(benjamini_hochberg::adjusted(&p)),
        Question::Rate(members, key) => panel_rate::rate(&counts(members), &key)
            .map_or(Value::Null, |it| {
                json!([it.rate, it.interval.low, it.interval.high])
            }),
        Question::Change(now, before, key) => {
            panel_rate::change(&counts(now), &counts(before), &key).map_or(Value::Null, |it| {
                json!([it.change, it.interval.low, it.interval.high, it.p])
            })
        }
        Question::PositionAdjusted(sentences, count) => json!(position_adjusted(&sentences, count)),
        Question::Vader(text) => json!(vader_compound(&text)),
        Question::Score(mention_rate, share, citations, recommendations) => {
            json!(ai_visibility_score(&ScoreParts {
                mention_rate,
                position_adjusted_share: share,
                citation_rate: citations,
                recommendation_rate: recommendations,
            }))
        }
    }
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}
