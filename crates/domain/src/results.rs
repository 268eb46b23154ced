//! Stored results of a run, and queries for them.

use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::job::Job;
use crate::page::{Direction, PageCursor, PageRequest, SortValue};
use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use chrono::{DateTime, NaiveDate, Utc};

pub use analysis::findings::cannibalization::{OwnPlace, OwnSnapshot};
pub use analysis::findings::envelope::Coverage;
pub use analysis::findings::rankings::{BestPosition, RankPoint, RankState};
pub use analysis::findings::serp::PreviousSerp;

/// First ordinal of records carried over from the previous run because the run did not measure their
/// keywords. They belong to the newest results, but only to the history of the run that measured them.
pub const CARRIED_OVER_ORDINAL: i64 = 1 << 60;

analysis::wire_enum! {
    /// Data that a run leaves for the next one, by the name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum CarriedKind {
        /// How prominent domains are on the project's search pages.
        Prominence = "serp",
        /// Pages of earlier days, for shares of voice.
        PageHistory = "rankings",
        CompetitorHistory = "competitors",
        ProjectSeries = "forecast",
        LinkHistory = "broken-links",
        /// Competitors that were chosen automatically.
        ChosenCompetitors = "ai-visibility",
        /// The latest records of web vitals.
        Vitals = "vitals",
        /// Figures of web vitals of earlier days.
        VitalsHistory = "vitals-history",
    }
}

/// A staged record: invisible until its job succeeds.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedFinding {
    pub result_type: ResultType,
    /// Position in the default order; unique within job and type, so that a repeated step replaces
    /// what it wrote before.
    pub ordinal: i64,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// Value of the type's own sort order (for rankings the position); records without one sort last.
    pub sort_value: Option<f64>,
    pub measured_at: DateTime<Utc>,
    pub record: Document,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub job: JobId,
    pub ordinal: i64,
    pub sort_value: Option<f64>,
    pub measured_at: DateTime<Utc>,
    pub record: Document,
}

/// Header of a project's newest results of one type.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultHead {
    pub account: AccountId,
    pub project: ProjectId,
    pub result_type: ResultType,
    pub job: JobId,
    pub generated_at: DateTime<Utc>,
    /// When the last of the records was measured.
    pub measured_at: DateTime<Utc>,
    pub method_version: String,
    /// Neutral label of the data supplier.
    pub provider: String,
    pub provenance: Provenance,
    pub coverage: Coverage,
    pub item_count: u64,
    pub summary: Document,
    /// Warnings, as machine-readable codes.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSort {
    /// The type's default order.
    Ordinal,
    /// The type's own value (for rankings the position), missing last.
    Value,
    /// Time of measurement; the order of histories.
    MeasuredAt,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FindingQuery {
    pub result_type: ResultType,
    /// This run only; `None` reads the history of all runs.
    pub job: Option<JobId>,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// Only records with this ordinal in each run.
    pub ordinal: Option<i64>,
    /// Measured at or after.
    pub from: Option<DateTime<Utc>>,
    /// Measured before.
    pub to: Option<DateTime<Utc>>,
    pub page: PageRequest<FindingSort>,
}

impl FindingQuery {
    /// Up to `limit` records of a run in ordinal order, after an ordinal.
    pub fn by_ordinal(
        result_type: ResultType,
        job: JobId,
        behind: Option<i64>,
        limit: u32,
    ) -> Self {
        Self {
            result_type,
            job: Some(job),
            keyword: None,
            url: None,
            ordinal: None,
            from: None,
            to: None,
            page: PageRequest {
                sort: FindingSort::Ordinal,
                direction: Direction::Ascending,
                after: behind.map(|ordinal| PageCursor {
                    value: SortValue::Number(ordinal),
                    id: ordinal,
                }),
                limit,
                counted: false,
                bytes: None,
            },
        }
    }
}

/// Source of a measurement. Different sources are different series and are never joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSource {
    /// The engine, for example `google`.
    pub engine: String,
    pub provenance: Provenance,
}

impl SearchSource {
    /// Whether Search Console has data on its pages: Google, and simulated sources, which represent it.
    pub fn is_google(&self) -> bool {
        self.engine == "google" || self.provenance.is_simulated()
    }
}

/// Reference point for the history of keywords.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf {
    pub day: NaiveDate,
    /// The running job; its own points are excluded.
    pub job: JobId,
    /// Only points of this source belong to the series.
    pub source: SearchSource,
}

impl AsOf {
    pub fn of(job: &Job, source: SearchSource) -> Self {
        Self {
            day: job.day,
            job: job.id,
            source,
        }
    }
}

/// One measurement of a keyword: an append-only fact. A job measures a keyword once.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordMeasurement {
    pub keyword: KeywordId,
    pub job: JobId,
    pub day: NaiveDate,
    pub source: SearchSource,
    pub point: RankPoint,
    /// All own results on the page.
    pub own: Vec<OwnPlace>,
    /// The best position up to this point.
    pub best: Option<BestPosition>,
    /// The worst position up to this point.
    pub worst: Option<u32>,
    /// For comparison with the next snapshot; `None` after a failed measurement.
    pub serp: Option<PreviousSerp>,
}

/// A keyword's past, for computing its next record.
#[derive(Debug, Clone, Default)]
pub struct KeywordHistory {
    /// Points of the last 37 days, newest first, plus the newest measured one before them if that window has none.
    pub points: Vec<RankPoint>,
    /// Best position ever, as carried by the newest point.
    pub best: Option<BestPosition>,
    /// Worst position ever, as carried by the newest point.
    pub worst: Option<u32>,
    pub serp: Option<PreviousSerp>,
    pub month_ago: Option<PreviousSerp>,
}

/// A keyword's rank on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankHistoryPoint {
    pub day: NaiveDate,
    pub measured_at: DateTime<Utc>,
    pub state: RankState,
    pub position: Option<u32>,
    /// Number of organic results checked.
    pub depth_checked: u32,
}

/// Omits what the history does not store: the absolute position and the page.
impl From<&RankHistoryPoint> for RankPoint {
    fn from(point: &RankHistoryPoint) -> Self {
        Self {
            measured_at: point.measured_at,
            state: point.state,
            position: point.position,
            absolute_position: None,
            depth_checked: point.depth_checked,
            url: None,
        }
    }
}

/// A durable step of a longer job: a crash costs only what is not in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Position in recording order; unique within the job.
    pub sequence: i64,
    /// In the writer's own format.
    pub body: Vec<u8>,
}
