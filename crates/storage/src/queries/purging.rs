//! Deletes a project with all of its data in bounded batches, so that no transaction blocks others for long.

use super::{Db, console_bindings, console_rows, events as event_queries, schedules};
use crate::rows::count;
use crate::schema::{
    ai_answers, ai_tallies, assignments, brands, console_spans, content_plans, events, findings,
    ignored_suggestions, jobs, journal_entries, kept_pages, keywords, latest_serps, named_sites,
    paid_calls, project_grants, project_usage, projects, rank_history, result_carries,
    result_heads, staged_findings, staged_pages,
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

/// Values of a column in a project's first rows.
macro_rules! first_of {
    ($db:ident, $table:ident.$column:ident, $limit:expr, $account:expr, $project:expr) => {
        rows_of!($table, $account, $project)
            .order($table::$column)
            .limit($limit)
            .select($table::$column)
            .load::<i64>($db)?
    };
}

macro_rules! steps {
    ($($step:ident: $table:ident.$column:ident, $limit:expr;)+) => {
        $(fn $step(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
            let some = first_of!(db, $table.$column, $limit, account, project);
            let these = rows_of!($table, account, project).filter($table::$column.eq_any(&some));
            delete(these).execute(db)?;
            Ok(!some.is_empty())
        })+
    };
}

steps! {
    pages: kept_pages.url_hash, PAGES;
    answers: ai_answers.id, ANSWERS;
    plans: content_plans.id, PLANS;
}

/// Deletes the next batch of one kind; returns whether there was any.
type Step = fn(&mut Db, AccountId, ProjectId) -> QueryResult<bool>;

/// Deletes the next batch; returns whether anything is left, the project itself included.
pub fn purge_next_part(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let steps: [Step; 9] = [
        records,
        ranks,
        rows,
        pages,
        answers,
        tallies,
        plans,
        logged_events,
        ended_jobs,
    ];
    for step in steps {
        if step(db, account, project)? {
            return Ok(true);
        }
    }
    purge_remaining(db, account, project)?;
    Ok(false)
}

fn records(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let first: Option<(String, i64)> = rows_of!(findings, account, project)
        .order((findings::result_type, findings::job_id))
        .select((findings::result_type, findings::job_id))
        .first(db)
        .optional()?;
    let Some((result_type, job)) = first else {
        return Ok(false);
    };
    let run = || {
        rows_of!(findings, account, project)
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
    let some = first_of!(db, keywords.id, KEYWORDS, account, project);
    let history = rows_of!(rank_history, account, project);
    delete(history.filter(rank_history::keyword_id.eq_any(&some))).execute(db)?;
    let pages = rows_of!(latest_serps, account, project);
    delete(pages.filter(latest_serps::keyword_id.eq_any(&some))).execute(db)?;
    delete(rows_of!(keywords, account, project).filter(keywords::id.eq_any(&some))).execute(db)?;
    Ok(!some.is_empty())
}

fn rows(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let limit = count(console_rows::MAX_DELETED_SPANS);
    let some = first_of!(db, console_spans.id, limit, account, project);
    console_rows::forget_spans(db, account, &some)?;
    Ok(!some.is_empty())
}

fn logged_events(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let some: Vec<i64> = rows_of!(events, account)
        .filter(events::project_id.eq(project.0))
        .order(events::seq)
        .limit(RECORDS)
        .select(events::seq)
        .load(db)?;
    event_queries::remove(db, account, &some)?;
    Ok(!some.is_empty())
}

/// Those of an engine and a day: as many as the project had AI-tracked keywords, for each analysis.
fn tallies(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    let first: Option<(String, chrono::NaiveDate)> = rows_of!(ai_tallies, account, project)
        .order((ai_tallies::engine, ai_tallies::day))
        .select((ai_tallies::engine, ai_tallies::day))
        .first(db)
        .optional()?;
    let Some((engine, day)) = first else {
        return Ok(false);
    };
    let these = rows_of!(ai_tallies, account, project)
        .filter(ai_tallies::engine.eq(engine))
        .filter(ai_tallies::day.eq(day));
    delete(these).execute(db)?;
    Ok(true)
}

fn ended_jobs(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<bool> {
    macro_rules! remove {
        ($($table:ident),+ of $jobs:expr) => {
            $(delete(rows_of!($table, account).filter($table::job_id.eq_any($jobs))).execute(db)?;)+
        };
    }
    let some = first_of!(db, jobs.id, JOBS, account, project);
    remove!(staged_findings, staged_pages, journal_entries, paid_calls of &some);
    delete(rows_of!(jobs, account, project).filter(jobs::id.eq_any(&some))).execute(db)?;
    Ok(!some.is_empty())
}

/// Tables of which a project has few rows, and the project.
fn purge_remaining(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<()> {
    macro_rules! remove {
        ($($table:ident),+) => { $(delete(rows_of!($table, account, project)).execute(db)?;)+ };
    }
    schedules::forget_project(db, account, project)?;
    console_bindings::forget_project(db, account, project)?;
    remove!(
        named_sites,
        ignored_suggestions,
        assignments,
        brands,
        project_grants,
        result_heads,
        result_carries,
        project_usage
    );
    let this = rows_of!(projects, account).filter(projects::id.eq(project.0));
    delete(this).execute(db).map(drop)
}
