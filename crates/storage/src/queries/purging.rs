//! Removes a project with everything that is stored of it, a bounded part at a time: no transaction holds others up.

use super::{Db, console_bindings, console_rows, schedules};
use crate::{
    rows::count,
    schema::{
        ai_answers, ai_tallies, brands, console_spans, content_plans, findings,
        ignored_suggestions, jobs, journal_entries, kept_pages, keywords, latest_serps,
        named_sites, paid_calls, project_usage, projects, rank_history, result_carries,
        result_heads, staged_findings, staged_pages,
    },
};
use diesel::{delete, prelude::*};
use domain::ids::{AccountId, ProjectId};

const RECORDS: i64 = 1_000;
/// Keywords with all that was measured of them: a thousand days each.
const KEYWORDS: i64 = 10;
/// Pages with their content, of some 8 KB.
const PAGES: i64 = 200;
/// Answers of AI engines, of some 1 KB.
const ANSWERS: i64 = 500;
/// Content plans, of up to 256 KB.
const PLANS: i64 = 20;
const JOBS: i64 = 100;

macro_rules! of {
    ($table:ident, $account:expr, $project:expr) => {
        $table::table
            .filter($table::account_id.eq($account.0))
            .filter($table::project_id.eq($project.0))
    };
}

macro_rules! of_jobs {
    ($table:ident, $account:expr, $jobs:expr) => {
        $table::table
            .filter($table::account_id.eq($account.0))
            .filter($table::job_id.eq_any($jobs))
    };
}

/// Removes the next part of one kind; whether there was any.
type Step = fn(&mut Db, AccountId, ProjectId) -> QueryResult<bool>;

/// Removes the next part; whether anything is left, the project itself included.
pub fn part(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let steps: [Step; 8] = [
        records, ranks, rows, pages, answers, tallies, plans, ended_jobs,
    ];
    for step in steps {
        if step(db, account, project)? {
            return Ok(true);
        }
    }
    rest(db, account, project)?;
    Ok(false)
}

fn records(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let first: Option<(String, i64)> = of!(findings, account, project)
        .order((findings::result_type, findings::job_id))
        .select((findings::result_type, findings::job_id))
        .first(db)
        .optional()?;
    let Some((result_type, job)) = first else {
        return Ok(false);
    };
    let run = || {
        of!(findings, account, project)
            .filter(findings::result_type.eq(&result_type))
            .filter(findings::job_id.eq(job))
    };
    let next: Option<i64> = run()
        .order(findings::ordinal)
        .offset(RECORDS)
        .select(findings::ordinal)
        .first(db)
        .optional()?;
    match next {
        Some(next) => delete(run().filter(findings::ordinal.lt(next))).execute(db)?,
        None => delete(run()).execute(db)?,
    };
    Ok(true)
}

fn ranks(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(keywords, account, project)
        .order(keywords::id)
        .limit(KEYWORDS)
        .select(keywords::id)
        .load(db)?;
    let history = of!(rank_history, account, project);
    delete(history.filter(rank_history::keyword_id.eq_any(&some))).execute(db)?;
    let pages = of!(latest_serps, account, project);
    delete(pages.filter(latest_serps::keyword_id.eq_any(&some))).execute(db)?;
    delete(of!(keywords, account, project).filter(keywords::id.eq_any(&some))).execute(db)?;
    Ok(!some.is_empty())
}

fn rows(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(console_spans, account, project)
        .order(console_spans::id)
        .limit(count(console_rows::MOST_GONE))
        .select(console_spans::id)
        .load(db)?;
    console_rows::forget_spans(db, account, &some)?;
    Ok(!some.is_empty())
}

fn pages(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(kept_pages, account, project)
        .order(kept_pages::url_hash)
        .limit(PAGES)
        .select(kept_pages::url_hash)
        .load(db)?;
    let these = of!(kept_pages, account, project).filter(kept_pages::url_hash.eq_any(&some));
    delete(these).execute(db)?;
    Ok(!some.is_empty())
}

fn answers(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(ai_answers, account, project)
        .order(ai_answers::id)
        .limit(ANSWERS)
        .select(ai_answers::id)
        .load(db)?;
    delete(of!(ai_answers, account, project).filter(ai_answers::id.eq_any(&some))).execute(db)?;
    Ok(!some.is_empty())
}

/// Those of an engine and a day: as many as the project had AI-tracked keywords, for each analysis.
fn tallies(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let first: Option<(String, chrono::NaiveDate)> = of!(ai_tallies, account, project)
        .order((ai_tallies::engine, ai_tallies::day))
        .select((ai_tallies::engine, ai_tallies::day))
        .first(db)
        .optional()?;
    let Some((engine, day)) = first else {
        return Ok(false);
    };
    let these = of!(ai_tallies, account, project)
        .filter(ai_tallies::engine.eq(engine))
        .filter(ai_tallies::day.eq(day));
    delete(these).execute(db)?;
    Ok(true)
}

fn plans(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(content_plans, account, project)
        .order(content_plans::id)
        .limit(PLANS)
        .select(content_plans::id)
        .load(db)?;
    let these = of!(content_plans, account, project).filter(content_plans::id.eq_any(&some));
    delete(these).execute(db)?;
    Ok(!some.is_empty())
}

fn ended_jobs(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = of!(jobs, account, project)
        .order(jobs::id)
        .limit(JOBS)
        .select(jobs::id)
        .load(db)?;
    delete(of_jobs!(staged_findings, account, &some)).execute(db)?;
    delete(of_jobs!(staged_pages, account, &some)).execute(db)?;
    delete(of_jobs!(journal_entries, account, &some)).execute(db)?;
    delete(of_jobs!(paid_calls, account, &some)).execute(db)?;
    delete(of!(jobs, account, project).filter(jobs::id.eq_any(&some))).execute(db)?;
    Ok(!some.is_empty())
}

/// Tables of which a project has few rows, and the project.
fn rest(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<()> {
    schedules::forget_project(db, account, project)?;
    console_bindings::forget_project(db, account, project)?;
    delete(of!(named_sites, account, project)).execute(db)?;
    delete(of!(ignored_suggestions, account, project)).execute(db)?;
    delete(of!(brands, account, project)).execute(db)?;
    delete(of!(result_heads, account, project)).execute(db)?;
    delete(of!(result_carries, account, project)).execute(db)?;
    delete(of!(project_usage, account, project)).execute(db)?;
    let this = projects::table
        .filter(projects::account_id.eq(account.0))
        .filter(projects::id.eq(project.0));
    delete(this).execute(db).map(drop)
}
