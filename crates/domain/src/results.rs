//! What is kept of a run, and how it is asked for.

use crate::ids::{AccountId, JobId, KeywordId, ProjectId};
use crate::job::Job;
use crate::page::{Direction, PageRequest, Position, SortValue};
use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use chrono::{DateTime, NaiveDate, Utc};

pub use analysis::findings::cannibalization::{OwnPlace, OwnSnapshot};
pub use analysis::findings::envelope::Coverage;
pub use analysis::findings::rankings::{Mark, RankPoint, RankState};
pub use analysis::findings::serp::PreviousSerp;

/// The first ordinal of records that a run takes over from the one before it, because it did not
/// measure their keywords. They are part of the newest results, and of no history but the one
/// of the run that measured them.
pub const CARRIED: i64 = 1 << 60;

/// A record on its way: invisible until its job ends well.
#[derive(Debug, Clone, PartialEq)]
pub struct StagedFinding {
    pub result_type: ResultType,
    /// Its place in the default order; unique within the job and type, so that a step that is
    /// done again replaces what it wrote before.
    pub ordinal: i64,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// The value of the type's own sort order (for rankings the position); missing sorts last.
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

/// The head of a project's newest results of one type.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultHead {
    pub account: AccountId,
    pub project: ProjectId,
    pub result_type: ResultType,
    pub job: JobId,
    pub generated_at: DateTime<Utc>,
    /// When the last of them was measured.
    pub measured_at: DateTime<Utc>,
    pub method_version: String,
    /// A neutral label of who supplied the data.
    pub provider: String,
    pub provenance: Provenance,
    pub coverage: Coverage,
    pub item_count: u64,
    pub summary: Document,
    /// Warnings, as machine codes.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSort {
    /// The type's default order.
    Ordinal,
    /// The type's own value (for rankings the position), missing last.
    Value,
    /// The time of measurement; the order of histories.
    MeasuredAt,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FindingQuery {
    pub result_type: ResultType,
    /// From this run alone; `None` reads all runs: the history.
    pub job: Option<JobId>,
    pub keyword: Option<KeywordId>,
    pub url: Option<String>,
    /// In this place of each run alone.
    pub ordinal: Option<i64>,
    /// Measured at or after.
    pub from: Option<DateTime<Utc>>,
    /// Measured before.
    pub to: Option<DateTime<Utc>>,
    pub page: PageRequest<FindingSort>,
}

impl FindingQuery {
    /// Up to `limit` records of a run in their own order, behind an ordinal.
    pub fn in_order(result_type: ResultType, job: JobId, behind: Option<i64>, limit: u32) -> Self {
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
                after: behind.map(|ordinal| Position {
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

/// What was asked, and whether it was real: measurements of different sources are different
/// series, and are never joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSource {
    /// The engine, for example `google`.
    pub engine: String,
    pub provenance: Provenance,
}

impl SearchSource {
    /// Whether Search Console tells about its pages: Google's, and simulated ones stand for them.
    pub fn is_google(&self) -> bool {
        self.engine == "google" || self.provenance.is_simulated()
    }
}

/// As of when the past of keywords is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsOf {
    pub day: NaiveDate,
    /// The run that measures: its own points are no past.
    pub job: JobId,
    /// Who is asked: only its points are the same series.
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
    /// All own places on the page.
    pub own: Vec<OwnPlace>,
    /// The best position up to this point.
    pub best: Option<Mark>,
    /// The worst position up to this point.
    pub worst: Option<u32>,
    /// What the next snapshot is compared with; `None` after a failed measurement.
    pub serp: Option<PreviousSerp>,
}

/// What is known of a keyword from before, for computing its next record.
#[derive(Debug, Clone, Default)]
pub struct KeywordHistory {
    /// Points of the last 37 days, newest first, plus the newest measured one before them when
    /// there is none in that time.
    pub points: Vec<RankPoint>,
    /// The best position ever, as the newest point carries it.
    pub best: Option<Mark>,
    /// The worst position ever, as the newest point carries it.
    pub worst: Option<u32>,
    pub serp: Option<PreviousSerp>,
    pub month_ago: Option<PreviousSerp>,
}

/// Where a keyword stood on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoursePoint {
    pub day: NaiveDate,
    pub measured_at: DateTime<Utc>,
    pub state: RankState,
    pub position: Option<u32>,
    /// How many organic results were seen.
    pub depth_checked: u32,
}

/// Without what a course does not keep: the place among all blocks, and the page.
impl From<&CoursePoint> for RankPoint {
    fn from(point: &CoursePoint) -> Self {
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

/// A part of a longer piece of work that is safe: a crash costs only what is not in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its place in the order of recording; unique within the job.
    pub sequence: i64,
    /// What was recorded, in the writer's own form.
    pub body: Vec<u8>,
}
