//! Deletes data past its retention in batches, so that no transaction blocks others for long.

use super::Db;
use crate::instant::At;
use crate::rows::count;
use crate::schema::{findings, keywords, rank_history, result_heads};
use analysis::result_type::ResultType;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{delete, prelude::*};
use domain::ids::{AccountId, KeywordId, ProjectId};
use std::collections::BTreeMap;

/// In one batch.
const KEYWORDS: usize = 500;
/// In one batch.
const PROJECTS: usize = 10;

/// Deletes points of some keywords; returns the last of them, `None` at the end.
pub fn delete_old_points(
    db: &mut Db,
    account: AccountId,
    before: NaiveDate,
    after: Option<KeywordId>,
) -> QueryResult<Option<KeywordId>> {
    let some: Vec<(i64, i64)> = rows_of!(keywords, account)
        .filter(keywords::id.gt(after.map_or(0, |it| it.0)))
        .order(keywords::id)
        .limit(count(KEYWORDS))
        .select((keywords::project_id, keywords::id))
        .load(db)?;
    let mut projects: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (project, keyword) in &some {
        projects.entry(*project).or_default().push(*keyword);
    }
    for (project, ids) in projects {
        let old = rows_of!(rank_history, account)
            .filter(rank_history::project_id.eq(project))
            .filter(rank_history::keyword_id.eq_any(ids))
            .filter(rank_history::day.lt(before));
        delete(old).execute(db)?;
    }
    let last = some.last().filter(|_| some.len() == KEYWORDS);
    Ok(last.map(|(_, keyword)| KeywordId(*keyword)))
}

/// Deletes records of some projects; returns the last of them, `None` at the end.
pub fn delete_old_findings(
    db: &mut Db,
    account: AccountId,
    result_type: ResultType,
    before: DateTime<Utc>,
    after: Option<ProjectId>,
) -> QueryResult<Option<ProjectId>> {
    let some: Vec<(i64, i64)> = rows_of!(result_heads, account)
        .filter(result_heads::project_id.gt(after.map_or(0, |it| it.0)))
        .filter(result_heads::result_type.eq(result_type.name()))
        .order(result_heads::project_id)
        .limit(count(PROJECTS))
        .select((result_heads::project_id, result_heads::job_id))
        .load(db)?;
    for (project, newest) in &some {
        let old = rows_of!(findings, account)
            .filter(findings::project_id.eq(project))
            .filter(findings::result_type.eq(result_type.name()))
            .filter(findings::measured_at.lt(At(before)))
            .filter(findings::job_id.ne(newest));
        delete(old).execute(db)?;
    }
    let last = some.last().filter(|_| some.len() == PROJECTS);
    Ok(last.map(|(project, _)| ProjectId(*project)))
}
