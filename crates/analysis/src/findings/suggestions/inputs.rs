//! Inputs of suggestions besides records.

use super::evidence::{EvidenceSource, ImportedSource, RecordRef};
use crate::ToSchema;
use crate::ctr::ClickCurve;
use crate::findings::ai_visibility::{AiVisibilityRecord, PromptPanelKind};
use crate::findings::suggestions::record::SuggestionRecord;
use crate::provenance::Provenance;
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy)]
pub struct SuggestionContext<'a> {
    pub project_id: i64,
    pub at: DateTime<Utc>,
    /// `None`: the published curve.
    pub own_curve: Option<&'a ClickCurve>,
    pub previous: &'a [SuggestionRecord],
    /// Ids of suggestions that the owner ignores.
    pub ignored: &'a BTreeSet<String>,
    /// Values ([`SuggestionRecord::value`]) of open suggestions of the account's other projects.
    pub other_values: &'a [f64],
}

/// Search Console data of one page for one search, summed over a period, all countries and
/// all devices: a title is the same for all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleRow {
    /// Always `searchConsole`.
    #[serde(rename = "type")]
    pub source: ImportedSource,
    /// The tracked keyword of that text, if there is one.
    pub keyword_id: Option<i64>,
    /// What was searched for.
    pub keyword: String,
    /// The page.
    pub url: String,
    /// The first day.
    pub from: NaiveDate,
    /// The last day.
    pub to: NaiveDate,
    /// How often it was clicked.
    pub clicks: u64,
    /// How often it was shown.
    pub impressions: u64,
    /// Mean position of its topmost link, weighed by impressions.
    pub position: f64,
    /// When its last day was over; when it was imported, if that was before.
    pub measured_at: DateTime<Utc>,
}

impl ConsoleRow {
    /// Scales a count of the period to 30 days.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn per_month(&self, count: u64) -> f64 {
        let days = (self.to - self.from).num_days() + 1;
        count as f64 * 30.0 / days.max(1) as f64
    }

    pub fn record_ref(&self) -> RecordRef {
        RecordRef {
            keyword_id: self.keyword_id,
            url: Some(self.url.clone()),
            measured_at: Some(self.measured_at),
            ..RecordRef::default()
        }
        .with("keyword", &self.keyword)
    }

    pub(super) const SOURCE: EvidenceSource =
        EvidenceSource::Imported(ImportedSource::SearchConsole);
}

/// Imported clicks of a page on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayClicks {
    pub day: NaiveDate,
    pub clicks: u64,
}

/// What AI answers say for one keyword and engine: the part of an `ai-visibility` record that
/// suggestions read. Fields have the names that they have there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiAnswers {
    /// Always `ai-visibility`.
    #[serde(rename = "type")]
    pub result_type: crate::result_type::ResultType,
    /// The keyword that the prompts are about.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// Who answered.
    pub engine: String,
    /// When.
    pub measured_at: DateTime<Utc>,
    /// Where the answers come from.
    pub provenance: Provenance,
    /// Answers.
    pub answer_count: u64,
    /// Those that name the project.
    pub mention_count: u64,
    /// Competitors.
    pub competitors: Vec<AiCompetitor>,
    /// Kinds of pages that answers cite, over all sites.
    pub cited_page_types: Vec<AiCitedPageType>,
}

impl AiAnswers {
    /// `None` for records of branded prompts.
    pub fn of(record: &AiVisibilityRecord) -> Option<Self> {
        if record.panel == PromptPanelKind::Branded {
            return None;
        }
        Some(Self {
            result_type: record.envelope.result_type,
            keyword_id: record.envelope.keyword_id?,
            keyword: record.keyword.clone()?,
            engine: record.engine.clone(),
            measured_at: record.envelope.measured_at,
            provenance: record.envelope.provenance,
            answer_count: record.answer_count,
            mention_count: record.mention_count,
            competitors: { record.competitors.iter() }
                .map(|it| AiCompetitor {
                    name: it.name.clone(),
                    mention_count: it.mention_count,
                })
                .collect(),
            cited_page_types: { record.cited_page_types.iter() }
                .map(|it| AiCitedPageType {
                    page_type: it.page_type,
                    answer_count: it.answer_count,
                    example: it.example.clone(),
                })
                .collect(),
        })
    }
}

/// A competitor in AI answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiCompetitor {
    /// Its name.
    pub name: String,
    /// Answers that name it.
    pub mention_count: u64,
}

/// A kind of page in AI answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiCitedPageType {
    /// The kind.
    pub page_type: crate::page_kind::PageKind,
    /// Answers that cite such a page.
    pub answer_count: u64,
    /// One that was cited.
    pub example: Option<String>,
}
