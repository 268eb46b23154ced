//! Each query of `tests/chaos` can fail: for each there is a violation that it counts.

use super::{Queue, machine::INVARIANTS};
use chrono::TimeDelta;
use domain::job::Job;
use harness::{databases::TestDatabase, on_every_database};
use std::collections::BTreeSet;

on_every_database![
    every_invariant_detects_its_violation,
    every_audit_query_detects_its_violation,
];

const AUDIT: &str = include_str!("../../chaos/audit.sql");
const ONE: &str = "(SELECT min(account_id) FROM accounts)";

/// The text of each invariant, and statements that violate it.
const BROKEN: [(&str, &str); 27] = [
    (
        "accounts that run more than they may",
        "COPY jobs WHERE state = 'running' TIMES 4 SET id = id + 1, dedupe_key = dedupe_key || 'x'",
    ),
    (
        "accounts that wanted the same twice at the same time",
        "DROP INDEX jobs_unfinished_key; COPY jobs WHERE state = 'ready' TIMES 1 SET id = id + 1",
    ),
    (
        "jobs that run without a lease of their epoch",
        "UPDATE jobs SET epoch = epoch + 1 WHERE state = 'running'",
    ),
    (
        "jobs that are held and do not run",
        "UPDATE jobs SET lease_owner = 'w' WHERE state = 'ready'",
    ),
    (
        "jobs that are over without a moment of their end, or have one before",
        "UPDATE jobs SET finished_at = NULL",
    ),
    (
        "jobs that are over without a moment of their end, or have one before",
        "UPDATE jobs SET finished_at = created_at WHERE state = 'ready'",
    ),
    (
        "jobs with more attempts than there may be, or more deaths of workers",
        "UPDATE jobs SET attempt = 6",
    ),
    (
        "jobs with more attempts than there may be, or more deaths of workers",
        "UPDATE jobs SET crash_count = 4",
    ),
    (
        "accounts whose line counts others than wait",
        "UPDATE account_queues SET waiting = waiting + 1",
    ),
    (
        "accounts whose line counts others than run",
        "UPDATE account_queues SET running = running - 1",
    ),
    (
        "jobs that wait without a line to wait in",
        "DELETE FROM account_queues",
    ),
    (
        "short jobs that a slot for them would look for later than they may run",
        "UPDATE account_queues SET next_short_run_at = NULL",
    ),
    (
        "jobs that would be looked for later than they may run",
        "UPDATE account_queues SET next_run_at = NULL",
    ),
    (
        "jobs whose lease, deadline or last moment would be noticed too late",
        "UPDATE account_queues SET attention_at = NULL",
    ),
    (
        "accounts with other money set aside than their unfinished jobs have",
        "UPDATE spending SET reserved = reserved - 1",
    ),
    (
        "accounts whose days have other money set aside than their months",
        "UPDATE daily_spending SET reserved = reserved + 1",
    ),
    (
        "months for which accounts spent and set aside more than they may",
        "UPDATE spending SET spent = spent + 1",
    ),
    (
        "days for which accounts spent and set aside more than they may",
        "UPDATE daily_spending SET reserved = reserved + 1",
    ),
    (
        "days for which the server counts other money than its accounts",
        "UPDATE server_spending SET spent = spent - 1",
    ),
    (
        "days for which the server counts other money than its accounts",
        "UPDATE server_spending SET reserved = reserved + 1",
    ),
    (
        "days of accounts that the server does not count",
        "DELETE FROM server_spending",
    ),
    (
        "money below nothing",
        "UPDATE daily_spending SET reserved = -1",
    ),
    (
        "jobs that spent more than was set aside for them",
        "UPDATE jobs SET cost_spent = cost_reserved + 1",
    ),
    (
        "heads of results of jobs that did not succeed",
        "UPDATE jobs SET state = 'failed' WHERE state = 'succeeded'",
    ),
    (
        "records on their way for jobs that are over",
        "UPDATE jobs SET state = 'expired' WHERE state = 'running'",
    ),
    (
        "keywords that a job measured twice",
        "COPY rank_history WHERE 1 = 1 TIMES 1 SET project_id = project_id + 1",
    ),
    ("money below nothing", "UPDATE spending SET spent = -1"),
];

/// The same for the audit, which checks what is left after every job has ended.
const LEFT: [(&str, &str); 26] = [
    (
        "jobs that are not over",
        "UPDATE jobs SET state = 'retry_wait'",
    ),
    (
        "jobs that failed otherwise, expired or were canceled",
        "UPDATE jobs SET state = 'expired'",
    ),
    (
        "jobs that failed otherwise, expired or were canceled",
        "UPDATE jobs SET state = 'failed', crash_count = 2",
    ),
    (
        "jobs that are over and still held",
        "UPDATE jobs SET lease_until = finished_at",
    ),
    (
        "jobs with more attempts than there may be",
        "UPDATE jobs SET attempt = 6",
    ),
    (
        "jobs without the moment of their end",
        "UPDATE jobs SET finished_at = NULL",
    ),
    (
        "projects for which the same analysis was accepted twice",
        "COPY jobs WHERE 1 = 1 TIMES 1 SET id = id + 1",
    ),
    (
        "keywords that a job measured twice",
        "COPY rank_history WHERE 1 = 1 TIMES 1 SET project_id = project_id + 1",
    ),
    (
        "rank checks that succeeded without a measurement of each keyword",
        "DELETE FROM rank_history WHERE account_id = ONE",
    ),
    (
        "rank checks that succeeded without a record of each keyword",
        "DELETE FROM findings WHERE account_id = ONE",
    ),
    (
        "jobs that succeeded without a result",
        "DELETE FROM result_heads WHERE account_id = ONE",
    ),
    (
        "answers that a job kept twice",
        "DROP INDEX ai_answers_by_question; ANSWER 1; COPY ai_answers WHERE 1 = 1 TIMES 1 SET id = id + 1",
    ),
    (
        "numbers of answers that not every run of the AI engines has",
        "ANSWER 1; COPY ai_answers WHERE account_id = ONE TIMES 1 SET id = id + 1, sample = 2",
    ),
    (
        "types of which equal sites have different numbers of records",
        "UPDATE jobs SET kind = 'siteAudit'; COPY findings WHERE account_id = ONE TIMES 1 SET ordinal = ordinal + 1000",
    ),
    (
        "pages that an audit kept, and are not those of its site",
        "PAGE 1; COPY kept_pages WHERE account_id = ONE TIMES 1 SET url_hash = 2",
    ),
    (
        "published records of jobs that did not succeed",
        "UPDATE jobs SET state = 'failed'",
    ),
    (
        "heads of results of jobs that did not succeed",
        "UPDATE result_heads SET job_id = job_id + 1",
    ),
    (
        "records on their way that nobody will publish",
        "INSERT INTO staged_findings SELECT account_id, job_id, result_type, ordinal, keyword_id, url, url_hash, sort_value, measured_at, record, packed FROM findings",
    ),
    (
        "pages on their way that nobody will keep",
        "INSERT INTO staged_pages SELECT account_id, id, 1, 'u', finished_at, NULL, NULL, NULL, '' FROM jobs",
    ),
    (
        "notes of crawls that nobody will read",
        "INSERT INTO journal_entries SELECT account_id, id, 1, BYTES FROM jobs",
    ),
    (
        "accounts whose line counts jobs that are not there",
        "UPDATE account_queues SET waiting = 1",
    ),
    (
        "accounts whose line counts jobs that are not there",
        "UPDATE account_queues SET running = 1",
    ),
    (
        "accounts whose line counts jobs that are not there",
        "UPDATE account_queues SET next_run_at = (SELECT max(finished_at) FROM jobs)",
    ),
    (
        "accounts with money set aside for nothing",
        "UPDATE spending SET reserved = 1",
    ),
    (
        "days with money set aside for nothing",
        "UPDATE daily_spending SET reserved = 1",
    ),
    (
        "days of the server with money set aside for nothing",
        "UPDATE server_spending SET reserved = 1",
    ),
];

/// Expands `COPY table WHERE condition TIMES n SET assignments`, which copies rows n times, each time from the previous
/// copy. The other words in capitals are abbreviations, or differ between the databases.
fn in_sql(statement: &str, db: &TestDatabase) -> String {
    let bytes = match db.kind() {
        storage::DatabaseKind::Postgres => "CAST('x' AS BYTEA)",
        storage::DatabaseKind::Sqlite => "CAST('x' AS BLOB)",
    };
    let statement = statement
        .trim()
        .replace("ANSWER 1", "INSERT INTO ai_answers SELECT account_id, 1, project_id, id, NULL, 'e', 'p', 1, finished_at, BYTES FROM jobs")
        .replace("PAGE 1", "INSERT INTO kept_pages SELECT account_id, project_id, 1, 'u', finished_at, NULL, NULL, BYTES, '' FROM jobs")
        .replace("BYTES", bytes)
        .replace("ONE", ONE);
    let Some(rest) = statement.strip_prefix("COPY ") else {
        return format!("{statement};");
    };
    let (table, rest) = rest.split_once(" WHERE ").unwrap();
    let (which, rest) = rest.split_once(" TIMES ").unwrap();
    let (times, assignments) = rest.split_once(" SET ").unwrap();
    let once = format!("UPDATE more SET {assignments}; INSERT INTO {table} SELECT * FROM more;");
    let all = once.repeat(times.parse().unwrap());
    format!("CREATE TEMPORARY TABLE more AS SELECT * FROM {table} WHERE {which}; {all}")
}

/// Asserts that the file counts no violation, and that each of its queries counts one of these breaches.
fn assert_all_can_fail(db: &TestDatabase, file: &str, breaches: &[(&str, &str)]) {
    let mut queries = BTreeSet::new();
    for (rule, wrong) in db.counts(file) {
        if let Some(rule) = rule.strip_prefix("wrong: ") {
            assert_eq!(wrong, 0, "{rule}");
            assert!(queries.insert(rule.to_owned()), "two are about {rule}");
        }
    }
    let broken: BTreeSet<String> = breaches.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(queries, broken, "each query and nothing else is broken");
    for (rule, statements) in breaches {
        let statements: String = { statements.split("; ") }
            .map(|it| in_sql(it, db))
            .collect();
        let counted = db.counts_after(&statements, file);
        let of_query = { counted.iter() }.find(|it| it.0 == format!("wrong: {rule}"));
        assert!(of_query.unwrap().1 > 0, "{statements} is not: {rule}");
    }
    for (rule, wrong) in db.counts(file) {
        assert!(wrong == 0 || !rule.starts_with("wrong: "), "{rule} stays");
    }
}

/// Two accounts, each with a rank check that succeeded; their whole budget is spent or reserved.
async fn measured(queue: &Queue) -> Vec<Job> {
    let mut done = vec![];
    for email in ["ann@example.com", "bob@example.com"] {
        let account = queue.account(email).await;
        let project = queue.project(account, "a.example.com", &["rust"]).await;
        queue.request_job(account, project).await;
        let job = queue.claim("w").await.unwrap();
        let measured = queue.measure(&job, 1).await;
        queue.record(&job, &measured).await.unwrap();
        done.push(queue.publish(&job).await.unwrap());
    }
    done
}

async fn every_invariant_detects_its_violation(db: TestDatabase) {
    let queue = Queue::on(&db);
    let done = measured(&queue).await;
    let ann = done[0].account;
    // One job runs with a recorded measurement, and one waits for it.
    for host in ["b.example.com", "c.example.com"] {
        let project = queue.project(ann, host, &["rust"]).await;
        queue.request_job(ann, project).await;
        queue.clock.advance(TimeDelta::seconds(1));
    }
    let running = queue.claim("w").await.unwrap();
    let measured = queue.measure(&running, 1).await;
    queue.record(&running, &measured).await.unwrap();
    for (budget, counter) in [
        ("monthly_budget", "spending"),
        ("daily_budget", "daily_spending"),
    ] {
        db.run_sql(&format!(
            "UPDATE accounts SET {budget} = (SELECT sum(spent + reserved) FROM {counter} WHERE {counter}.account_id = accounts.account_id)"
        ));
    }
    assert_all_can_fail(&db, INVARIANTS, &BROKEN);
}

async fn every_audit_query_detects_its_violation(db: TestDatabase) {
    measured(&Queue::on(&db)).await;
    assert_all_can_fail(&db, AUDIT, &LEFT);
}
