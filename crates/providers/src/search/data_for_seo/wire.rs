//! DataForSEO's wire format: an envelope with one task and one result.

use super::{items, overview};
use crate::{http_client::parse_json, resilience::CallFailure, search::result_page::ResultPage};
use serde::Deserialize;
use serde_json::{Map, Value};

const OK: u32 = 20_000;
const NOTHING_FOUND: u32 = 40_102;

#[derive(Debug, Deserialize)]
struct Envelope {
    status_code: u32,
    status_message: Option<String>,
    cost: Option<f64>,
    tasks: Option<Vec<Task>>,
}

#[derive(Debug, Deserialize)]
struct Task {
    status_code: u32,
    status_message: Option<String>,
    cost: Option<f64>,
    result: Option<Vec<Found>>,
}

#[derive(Debug, Deserialize)]
struct Found {
    se_results_count: Option<Value>,
    seed_keyword_data: Option<Value>,
    items: Option<Vec<Item>>,
}

/// A SERP element; the fields that are set depend on its type.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Item(pub Map<String, Value>);

#[derive(Debug, Default)]
pub(crate) struct Elements {
    /// From top to bottom.
    pub items: Vec<Item>,
    pub seed: Option<Value>,
    pub total: Option<u64>,
    /// Cost of the call, in millionths of a US dollar.
    pub cost: Option<u64>,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Found(Elements),
    /// Internal status code of an error.
    Failed {
        code: u32,
        message: String,
        /// Cost of the failed call, in millionths of a US dollar.
        cost: Option<u64>,
    },
}

/// The envelope and its task each have a status.
pub(super) fn parse(body: &[u8]) -> Result<Outcome, CallFailure> {
    let envelope: Envelope = parse_json(body)?;
    let total_cost = micro_usd(envelope.cost);
    let task = envelope.tasks.and_then(|it| it.into_iter().next());
    if envelope.status_code != OK {
        return Ok(Outcome::Failed {
            code: envelope.status_code,
            message: envelope.status_message.unwrap_or_default(),
            cost: total_cost,
        });
    }
    let task = task.ok_or_else(|| CallFailure::malformed("it holds no task"))?;
    let cost = micro_usd(task.cost).or(total_cost);
    match task.status_code {
        OK => {
            let found = task.result.and_then(|it| it.into_iter().next());
            let found = found.ok_or_else(|| CallFailure::malformed("it holds no results"))?;
            Ok(Outcome::Found(Elements {
                total: found.se_results_count.as_ref().and_then(Value::as_u64),
                items: found.items.unwrap_or_default(),
                seed: found.seed_keyword_data,
                cost,
            }))
        }
        NOTHING_FOUND => Ok(Outcome::Found(Elements {
            items: Vec::new(),
            seed: None,
            total: Some(0),
            cost,
        })),
        code => Ok(Outcome::Failed {
            code,
            message: task.status_message.unwrap_or_default(),
            cost,
        }),
    }
}

pub(super) fn message(body: &[u8]) -> String {
    serde_json::from_slice::<Envelope>(body)
        .ok()
        .and_then(|it| it.status_message)
        .unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between nothing and a thousand dollars"
)]
fn micro_usd(dollars: Option<f64>) -> Option<u64> {
    dollars
        .filter(|it| (0.0..=1_000.0).contains(it))
        .map(|it| (it * 1_000_000.0).round() as u64)
}

impl Elements {
    pub(super) fn into_page(self) -> Result<ResultPage, CallFailure> {
        let page = items::to_result_page(&self.items)?;
        Ok(ResultPage {
            // An empty page means no results only if the engine's total is 0 too.
            total: self.total,
            overview: overview::parse(&self.items),
            cost: self.cost,
            ..page
        })
    }
}

impl Item {
    pub(crate) fn kind(&self) -> &str {
        self.text("type").unwrap_or_default()
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(crate) fn owned(&self, name: &str) -> Option<String> {
        let text = self.text(name).filter(|it| !it.is_empty());
        text.map(str::to_owned)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        let number = self.0.get(name).and_then(Value::as_u64)?;
        u32::try_from(number).ok()
    }

    pub(crate) fn list(&self, name: &str) -> &[Value] {
        let list = self.0.get(name).and_then(Value::as_array);
        list.map_or(&[], Vec::as_slice)
    }
}
