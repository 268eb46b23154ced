use super::{METHOD_VERSION, SovRecord, SovScope};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use crate::findings::rankings::Weighting;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The shares of the whole project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SovSummary {
    /// The definition it follows.
    pub method_version: String,
    /// How many keywords have a page of the last seven days.
    pub coverage: Coverage,
    /// What weighs the keywords.
    pub weighting: Weighting,
    /// Share among all domains seen.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sov: Option<f64>,
    /// Share of all searches.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_search: Option<f64>,
    /// Share among own and tracked domains.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sov_tracked: Option<f64>,
    /// The own place among all domains.
    pub rank: Option<u32>,
    /// How many domains were seen.
    pub domain_count: u64,
    /// The change of `sov` since 7 days ago, over the keywords of both ends.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change7: Option<f64>,
    /// How many keywords `change7` compares.
    #[serde(default)]
    #[schema(required = true)]
    pub change7_keywords: Option<u64>,
    /// The change of `sov` since 30 days ago, over the keywords of both ends.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change30: Option<f64>,
    /// When the pages were fetched with which `change30` compares.
    #[serde(default)]
    #[schema(required = true)]
    pub change30_since: Option<DateTime<Utc>>,
    /// How many keywords `change30` compares.
    #[serde(default)]
    #[schema(required = true)]
    pub change30_keywords: Option<u64>,
    /// How many records there are.
    pub scopes: u64,
    /// The project's share of all namings of brands in the newest answers of AI engines, engines by
    /// weight: another universe than clicks, and no part of `sov`. Null while it is not measured.
    #[serde(default, serialize_with = "rounded::fraction_or_null")]
    pub ai_share_of_voice: Option<f64>,
}

crate::json!(SovSummary);

impl SovSummary {
    /// From all records of a project; `None` without the record of the whole project.
    pub fn of(records: &[SovRecord]) -> Option<Self> {
        let whole = records.iter().find(|it| it.scope == SovScope::Project)?;
        Some(Self {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage {
                requested: whole.keyword_count + whole.missing_keywords,
                measured: whole.keyword_count,
                failed: whole.missing_keywords,
                skipped: 0,
            },
            weighting: whole.weighting,
            sov: whole.sov,
            share_of_search: whole.share_of_search,
            sov_tracked: whole.sov_tracked,
            rank: whole.rank,
            domain_count: whole.domain_count,
            change7: whole.change7,
            change7_keywords: whole.change7_keywords,
            change30: whole.change30,
            change30_since: whole.change30_since,
            change30_keywords: whole.change30_keywords,
            scopes: records.len() as u64,
            ai_share_of_voice: None,
        })
    }
}
