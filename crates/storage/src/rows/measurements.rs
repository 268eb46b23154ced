use super::{count, counted, from_json, json, known, records::Record, stored::row};
use crate::instant::At;
use crate::schema::{journal_entries, latest_serps, rank_history, staged_findings};
use crate::sql::DatabaseKind;
use analysis::document::Document;
use analysis::findings::rankings::{BestPosition, RankPoint, RankState};
use analysis::result_type::ResultType;
use chrono::NaiveDate;
use diesel::prelude::*;
use domain::ids::{AccountId, JobId, KeywordId, ProjectId};
use domain::ports::storage::StorageError;
use domain::results::{
    JournalEntry, KeywordMeasurement, OwnSnapshot, PreviousSerp, RankHistoryPoint, StagedFinding,
};
use sha2::{Digest, Sha256};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = rank_history, treat_none_as_default_value = false)]
pub struct PointRow {
    pub account_id: i64,
    pub project_id: i64,
    pub keyword_id: i64,
    pub day: NaiveDate,
    pub job_id: i64,
    pub engine: String,
    pub provenance: String,
    pub measured_at: At,
    pub state: String,
    pub position: Option<i64>,
    pub absolute_position: Option<i64>,
    pub depth_checked: i64,
    pub url: Option<String>,
    pub own_places: Option<String>,
    pub best_position: Option<i64>,
    pub best_at: Option<At>,
    pub worst_position: Option<i64>,
}

#[derive(Insertable)]
#[diesel(table_name = latest_serps, treat_none_as_default_value = false)]
pub struct SerpRow {
    pub account_id: i64,
    pub project_id: i64,
    pub keyword_id: i64,
    pub job_id: i64,
    pub measured_at: At,
    pub serp: String,
    pub engine: Option<String>,
    pub provenance: Option<String>,
}

/// A point as forecasts and the detection of cannibalization read it.
#[derive(Queryable, Selectable)]
#[diesel(table_name = rank_history)]
pub struct HistoryPointRow {
    pub keyword_id: i64,
    pub day: NaiveDate,
    pub measured_at: At,
    pub state: String,
    pub position: Option<i64>,
    pub depth_checked: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = rank_history)]
pub struct OwnPositionsRow {
    pub keyword_id: i64,
    pub measured_at: At,
    pub depth_checked: i64,
    pub own_places: Option<String>,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = staged_findings, treat_none_as_default_value = false)]
pub struct StagedRow {
    pub account_id: i64,
    pub job_id: i64,
    pub result_type: String,
    pub ordinal: i64,
    pub keyword_id: Option<i64>,
    pub url: Option<String>,
    pub url_hash: Option<i64>,
    pub sort_value: Option<f64>,
    pub measured_at: At,
    #[diesel(embed)]
    pub record: Record,
}

row! {
    struct JournalRow(journal_entries) within (account_id: AccountId, job_id: JobId) {
        sequence: i64,
        body: Vec<u8>,
    }
    JournalEntry { sequence, body }
}

/// Stored in indexes for a URL: the first eight bytes of its SHA-256. Queries compare the URL too.
pub fn url_hash(url: &str) -> i64 {
    let digest: [u8; 32] = Sha256::digest(url.as_bytes()).into();
    i64::from_be_bytes(std::array::from_fn(|at| digest[at]))
}

impl PointRow {
    pub fn new(account: AccountId, project: ProjectId, of: &KeywordMeasurement) -> Self {
        let point = &of.point;
        Self {
            account_id: account.0,
            project_id: project.0,
            keyword_id: of.keyword.0,
            day: of.day,
            job_id: of.job.0,
            engine: of.source.engine.clone(),
            provenance: json(&of.source.provenance),
            measured_at: point.measured_at.into(),
            state: point.state.name().to_owned(),
            position: point.position.map(count),
            absolute_position: point.absolute_position.map(count),
            depth_checked: count(point.depth_checked),
            url: point.url.clone(),
            own_places: (!of.own.is_empty()).then(|| json(&of.own)),
            best_position: of.best.map(|it| count(it.position)),
            best_at: of.best.map(|it| it.at.into()),
            worst_position: of.worst.map(count),
        }
    }

    pub fn is_measured(&self) -> bool {
        self.state != RankState::Error.name()
    }

    pub fn best(&self) -> Result<Option<BestPosition>, StorageError> {
        let (Some(position), Some(at)) = (self.best_position, self.best_at) else {
            return Ok(None);
        };
        Ok(Some(BestPosition {
            position: counted(position, "best position")?,
            at: at.into(),
        }))
    }

    pub fn worst(&self) -> Result<Option<u32>, StorageError> {
        let worst = self.worst_position;
        worst.map(|it| counted(it, "worst position")).transpose()
    }
}

impl TryFrom<PointRow> for RankPoint {
    type Error = StorageError;

    fn try_from(row: PointRow) -> Result<Self, StorageError> {
        let number = |it: Option<i64>| it.map(|it| counted(it, "position")).transpose();
        Ok(Self {
            measured_at: row.measured_at.into(),
            state: known(RankState::named(&row.state), "rank state")?,
            position: number(row.position)?,
            absolute_position: number(row.absolute_position)?,
            depth_checked: counted(row.depth_checked, "depth")?,
            url: row.url,
        })
    }
}

impl TryFrom<HistoryPointRow> for RankHistoryPoint {
    type Error = StorageError;

    fn try_from(row: HistoryPointRow) -> Result<Self, StorageError> {
        let position = row.position;
        Ok(Self {
            day: row.day,
            measured_at: row.measured_at.into(),
            state: known(RankState::named(&row.state), "rank state")?,
            position: position.map(|it| counted(it, "position")).transpose()?,
            depth_checked: counted(row.depth_checked, "depth")?,
        })
    }
}

impl TryFrom<OwnPositionsRow> for OwnSnapshot {
    type Error = StorageError;

    fn try_from(row: OwnPositionsRow) -> Result<Self, StorageError> {
        let places = row.own_places;
        let places = places.map(|it| from_json(&it, "own places")).transpose()?;
        Ok(Self {
            at: row.measured_at.into(),
            depth_checked: counted(row.depth_checked, "depth")?,
            places: places.unwrap_or_default(),
        })
    }
}

impl SerpRow {
    pub fn new(account: AccountId, project: ProjectId, of: &KeywordMeasurement) -> Option<Self> {
        Some(Self {
            account_id: account.0,
            project_id: project.0,
            keyword_id: of.keyword.0,
            job_id: of.job.0,
            measured_at: of.point.measured_at.into(),
            serp: json(of.serp.as_ref()?),
            engine: Some(of.source.engine.clone()),
            provenance: Some(json(&of.source.provenance)),
        })
    }
}

pub fn serp(text: &str) -> Result<PreviousSerp, StorageError> {
    from_json(text, "search page")
}

impl StagedRow {
    pub fn new(
        account: AccountId,
        job: JobId,
        finding: &StagedFinding,
        kind: DatabaseKind,
    ) -> Self {
        Self {
            account_id: account.0,
            job_id: job.0,
            result_type: finding.result_type.name().to_owned(),
            ordinal: finding.ordinal,
            keyword_id: finding.keyword.map(|it| it.0),
            url: finding.url.clone(),
            url_hash: finding.url.as_deref().map(url_hash),
            sort_value: finding.sort_value,
            measured_at: finding.measured_at.into(),
            record: Record::of(finding.record.as_str(), kind),
        }
    }
}

impl TryFrom<StagedRow> for StagedFinding {
    type Error = StorageError;

    fn try_from(row: StagedRow) -> Result<Self, StorageError> {
        Ok(Self {
            result_type: known(ResultType::named(&row.result_type), "result type")?,
            ordinal: row.ordinal,
            keyword: row.keyword_id.map(KeywordId),
            url: row.url,
            sort_value: row.sort_value,
            measured_at: row.measured_at.into(),
            record: Document::from_stored(row.record.text()?),
        })
    }
}
