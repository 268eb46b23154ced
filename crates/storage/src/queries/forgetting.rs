//! What is too old to be kept, a part at a time: no transaction holds the others up.

use super::Db;
use crate::{
    instant::At,
    rows::count,
    schema::{findings, keywords, rank_history, result_heads},
};
use analysis::result_type::ResultType;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{delete, prelude::*};
use domain::ids::{AccountId, KeywordId, ProjectId};
use std::collections::BTreeMap;

/// How many keywords are looked at in one part.
const KEYWORDS: usize = 500;
/// How many projects are.
const PROJECTS: usize = 10;

/// Points of some keywords; the last of them, `None` at the end.
pub fn points(
    db: &mut Db,
    before: NaiveDate,
    after: Option<(AccountId, KeywordId)>,
) -> QueryResult<Option<(AccountId, KeywordId)>> {
    let mut some = keywords::table.into_boxed();
    if let Some((account, keyword)) = after {
        let in_the_account = keywords::account_id
            .eq(account.0)
            .and(keywords::id.gt(keyword.0));
        some = some.filter(keywords::account_id.gt(account.0).or(in_the_account));
    }
    let some: Vec<(i64, i64, i64)> = some
        .order((keywords::account_id, keywords::id))
        .limit(count(KEYWORDS))
        .select((keywords::account_id, keywords::project_id, keywords::id))
        .load(db)?;
    let mut projects: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
    for (account, project, keyword) in &some {
        projects
            .entry((*account, *project))
            .or_default()
            .push(*keyword);
    }
    for ((account, project), ids) in projects {
        let old = rank_history::table
            .filter(rank_history::account_id.eq(account))
            .filter(rank_history::project_id.eq(project))
            .filter(rank_history::keyword_id.eq_any(ids))
            .filter(rank_history::day.lt(before));
        delete(old).execute(db)?;
    }
    let is_last = some.len() < KEYWORDS;
    let last = some.last().filter(|_| !is_last);
    Ok(last.map(|(account, _, keyword)| (AccountId(*account), KeywordId(*keyword))))
}

/// Records of some projects; the last of them, `None` at the end.
pub fn findings(
    db: &mut Db,
    result_type: ResultType,
    before: DateTime<Utc>,
    after: Option<(AccountId, ProjectId)>,
) -> QueryResult<Option<(AccountId, ProjectId)>> {
    let mut some = result_heads::table
        .filter(result_heads::result_type.eq(result_type.name()))
        .into_boxed();
    if let Some((account, project)) = after {
        let in_the_account = result_heads::account_id
            .eq(account.0)
            .and(result_heads::project_id.gt(project.0));
        some = some.filter(result_heads::account_id.gt(account.0).or(in_the_account));
    }
    let some: Vec<(i64, i64, i64)> = some
        .order((result_heads::account_id, result_heads::project_id))
        .limit(count(PROJECTS))
        .select((
            result_heads::account_id,
            result_heads::project_id,
            result_heads::job_id,
        ))
        .load(db)?;
    for (account, project, newest) in &some {
        let old = findings::table
            .filter(findings::account_id.eq(account))
            .filter(findings::project_id.eq(project))
            .filter(findings::result_type.eq(result_type.name()))
            .filter(findings::measured_at.lt(At(before)))
            .filter(findings::job_id.ne(newest));
        delete(old).execute(db)?;
    }
    let is_last = some.len() < PROJECTS;
    let last = some.last().filter(|_| !is_last);
    Ok(last.map(|(account, project, _)| (AccountId(*account), ProjectId(*project))))
}
