use super::jobs::is_unfinished;
use super::paging::{PageRows, Sortable, decode_position, one_more, page, wrong_position};
use super::{Backend, Db, kept_pages, measurements};
use crate::executor::cached::execute_cached;
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::measurements::url_hash;
use crate::rows::results::{FindingRow, HeadRow};
use crate::rows::stored::excluded_of;
use crate::schema::{findings, jobs, result_carries, result_heads, staged_findings};
use analysis::{document::Document, result_type::ResultType};
use async_trait::async_trait;
use diesel::connection::DefaultLoadingMode;
use diesel::dsl::sql;
use diesel::helper_types::IntoBoxed;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{delete, insert_into, sql_query};
use domain::ids::{AccountId, JobId, KeywordId, ProjectId};
use domain::page::{Direction, Page, PageCursor, SortValue};
use domain::ports::results::ResultRepository;
use domain::ports::storage::StorageError;
use domain::results::{
    CARRIED_OVER_ORDINAL, CarriedKind, Finding, FindingQuery, FindingSort, ResultHead,
};
use std::collections::HashMap;

type Query<'a> = IntoBoxed<'a, findings::table, Backend>;

/// The unary plus keeps `SQLite` from walking the whole run by its primary key.
const JOB_ID_WITHOUT_INDEX: &str = "+findings.job_id";

macro_rules! copied {
    ($staged:expr, $project:expr) => {
        $staged
            .select((
                staged_findings::account_id,
                $project.0.into_sql::<BigInt>(),
                staged_findings::result_type,
                staged_findings::job_id,
                staged_findings::ordinal,
                staged_findings::keyword_id,
                staged_findings::url,
                staged_findings::url_hash,
                staged_findings::sort_value,
                staged_findings::measured_at,
                staged_findings::record,
                staged_findings::packed,
            ))
            .insert_into(findings::table)
            .into_columns((
                findings::account_id,
                findings::project_id,
                findings::result_type,
                findings::job_id,
                findings::ordinal,
                findings::keyword_id,
                findings::url,
                findings::url_hash,
                findings::sort_value,
                findings::measured_at,
                findings::record,
                findings::packed,
            ))
    };
}
#[async_trait]
impl ResultRepository for Session {
    async fn publish(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        heads: &[ResultHead],
        copied: &[ResultType],
    ) -> Result<(), StorageError> {
        let heads: Vec<HeadRow> = heads.iter().map(HeadRow::from).collect();
        let copied: Vec<&str> = copied.iter().map(|it| it.name()).collect();
        self.change(account, move |db| {
            let has = measurements::find_staged(db, account, job)?;
            if has.records {
                move_staged(db, account, project, job, &copied)?;
                measurements::discard_staged(db, account, job)?;
            }
            if has.crawled {
                kept_pages::publish(db, account, project, job)?;
                measurements::discard_crawled(db, account, job)?;
            }
            move_heads(db, &heads)
        })
        .await
    }

    async fn copy_staged(
        &mut self,
        account: AccountId,
        project: ProjectId,
        (result_type, job): (ResultType, JobId),
        after: Option<i64>,
        limit: u32,
    ) -> Result<Option<i64>, StorageError> {
        self.change(account, move |db| {
            let after = after.unwrap_or(i64::MIN);
            let of_the_type = rows_of!(staged_findings, account)
                .filter(staged_findings::job_id.eq(job.0))
                .filter(staged_findings::result_type.eq(result_type.name()))
                .filter(staged_findings::ordinal.gt(after));
            let ordinals: Vec<i64> = of_the_type
                .order(staged_findings::ordinal)
                .limit(limit.into())
                .select(staged_findings::ordinal)
                .load(db)?;
            let Some(last) = ordinals.last().copied() else {
                return Ok(None);
            };
            let part = of_the_type.filter(staged_findings::ordinal.le(last));
            copied!(part, project).execute(db)?;
            Ok(Some(last))
        })
        .await
    }

    async fn discard_copied(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            let copied = rows_of!(findings, account, project)
                // The primary key has the type before the job.
                .filter(findings::result_type.eq_any(ResultType::NAMES))
                .filter(findings::job_id.eq(job.0));
            delete(copied).execute(db).map(drop)
        })
        .await
    }

    async fn carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
    ) -> Result<Option<Document>, StorageError> {
        let found: Option<String> = self
            .fetch(account, move |db| {
                rows_of!(result_carries, account, project)
                    .filter(result_carries::result_type.eq(kind.name()))
                    .select(result_carries::carried)
                    .first(db)
                    .optional()
            })
            .await?;
        Ok(found.map(Document::from_stored))
    }

    async fn save_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        kind: CarriedKind,
        carried: &Document,
    ) -> Result<(), StorageError> {
        let carried = carried.as_str().to_owned();
        self.change(account, move |db| {
            insert_into(result_carries::table)
                .values((
                    result_carries::account_id.eq(account.0),
                    result_carries::project_id.eq(project.0),
                    result_carries::result_type.eq(kind.name()),
                    result_carries::carried.eq(&carried),
                ))
                .on_conflict((
                    result_carries::account_id,
                    result_carries::project_id,
                    result_carries::result_type,
                ))
                .do_update()
                .set(result_carries::carried.eq(&carried))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn head(
        &mut self,
        account: AccountId,
        project: ProjectId,
        result_type: ResultType,
    ) -> Result<Option<ResultHead>, StorageError> {
        self.fetch_optional(account, ResultHead::try_from, move |db| {
            rows_of!(result_heads, account, project)
                .filter(result_heads::result_type.eq(result_type.name()))
                .select(HeadRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn heads_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        result_types: &[ResultType],
    ) -> Result<Vec<ResultHead>, StorageError> {
        let projects: Vec<i64> = projects.iter().map(|it| it.0).collect();
        let types: Vec<&str> = result_types.iter().map(|it| it.name()).collect();
        self.fetch_all(account, ResultHead::try_from, move |db| {
            rows_of!(result_heads, account)
                .filter(result_heads::project_id.eq_any(&projects))
                .filter(result_heads::result_type.eq_any(&types))
                .select(HeadRow::as_select())
                .load(db)
        })
        .await
    }

    async fn find_by_keywords(
        &mut self,
        account: AccountId,
        project: ProjectId,
        (result_type, job): (ResultType, JobId),
        keywords: &[KeywordId],
    ) -> Result<Vec<Finding>, StorageError> {
        let keywords: Vec<i64> = keywords.iter().map(|it| it.0).collect();
        self.fetch_all(account, Finding::try_from, move |db| {
            rows_of!(findings, account, project)
                .filter(findings::result_type.eq(result_type.name()))
                .filter(findings::keyword_id.eq_any(&keywords))
                .filter(sql::<BigInt>(JOB_ID_WITHOUT_INDEX).eq(job.0))
                .select((
                    findings::result_type,
                    findings::job_id,
                    findings::ordinal,
                    findings::sort_value,
                    findings::measured_at,
                    (findings::record, findings::packed),
                ))
                .load::<FindingRow>(db)
        })
        .await
    }

    async fn carried_over_for_projects(
        &mut self,
        account: AccountId,
        projects: &[ProjectId],
        kind: CarriedKind,
    ) -> Result<Vec<(ProjectId, Document)>, StorageError> {
        let projects: Vec<i64> = projects.iter().map(|it| it.0).collect();
        let found: Vec<(i64, String)> = self
            .fetch(account, move |db| {
                rows_of!(result_carries, account)
                    .filter(result_carries::project_id.eq_any(&projects))
                    .filter(result_carries::result_type.eq(kind.name()))
                    .select((result_carries::project_id, result_carries::carried))
                    .load(db)
            })
            .await?;
        let carried = found.into_iter();
        Ok(carried
            .map(|(project, text)| (ProjectId(project), Document::from_stored(text)))
            .collect())
    }

    async fn heads(
        &mut self,
        account: AccountId,
        project: ProjectId,
        top: u32,
    ) -> Result<Vec<(ResultHead, Vec<Finding>)>, StorageError> {
        let (heads, records) = self
            .fetch(account, move |db| {
                let heads: Vec<HeadRow> = rows_of!(result_heads, account, project)
                    .order(result_heads::result_type)
                    .select(HeadRow::as_select())
                    .load(db)?;
                let records = first_records(db, account, project, &heads, top)?;
                Ok((heads, records))
            })
            .await?;
        let mut by_type: HashMap<String, Vec<Finding>> = HashMap::new();
        for record in records {
            let list = by_type.entry(record.result_type.clone()).or_default();
            list.push(record.try_into()?);
        }
        heads
            .into_iter()
            .map(|head| {
                let records = by_type.remove(&head.result_type).unwrap_or_default();
                Ok((head.try_into()?, records))
            })
            .collect()
    }

    async fn findings(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &FindingQuery,
    ) -> Result<Page<Finding>, StorageError> {
        let (requested, query) = (query.clone(), query.clone());
        let rows = self
            .fetch(account, move |db| {
                let wanted = filtered(account, project, &query);
                let wanted = match query.job {
                    Some(_) => sorted_in_a_run(wanted, &query)?,
                    None => sorted_over_runs(wanted, &query)?,
                };
                let rows = wanted
                    .limit(one_more(query.page.limit))
                    .select((
                        findings::result_type,
                        findings::job_id,
                        findings::ordinal,
                        findings::sort_value,
                        findings::measured_at,
                        (findings::record, findings::packed),
                    ))
                    .load_iter::<FindingRow, DefaultLoadingMode>(db)?;
                let rows = PageRows::read(rows, &query.page, |it| it.record.len())?;
                let total = counted!(
                    query.page,
                    db,
                    filtered(account, project, &query),
                    findings::ordinal
                );
                Ok((rows, total))
            })
            .await?;
        page(rows, |row| position(&requested, row), Finding::try_from)
    }
}

/// Copies what the job staged, without the types in `copied`.
fn move_staged(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
    job: JobId,
    copied: &[&str],
) -> QueryResult<()> {
    let staged = rows_of!(staged_findings, account).filter(staged_findings::job_id.eq(job.0));
    if copied.is_empty() {
        return execute_cached(db, copied!(staged, project));
    }
    let rest = staged.filter(staged_findings::result_type.ne_all(copied));
    copied!(rest, project).execute(db).map(drop)
}

/// One statement: a job has one head for each type.
fn move_heads(db: &mut Db, heads: &[HeadRow]) -> QueryResult<()> {
    if heads.is_empty() {
        return Ok(());
    }
    let moved = insert_into(result_heads::table)
        .values(heads)
        .on_conflict((
            result_heads::account_id,
            result_heads::project_id,
            result_heads::result_type,
        ))
        .do_update()
        .set(excluded_of!(
            result_heads: job_id, generated_at, measured_at, method_version, provider, provenance,
            requested, measured, failed, skipped, item_count, summary, warnings
        ));
    // One text for each number of types.
    execute_cached(db, moved)
}

/// The first `top` records under each head, in one statement: each part walks along the primary key.
fn first_records(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
    heads: &[HeadRow],
    top: u32,
) -> QueryResult<Vec<FindingRow>> {
    if heads.is_empty() || top == 0 {
        return Ok(Vec::new());
    }
    let parts = (0..heads.len()).map(|at| {
        let (result_type, job) = (3 * at + 3, 3 * at + 4);
        let top = 3 * at + 5;
        format!(
            "SELECT * FROM (SELECT result_type, job_id, ordinal, sort_value, measured_at, record, packed \
             FROM findings WHERE findings.account_id = $1 AND findings.project_id = $2 \
             AND findings.result_type = ${result_type} AND findings.job_id = ${job} \
             ORDER BY ordinal LIMIT ${top}) AS part{at}"
        )
    });
    let text = parts.collect::<Vec<_>>().join(" UNION ALL ");
    let mut query = sql_query(text)
        .into_boxed::<Backend>()
        .bind::<BigInt, _>(account.0)
        .bind::<BigInt, _>(project.0);
    for head in heads {
        query = query
            .bind::<Text, _>(head.result_type.clone())
            .bind::<BigInt, _>(head.job_id)
            .bind::<BigInt, _>(i64::from(top));
    }
    query.load(db)
}

fn filtered<'a>(account: AccountId, project: ProjectId, query: &FindingQuery) -> Query<'a> {
    let mut wanted = findings::table.into_boxed();
    wanted = wanted
        .filter(findings::account_id.eq(account.0))
        .filter(findings::project_id.eq(project.0))
        .filter(findings::result_type.eq(query.result_type.name()));
    wanted = match query.job {
        Some(job) if query.keyword.is_some() || query.url.is_some() => {
            wanted.filter(sql::<BigInt>(JOB_ID_WITHOUT_INDEX).eq(job.0))
        }
        Some(job) => wanted.filter(findings::job_id.eq(job.0)),
        // A history lists each record once, where it was measured. Records of an unfinished job were copied before it
        // publishes them.
        None => wanted
            .filter(findings::ordinal.lt(CARRIED_OVER_ORDINAL))
            .filter(
                findings::job_id.ne_all(
                    rows_of!(jobs, account)
                        .filter(is_unfinished())
                        .select(jobs::id),
                ),
            ),
    };
    if let Some(keyword) = query.keyword {
        wanted = wanted.filter(findings::keyword_id.eq(keyword.0));
    }
    if let Some(url) = &query.url {
        wanted = wanted
            .filter(findings::url_hash.eq(url_hash(url)))
            .filter(findings::url.eq(url.clone()));
    }
    if let Some(ordinal) = query.ordinal {
        wanted = wanted.filter(findings::ordinal.eq(ordinal));
    }
    if let Some(from) = query.from {
        wanted = wanted.filter(findings::measured_at.ge(At(from)));
    }
    if let Some(to) = query.to {
        wanted = wanted.filter(findings::measured_at.lt(At(to)));
    }
    wanted
}

/// In one run the ordinal makes each order total.
fn sorted_in_a_run<'a>(mut wanted: Query<'a>, query: &FindingQuery) -> QueryResult<Query<'a>> {
    let (direction, after) = (query.page.direction, query.page.after.as_ref());
    let id = findings::ordinal;
    match query.page.sort {
        FindingSort::Ordinal => {
            let after = decode_position::<i64>(after)?;
            sort_by!(wanted, direction, findings::ordinal, id, after);
        }
        FindingSort::Value => {
            let after = decode_position::<Option<f64>>(after)?;
            let column = findings::sort_value;
            sort_by_with_missing_last!(wanted, direction, column, id, after);
        }
        FindingSort::MeasuredAt => {
            let after = decode_position::<At>(after)?;
            sort_by!(wanted, direction, findings::measured_at, id, after);
        }
    }
    Ok(wanted)
}

/// Sorts by a column, then by job and ordinal, starting after such a row; `$from` lets an index seek there.
macro_rules! sort_over_runs {
    ($wanted:ident, $column:expr, $after:expr, $from:ident, $beyond:ident, $order:ident) => {{
        if let Some((value, job, ordinal)) = $after {
            let in_the_job = findings::job_id
                .eq(job)
                .and(findings::ordinal.$beyond(ordinal));
            let tie = $column
                .eq(value)
                .and(findings::job_id.$beyond(job).or(in_the_job));
            $wanted = $wanted
                .filter($column.$from(value))
                .filter($column.$beyond(value).or(tie));
        }
        let ties = (findings::job_id.$order(), findings::ordinal.$order());
        $wanted.order(($column.$order(), ties.0, ties.1))
    }};
}

/// The same by the type's own value, which may be missing.
macro_rules! sort_over_runs_by_value {
    ($wanted:ident, $after:expr, $beyond:ident, $order:ident) => {{
        let column = findings::sort_value;
        if let Some((value, job, ordinal)) = $after {
            let in_the_job = findings::job_id
                .eq(job)
                .and(findings::ordinal.$beyond(ordinal));
            let tie = findings::job_id.$beyond(job).or(in_the_job);
            $wanted = match value {
                Some(value) => $wanted.filter(
                    column
                        .$beyond(value)
                        .or(column.eq(value).and(tie))
                        .or(column.is_null()),
                ),
                None => $wanted.filter(column.is_null().and(tie)),
            };
        }
        let ties = (findings::job_id.$order(), findings::ordinal.$order());
        $wanted.order((column.is_null().asc(), column.$order(), ties.0, ties.1))
    }};
}

/// Over all runs, job and ordinal identify a row.
fn sorted_over_runs<'a>(mut wanted: Query<'a>, query: &FindingQuery) -> QueryResult<Query<'a>> {
    let after = query.page.after.as_ref();
    let is_rising = query.page.direction == Direction::Ascending;
    Ok(match query.page.sort {
        FindingSort::Ordinal => {
            let after = decode_run_position(after, |text| text.parse::<i64>().ok())?;
            if is_rising {
                sort_over_runs!(wanted, findings::ordinal, after, ge, gt, asc)
            } else {
                sort_over_runs!(wanted, findings::ordinal, after, le, lt, desc)
            }
        }
        FindingSort::MeasuredAt => {
            let after = decode_run_position(after, |text| At::from_micros(text.parse().ok()?))?;
            if is_rising {
                sort_over_runs!(wanted, findings::measured_at, after, ge, gt, asc)
            } else {
                sort_over_runs!(wanted, findings::measured_at, after, le, lt, desc)
            }
        }
        FindingSort::Value => {
            let after = decode_run_position(after, |text| match text {
                "" => Some(None),
                number => number.parse::<f64>().ok().map(Some),
            })?;
            if is_rising {
                sort_over_runs_by_value!(wanted, after, gt, asc)
            } else {
                sort_over_runs_by_value!(wanted, after, lt, desc)
            }
        }
    })
}

/// Sort value, job and ordinal after which a page over all runs begins; job and value share a text of the position.
fn decode_run_position<T>(
    after: Option<&PageCursor>,
    read: impl Fn(&str) -> Option<T>,
) -> QueryResult<Option<(T, i64, i64)>> {
    let Some((text, ordinal)) = decode_position::<String>(after)? else {
        return Ok(None);
    };
    let parts = text.split_once('/');
    let parts = parts.and_then(|(job, value)| Some((read(value)?, job.parse().ok()?, ordinal)));
    parts.ok_or_else(wrong_position).map(Some)
}

fn position(query: &FindingQuery, row: &FindingRow) -> PageCursor {
    let value = match (query.job, query.page.sort) {
        (Some(_), FindingSort::Ordinal) => row.ordinal.into_sort_value(),
        (Some(_), FindingSort::Value) => row.sort_value.into_sort_value(),
        (Some(_), FindingSort::MeasuredAt) => row.measured_at.into_sort_value(),
        (None, sort) => SortValue::Text(format!("{}/{}", row.job_id, value_text(sort, row))),
    };
    PageCursor {
        value,
        id: row.ordinal,
    }
}

fn value_text(sort: FindingSort, row: &FindingRow) -> String {
    match sort {
        FindingSort::Ordinal => row.ordinal.to_string(),
        FindingSort::MeasuredAt => row.measured_at.micros().to_string(),
        FindingSort::Value => row.sort_value.map_or_else(String::new, |it| it.to_string()),
    }
}
