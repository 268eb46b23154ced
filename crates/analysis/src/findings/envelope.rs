//! What every record says about itself.

use crate::{
    provenance::{Provenance, RecordStatus},
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The fields that every record of every result type has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The kind of finding.
    #[serde(rename = "type")]
    pub result_type: ResultType,
    /// The project.
    pub project_id: i64,
    /// The keyword; null for records about the site or a page.
    pub keyword_id: Option<i64>,
    /// The page, normalised, for records about a page.
    pub url: Option<String>,
    /// When it was measured.
    pub measured_at: DateTime<Utc>,
    /// Whether the record can be relied on.
    pub status: RecordStatus,
    /// Where the figures come from.
    pub provenance: Provenance,
    /// The method: type and number. Figures of different methods are never compared silently.
    pub method_version: String,
    /// Observations behind the record.
    pub sample_size: u32,
    /// Codes of what is missing or doubtful.
    pub warnings: Vec<String>,
}
