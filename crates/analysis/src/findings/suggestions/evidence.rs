//! Evidence of a suggestion: references to figures of other records.

use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A figure of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The type of the record.
    pub result_type: EvidenceSource,
    /// Which record of that type.
    pub record_ref: RecordRef,
    /// What was looked at.
    pub metric: String,
    /// Where it is in the record: a JSON pointer (RFC 6901).
    pub pointer: String,
    /// The value there; null where the record has null, for example for a position that was not found.
    pub observed: Option<Figure>,
    /// What it was compared with; null where its presence suffices.
    pub threshold: Option<Figure>,
}

/// A record, in terms of the results API: its type with `keywordId` and `url` as parameters, and
/// fields that distinguish it from others which these find.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub struct RecordRef {
    /// The keyword; null for records of pages and sites.
    pub keyword_id: Option<i64>,
    /// The page; null for records that are about none.
    pub url: Option<String>,
    /// Other text fields of the record.
    pub with: BTreeMap<String, String>,
    /// When it was measured; for imported rows, when their last day was over.
    pub measured_at: Option<DateTime<Utc>>,
}

/// Where evidence is from.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(untagged)]
pub enum EvidenceSource {
    /// A record of ours.
    Result(ResultType),
    /// A row that the owner imported.
    Imported(ImportedSource),
}

/// What owners import.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum ImportedSource {
    /// A row of Search Console ([`super::ConsoleRow`]): `sightline search-console rows` lists them.
    SearchConsole,
}

/// A value in its natural form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Figure {
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(#[serde(serialize_with = "rounded::fraction")] f64),
    /// Text, a date among others.
    Text(String),
}

impl From<bool> for Figure {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for Figure {
    fn from(value: u32) -> Self {
        Self::Number(f64::from(value))
    }
}

impl From<&str> for Figure {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<chrono::NaiveDate> for Figure {
    fn from(value: chrono::NaiveDate) -> Self {
        Self::Text(value.to_string())
    }
}

impl RecordRef {
    pub fn of(envelope: &Envelope) -> Self {
        Self {
            keyword_id: envelope.keyword_id,
            url: envelope.url.clone(),
            with: BTreeMap::new(),
            measured_at: Some(envelope.measured_at),
        }
    }

    #[must_use]
    pub fn with(mut self, field: &str, value: &str) -> Self {
        self.with.insert(field.to_owned(), value.to_owned());
        self
    }

    /// Identifies the record across measurements.
    #[must_use]
    pub(super) fn without_time(&self) -> Self {
        Self {
            measured_at: None,
            ..self.clone()
        }
    }
}

impl Evidence {
    pub fn of(
        result_type: ResultType,
        record_ref: RecordRef,
        metric: &str,
        pointer: impl Into<String>,
    ) -> Self {
        Self {
            result_type: EvidenceSource::Result(result_type),
            record_ref,
            metric: metric.to_owned(),
            pointer: pointer.into(),
            observed: None,
            threshold: None,
        }
    }

    #[must_use]
    pub fn observed(mut self, value: impl Into<Figure>) -> Self {
        self.observed = Some(value.into());
        self
    }

    #[must_use]
    pub fn threshold(mut self, value: impl Into<Figure>) -> Self {
        self.threshold = Some(value.into());
        self
    }
}

/// Whether this published record is the referenced one and has the observed value.
pub fn resolves(evidence: &Evidence, record: &Value) -> bool {
    let found = &evidence.record_ref;
    let matches = |field: &str, wanted: &Value| record.get(field) == Some(wanted);
    let source = serde_json::to_value(evidence.result_type).unwrap_or_default();
    let at = |record: &Value| {
        let text = record.get("measuredAt")?.as_str()?.to_owned();
        text.parse::<DateTime<Utc>>().ok()
    };
    matches("type", &source)
        && found
            .keyword_id
            .is_none_or(|it| matches("keywordId", &it.into()))
        && found
            .url
            .as_deref()
            .is_none_or(|it| matches("url", &it.into()))
        && found.with.iter().all(|(name, value)| {
            let value = Value::from(value.as_str());
            matches(name, &value)
        })
        && found.measured_at.is_none_or(|it| at(record) == Some(it))
        && record
            .pointer(&evidence.pointer)
            .is_some_and(|it| matches_value(evidence.observed.as_ref(), it))
}

/// Numbers are published with six digits.
fn matches_value(observed: Option<&Figure>, value: &Value) -> bool {
    match observed {
        None => value.is_null(),
        Some(Figure::Flag(flag)) => value.as_bool() == Some(*flag),
        Some(Figure::Text(text)) => value.as_str() == Some(text),
        Some(Figure::Number(number)) => value
            .as_f64()
            .is_some_and(|it| (it - number).abs() <= 1e-5 * number.abs().max(it.abs())),
    }
}
