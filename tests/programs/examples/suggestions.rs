//! Computes suggestions and their statistics for `tests/oracles/suggestions.py`: JSON lines in, JSON lines out. `do`
//! selects the operation.

use analysis::{
    findings::{
        rankings::RankingRecord,
        suggestions::{
            ConsoleRow, EffectSeries, Observation, Searches, SuggestionContext, SuggestionRecord,
        },
    },
    statistics::{mann_kendall::mann_kendall, welch::difference_of_means},
};
use chrono::{DateTime, Utc};
use programs::{Failure, answer_lines};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Question {
    MannKendall {
        values: Vec<f64>,
    },
    Welch {
        first: Vec<f64>,
        second: Vec<f64>,
    },
    /// The suggestions of a project from its rankings and imported rows.
    Project {
        at: DateTime<Utc>,
        rankings: Vec<RankingRecord>,
        rows: Vec<ConsoleRow>,
        other_values: Vec<f64>,
    },
    Effect {
        suggestion: Box<SuggestionRecord>,
        series: Vec<(DateTime<Utc>, f64)>,
        now: DateTime<Utc>,
    },
}

fn main() -> Result<(), Failure> {
    answer_lines(|it| Ok(answer(it)))
}

fn answer(question: Question) -> Value {
    match question {
        Question::MannKendall { values } => mann_kendall(&values).map_or(
            Value::Null,
            |it| json!({"score": it.score, "z": it.z, "p": it.p}),
        ),
        Question::Welch { first, second } => {
            difference_of_means(&first, &second).map_or(Value::Null, |it| json!([it.low, it.high]))
        }
        Question::Project {
            at,
            rankings,
            rows,
            other_values,
        } => {
            let ignored = BTreeSet::new();
            let mut searches = Searches::new(SuggestionContext {
                project_id: 1,
                at,
                own_curve: None,
                previous: &[],
                ignored: &ignored,
                other_values: &other_values,
            });
            for it in &rankings {
                searches.add_ranking(it);
            }
            for it in &rows {
                searches.add_console_row(it);
            }
            json!(searches.finish().suggestions())
        }
        Question::Effect {
            suggestion,
            series,
            now,
        } => {
            let series: Vec<Observation> = { series.into_iter() }
                .map(|(at, value)| Observation { at, value })
                .collect();
            json!(suggestion.effect(&EffectSeries::Values(&series), now))
        }
    }
}
