use super::keyword_history::{KeywordHistoryQuery, group_by_keyword};
use super::{Db, carry_over, dialect, kept_pages, retention};
use crate::executor::session::Session;
use crate::rows::counted;
use crate::rows::measurements::{JournalRow, PointRow, SerpRow, StagedRow};
use crate::rows::stored::excluded_of;
use crate::schema::{journal_entries, latest_serps, rank_history, staged_findings, staged_pages};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::dsl::{case_when, count_star, exists};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel::{delete, insert_into, select};
use domain::ids::{AccountId, JobId, KeywordId, ProjectId};
use domain::ports::measurements::MeasurementRepository;
use domain::ports::storage::StorageError;
use domain::results::{
    AsOf, CARRIED_OVER_ORDINAL, JournalEntry, KeywordHistory, KeywordMeasurement, OwnSnapshot,
    RankHistoryPoint, StagedFinding,
};
use std::collections::HashMap;

/// Rows of the widest table here (17 columns) in one statement.
const MAX_ROWS: usize = dialect::MAX_BINDS / 17;

/// Records of the newest run about active keywords of which the job has none; `NOT IN`, as no index is by keyword.
const CARRIED_KEYWORDS: [&str; 3] = [
    "f.keyword_id",
    "JOIN keywords k ON k.account_id = f.account_id AND k.id = f.keyword_id \
     AND k.status = 'active'",
    "f.keyword_id NOT IN (SELECT s.keyword_id FROM staged_findings s \
     WHERE s.account_id = $3 AND s.job_id = $1 AND s.result_type = $5 \
     AND s.keyword_id IS NOT NULL)",
];

#[async_trait]
impl MeasurementRepository for Session {
    async fn histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        as_of: &AsOf,
    ) -> Result<Vec<KeywordHistory>, StorageError> {
        let past = KeywordHistoryQuery::new(account, project, keywords, as_of);
        let known = self
            .fetch(account, move |db| past.load_histories(db))
            .await?;
        known.histories(keywords)
    }

    async fn rank_histories(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<RankHistoryPoint>>, StorageError> {
        let past = KeywordHistoryQuery::new(account, project, keywords, as_of);
        let rows = self
            .fetch(account, move |db| past.rank_histories(db, since))
            .await?;
        group_by_keyword(keywords, rows, |row| row.keyword_id)
    }

    async fn own_places(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        since: NaiveDate,
        as_of: &AsOf,
    ) -> Result<Vec<Vec<OwnSnapshot>>, StorageError> {
        let past = KeywordHistoryQuery::new(account, project, keywords, as_of);
        let rows = self
            .fetch(account, move |db| past.own_places(db, since))
            .await?;
        group_by_keyword(keywords, rows, |row| row.keyword_id)
    }

    async fn add(
        &mut self,
        account: AccountId,
        project: ProjectId,
        measurements: &[KeywordMeasurement],
    ) -> Result<(), StorageError> {
        let points = measurements
            .iter()
            .map(|it| PointRow::new(account, project, it));
        let points: Vec<PointRow> = points.collect();
        let serps = newest_pages(account, project, measurements);
        self.change(account, move |db| {
            for part in points.chunks(MAX_ROWS) {
                insert_into(rank_history::table)
                    .values(part)
                    .on_conflict_do_nothing()
                    .execute(db)?;
            }
            for part in serps.chunks(MAX_ROWS) {
                keep_newest(db, part)?;
            }
            Ok(())
        })
        .await
    }

    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Result<Vec<(KeywordId, u32)>, StorageError> {
        let rows: Vec<(i64, i64)> = self
            .fetch(account, move |db| {
                rows_of!(rank_history, account, project)
                    .filter(rank_history::job_id.eq(job.0))
                    .group_by(rank_history::keyword_id)
                    .select((rank_history::keyword_id, count_star()))
                    .order(rank_history::keyword_id)
                    .load(db)
            })
            .await?;
        rows.into_iter()
            .map(|(id, number)| Ok((KeywordId(id), counted(number, "measurements")?)))
            .collect()
    }

    async fn purge_points(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        after: Option<KeywordId>,
    ) -> Result<Option<KeywordId>, StorageError> {
        let forgetting =
            move |db: &mut Db| retention::delete_old_points(db, account, before, after);
        self.change(account, forgetting).await
    }

    async fn purge_findings(
        &mut self,
        account: AccountId,
        result_type: ResultType,
        before: DateTime<Utc>,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError> {
        let forgetting = move |db: &mut Db| {
            retention::delete_old_findings(db, account, result_type, before, after)
        };
        self.change(account, forgetting).await
    }

    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        findings: &[StagedFinding],
    ) -> Result<(), StorageError> {
        // One statement cannot replace a row twice: of equal ordinals the last one counts.
        let places = findings.iter().map(|it| ((it.result_type, it.ordinal), it));
        let places: HashMap<_, &StagedFinding> = places.collect();
        let findings: Vec<StagedFinding> = places.into_values().cloned().collect();
        self.change(account, move |db| {
            let kind = db.kind();
            for part in findings.chunks(MAX_ROWS) {
                let rows = part.iter();
                let rows = rows.map(|it| StagedRow::new(account, job, it, kind));
                replace(db, &rows.collect::<Vec<_>>())?;
            }
            Ok(())
        })
        .await
    }

    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<u64, StorageError> {
        let [place, keywords, wanted] = CARRIED_KEYWORDS;
        let copies = carry_over::copy_statement(place, keywords, wanted);
        let carried = self.change(account, move |db| {
            carry_over::copy_records(db, &copies, account, project, job, result_type)
        });
        Ok(carried.await? as u64)
    }

    async fn staged_keywords(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
    ) -> Result<Vec<KeywordId>, StorageError> {
        let ids: Vec<i64> = self
            .fetch(account, move |db| {
                rows_of!(staged_findings, account)
                    .filter(staged_findings::job_id.eq(job.0))
                    .filter(staged_findings::result_type.eq(result_type.name()))
                    .filter(staged_findings::keyword_id.is_not_null())
                    .filter(staged_findings::ordinal.lt(CARRIED_OVER_ORDINAL))
                    .select(staged_findings::keyword_id.assume_not_null())
                    .distinct()
                    .order(staged_findings::keyword_id)
                    .load(db)
            })
            .await?;
        Ok(ids.into_iter().map(KeywordId).collect())
    }

    async fn staged(
        &mut self,
        account: AccountId,
        job: JobId,
        result_type: ResultType,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<StagedFinding>, StorageError> {
        self.fetch_all(account, StagedFinding::try_from, move |db| {
            let mut query = rows_of!(staged_findings, account)
                .filter(staged_findings::job_id.eq(job.0))
                .filter(staged_findings::result_type.eq(result_type.name()))
                .into_boxed();
            if let Some(after) = after {
                query = query.filter(staged_findings::ordinal.gt(after));
            }
            query
                .order(staged_findings::ordinal)
                .limit(limit.into())
                .select(StagedRow::as_select())
                .load(db)
        })
        .await
    }

    async fn discard(&mut self, account: AccountId, job: JobId) -> Result<(), StorageError> {
        self.change(account, move |db| discard(db, account, job))
            .await
    }

    async fn append_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        entries: &[JournalEntry],
    ) -> Result<(), StorageError> {
        let rows = entries.iter().map(|it| JournalRow::of(account, job, it));
        let rows: Vec<JournalRow> = rows.collect();
        self.change(account, move |db| {
            for part in rows.chunks(MAX_ROWS) {
                insert_into(journal_entries::table)
                    .values(part)
                    .execute(db)?;
            }
            Ok(())
        })
        .await
    }

    async fn read_journal(
        &mut self,
        account: AccountId,
        job: JobId,
        after: Option<i64>,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StorageError> {
        self.fetch_all(account, JournalEntry::try_from, move |db| {
            let mut query = rows_of!(journal_entries, account)
                .filter(journal_entries::job_id.eq(job.0))
                .into_boxed();
            if let Some(after) = after {
                query = query.filter(journal_entries::sequence.gt(after));
            }
            query
                .order(journal_entries::sequence)
                .limit(limit.into())
                .select(JournalRow::as_select())
                .load(db)
        })
        .await
    }
}

pub fn discard(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<()> {
    discard_staged(db, account, job)?;
    discard_crawled(db, account, job)
}

pub fn discard_staged(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<()> {
    let staged = rows_of!(staged_findings, account).filter(staged_findings::job_id.eq(job.0));
    delete(staged).execute(db).map(drop)
}

pub struct StagedData {
    pub records: bool,
    /// A journal or staged pages.
    pub crawled: bool,
}

/// Checked first, so that nothing is moved or discarded without need.
pub fn find_staged(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<StagedData> {
    let staged = rows_of!(staged_findings, account).filter(staged_findings::job_id.eq(job.0));
    let recorded = rows_of!(journal_entries, account).filter(journal_entries::job_id.eq(job.0));
    let pages = rows_of!(staged_pages, account).filter(staged_pages::job_id.eq(job.0));
    let (records, crawled) =
        select((exists(staged), exists(recorded).or(exists(pages)))).get_result(db)?;
    Ok(StagedData { records, crawled })
}

pub fn discard_crawled(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<()> {
    kept_pages::discard(db, account, job)?;
    let recorded = rows_of!(journal_entries, account).filter(journal_entries::job_id.eq(job.0));
    delete(recorded).execute(db).map(drop)
}

/// The newest page of each keyword, of one job the first, as [`keep_newest`]; one statement cannot touch a row twice.
fn newest_pages(
    account: AccountId,
    project: ProjectId,
    measurements: &[KeywordMeasurement],
) -> Vec<SerpRow> {
    let mut newest: HashMap<KeywordId, &KeywordMeasurement> = HashMap::new();
    for measurement in measurements.iter().filter(|it| it.serp.is_some()) {
        let kept = newest.entry(measurement.keyword).or_insert(measurement);
        let is_anothers = kept.job != measurement.job;
        if is_anothers && kept.point.measured_at <= measurement.point.measured_at {
            *kept = measurement;
        }
    }
    let rows = newest.values();
    rows.filter_map(|it| SerpRow::new(account, project, it))
        .collect()
}

/// Keeps each keyword's newest page, of one job the first, by column: `SQLite` upserts in Diesel have no `WHERE`.
fn keep_newest(db: &mut Db, rows: &[SerpRow]) -> QueryResult<()> {
    macro_rules! newest {
        ($column:expr) => {{
            let is_newer = latest_serps::measured_at.le(excluded(latest_serps::measured_at));
            let is_anothers = latest_serps::job_id.ne(excluded(latest_serps::job_id));
            let value = case_when(is_newer.and(is_anothers), excluded($column));
            $column.eq(value.otherwise($column))
        }};
    }
    insert_into(latest_serps::table)
        .values(rows)
        .on_conflict((
            latest_serps::account_id,
            latest_serps::project_id,
            latest_serps::keyword_id,
        ))
        .do_update()
        .set((
            newest!(latest_serps::job_id),
            newest!(latest_serps::measured_at),
            newest!(latest_serps::serp),
            newest!(latest_serps::engine),
            newest!(latest_serps::provenance),
        ))
        .execute(db)
        .map(drop)
}

fn replace(db: &mut Db, rows: &[StagedRow]) -> QueryResult<()> {
    insert_into(staged_findings::table)
        .values(rows)
        .on_conflict((
            staged_findings::account_id,
            staged_findings::job_id,
            staged_findings::result_type,
            staged_findings::ordinal,
        ))
        .do_update()
        .set(excluded_of!(
            staged_findings: keyword_id, url, url_hash, sort_value, measured_at, record, packed
        ))
        .execute(db)
        .map(drop)
}
