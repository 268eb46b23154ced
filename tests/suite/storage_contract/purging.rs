//! A project is purged with all of its rows, and nothing else.

use super::examples::*;
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::InstrumentationEvent,
    sql_query,
    sql_types::{BigInt, Text},
};
use domain::{
    ids::{AccountId, ProjectId},
    project::Project,
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::{BTreeMap, BTreeSet};
use storage::DatabaseKind;

on_every_storage![
    deactivated_projects_are_found_by_their_date;
    but not in memory:
    a_purged_project_leaves_no_row_in_any_table = "it reads tables by SQL",
    purge_batches_are_bounded = "a project is purged at once",
];

/// A row of each table that the examples leave empty; `{a}` is the account.
const ROWS: [&str; 24] = [
    "INSERT INTO project_grants (account_id, user_id, project_id, granted_by, granted_at) VALUES ({a}, (SELECT id FROM users WHERE account_id = {a}), 11, 1, {t})",
    "INSERT INTO findings (account_id, project_id, result_type, job_id, ordinal, measured_at, record) VALUES ({a}, 11, 'rankings', 31, 0, {t}, '{}')",
    "INSERT INTO result_heads (account_id, project_id, result_type, job_id, generated_at, measured_at, method_version, provider, provenance, requested, measured, failed, skipped, item_count, summary, warnings) VALUES ({a}, 11, 'rankings', 31, {t}, {t}, 'rankings/1', 'x', 'measured', 1, 1, 0, 0, 1, '{}', '[]')",
    "INSERT INTO result_carries (account_id, project_id, result_type, carried) VALUES ({a}, 11, 'rankings', '{}')",
    "INSERT INTO rank_history (account_id, project_id, keyword_id, day, job_id, engine, provenance, measured_at, state, depth_checked) VALUES ({a}, 11, 21, '2026-01-01', 31, 'x', 'measured', {t}, 'ranked', 10)",
    "INSERT INTO latest_serps (account_id, project_id, keyword_id, job_id, measured_at, serp) VALUES ({a}, 11, 21, 31, {t}, '{}')",
    "INSERT INTO kept_pages (account_id, project_id, url_hash, url, visited_at, body, memory) VALUES ({a}, 11, 7, 'x', {t}, {b}, '{}')",
    "INSERT INTO schedules (account_id, project_id, kind, days, time_of_day, zone, next_at) VALUES ({a}, 11, 'rankCheck', 'mon', '08:00', 'UTC', {t})",
    "INSERT INTO account_schedules (account_id, next_at) VALUES ({a}, {t})",
    "INSERT INTO named_sites (account_id, project_id, domain, role, named_at) VALUES ({a}, 11, 'rival.com', 'competitor', {t})",
    "INSERT INTO ignored_suggestions (account_id, project_id, suggestion_id, ignored_at) VALUES ({a}, 11, 'a1', {t})",
    "INSERT INTO assignments (account_id, project_id, subject_kind, subject_key, user_id, assigned_by, assigned_at) VALUES ({a}, 11, 'issue', 'http4xx', (SELECT id FROM users WHERE account_id = {a}), 1, {t})",
    "INSERT INTO events (account_id, seq, at, measured_at, kind, severity, project_id, subject, simulated, dedupe_key, body) VALUES ({a}, 1, {t}, {t}, 'rank.changed', 'info', 11, 'keyword:21', {f}, 'x', '{}')",
    "INSERT INTO account_event_heads (account_id, last_seq, bytes) VALUES ({a}, 1, 2)",
    "INSERT INTO brands (account_id, project_id, domain, names) VALUES ({a}, 11, 'rival.com', '[]')",
    "INSERT INTO console_spans (account_id, id, project_id, cut, first_day, last_day, row_count, origin, label, imported_at) VALUES ({a}, 51, 11, 'query', '2026-01-01', '2026-01-01', 1, 'export', 'x', {t})",
    "INSERT INTO console_rows (account_id, span_id, ordinal, query, clicks, impressions) VALUES ({a}, 51, 0, 'x', 0, 1)",
    "INSERT INTO console_bindings (account_id, project_id, property, bound_at, next_at, failures) VALUES ({a}, 11, 'sc-domain:x', {t}, {t}, 0)",
    "INSERT INTO content_plans (account_id, id, project_id, name, clustered_by, item_count, items, created_at, updated_at) VALUES ({a}, 71, 11, 'x', 'words', 0, '[]', {t}, {t})",
    "INSERT INTO ai_answers (account_id, id, project_id, job_id, engine, prompt_id, sample, answered_at, body) VALUES ({a}, 61, 11, 31, 'x', 'p', 0, {t}, {b})",
    "INSERT INTO ai_tallies (account_id, project_id, engine, day, job_id, keyword_id, body) VALUES ({a}, 11, 'x', '2026-01-01', 31, 21, {b})",
    "INSERT INTO journal_entries (account_id, job_id, sequence, body) VALUES ({a}, 31, 0, {b})",
    "INSERT INTO staged_findings (account_id, job_id, result_type, ordinal, measured_at, record) VALUES ({a}, 31, 'rankings', 0, {t}, '{}')",
    "INSERT INTO paid_calls (account_id, job_id, epoch, number, step_hash, step, most, begun_at) VALUES ({a}, 31, 1, 1, 0, 'x', 0, {t})",
];

/// Tables without a project column from which a project's rows are deleted.
const BESIDE: [&str; 5] = [
    "console_rows",
    "journal_entries",
    "paid_calls",
    "staged_findings",
    "staged_pages",
];

const TABLES_SQLITE: &str =
    "SELECT m.name AS name, CAST(0 AS BIGINT) AS number FROM sqlite_schema m
    JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'project_id'";
const TABLES_POSTGRES: &str = "SELECT c.table_name::text AS name, CAST(0 AS BIGINT) AS number
    FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.column_name = 'project_id'
    AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(c.table_name))";

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

fn query_counts(db: &TestStorage, query: &str) -> Vec<Counted> {
    match db.database().kind() {
        DatabaseKind::Postgres => {
            let url = db
                .database()
                .superuser_url()
                .unwrap_or_else(|| db.database().url.clone());
            let mut connection = PgConnection::establish(&url).unwrap();
            connection.set_instrumentation(|_: InstrumentationEvent<'_>| ());
            sql_query(query).load(&mut connection).unwrap()
        }
        DatabaseKind::Sqlite => {
            let path = db.database().url.trim_start_matches("sqlite://");
            let mut connection = SqliteConnection::establish(path).unwrap();
            connection.set_instrumentation(|_: InstrumentationEvent<'_>| ());
            sql_query(query).load(&mut connection).unwrap()
        }
    }
}

/// How many rows of an account there are in each table with projects.
fn rows(db: &TestStorage, account: AccountId) -> BTreeMap<String, i64> {
    let tables = match db.database().kind() {
        DatabaseKind::Postgres => TABLES_POSTGRES,
        DatabaseKind::Sqlite => TABLES_SQLITE,
    };
    let named = query_counts(db, tables).into_iter().map(|it| it.name);
    let tables: BTreeSet<String> = named
        .chain(BESIDE.map(str::to_owned))
        .chain(["projects".to_owned()])
        .collect();
    let counts = tables.iter().map(|table| {
        format!(
            "SELECT '{table}' AS name, COUNT(*) AS number FROM {table} WHERE account_id = {account}"
        )
    });
    let query = counts.collect::<Vec<_>>().join(" UNION ALL ");
    let counted = query_counts(db, &query);
    counted.into_iter().map(|it| (it.name, it.number)).collect()
}

async fn filled(db: &TestStorage) {
    two_accounts_at_work(db).await;
    let (time, bytes, no) = match db.database().kind() {
        DatabaseKind::Postgres => (
            "TIMESTAMPTZ '2026-01-01T00:00:00Z'",
            "'\\x00'::bytea",
            "false",
        ),
        DatabaseKind::Sqlite => ("0", "X'00'", "0"),
    };
    for account in [ANN, BOB] {
        let rows = ROWS.map(|row| {
            row.replace("{a}", &account.to_string())
                .replace("{t}", time)
                .replace("{b}", bytes)
                .replace("{f}", no)
        });
        db.database().run_sql(&rows.join(";"));
    }
}

async fn purge(db: &TestStorage, account: AccountId, project: ProjectId) -> u32 {
    for part in 1..1_000 {
        let is_left = change!(db, tx => tx.projects().purge_batch(account, project).await.unwrap());
        if !is_left {
            return part;
        }
    }
    panic!("it does not end");
}

async fn a_purged_project_leaves_no_row_in_any_table(db: TestStorage) {
    filled(&db).await;
    let before = rows(&db, BOB);
    for (table, number) in rows(&db, ANN) {
        let is_beside = table == "staged_pages";
        assert!(
            number > 0 || is_beside,
            "{table} is not filled by this test"
        );
    }
    change!(db, tx => tx.projects().add(&project(ANN, 12)).await.unwrap());
    purge(&db, ANN, SHOP).await;
    for (table, number) in rows(&db, ANN) {
        let expected = i64::from(table == "projects");
        assert_eq!(number, expected, "{table}");
    }
    let left = read!(db, r => r.projects().find(ANN, ProjectId(12)).await.unwrap());
    assert!(left.is_some(), "other projects stay");
    assert_eq!(rows(&db, BOB), before, "and other accounts");
    // The due time is computed again: nothing is due.
    let due = read!(db, r => r.schedules().accounts_due(now(), 9).await.unwrap());
    assert_eq!(due, [BOB]);
    assert_eq!(
        purge(&db, ANN, SHOP).await,
        1,
        "a second time there is nothing"
    );
}

async fn deactivated_projects_are_found_by_their_date(db: TestStorage) {
    two_accounts(&db).await;
    let gone = |id: i64, second: i64| Project {
        id: ProjectId(id),
        ..project(ANN, id).deactivated(after(second))
    };
    change!(db, tx => for it in [gone(12, 10), gone(13, 5), gone(14, 11)] {
        tx.projects().add(&it).await.unwrap();
    });
    let until = |second: i64, limit: u32| {
        let db = &db;
        async move {
            let mut read = db.storage.read().await.unwrap();
            let found = read.projects().deactivated_until(ANN, after(second), limit);
            found.await.unwrap()
        }
    };
    assert_eq!(until(10, 9).await, [ProjectId(13), ProjectId(12)]);
    assert_eq!(until(10, 1).await, [ProjectId(13)]);
    assert_eq!(until(4, 9).await, []);
    let count = |account| {
        let db = &db;
        async move {
            let mut read = db.storage.read().await.unwrap();
            read.projects().count_all(account).await.unwrap()
        }
    };
    assert_eq!((count(ANN).await, count(BOB).await), (4, 1));
}

async fn purge_batches_are_bounded(db: TestStorage) {
    two_accounts(&db).await;
    let many: Vec<_> = (100..135)
        .map(|id| keyword(ANN, id, &format!("k{id}")))
        .collect();
    change!(db, tx => tx.keywords().add(&many).await.unwrap());
    // Ten keywords each time, the rest, and the project.
    assert_eq!(purge(&db, ANN, SHOP).await, 5);
}
