//! Migrations: the same schema on both databases, revertible step by step, and safe when two processes apply them at
//! once.

use crate::portability::{DIRECTORIES, SHARED};
use diesel::{
    Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query,
    sql_types::Text,
};
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use domain::ports::storage::Storage;
use harness::databases::{TestDatabase, open};
use std::collections::BTreeSet;
use storage::{DatabaseKind, Exclusive, MigrationError, OpenOptions};

const KINDS: [DatabaseKind; 2] = [DatabaseKind::Sqlite, DatabaseKind::Postgres];

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Columns with their nullability, and unique keys, as lines of text; without partitions.
const POSTGRES_SHAPE: &str = "
    SELECT table_name || '.' || column_name || ' ' || is_nullable AS line
    FROM information_schema.columns WHERE table_schema = 'public'
    AND NOT (SELECT relispartition FROM pg_class WHERE oid = to_regclass(table_name))
    UNION ALL
    SELECT t.relname || ' unique ' || (
        SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, n)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    ) || CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END
    FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
    JOIN pg_namespace n ON n.oid = t.relnamespace
    WHERE i.indisunique AND NOT t.relispartition AND n.nspname = 'public'";

const SQLITE_SHAPE: &str = "
    SELECT m.name || '.' || c.name || CASE WHEN c.\"notnull\" OR c.pk THEN ' NO' ELSE ' YES' END AS line
    FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
    UNION ALL
    SELECT m.name || ' unique ' || (
        SELECT group_concat(c.name, ',') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) c
    ) || CASE WHEN i.partial THEN ' partial' ELSE '' END
    FROM sqlite_schema m JOIN pragma_index_list(m.name) i WHERE m.type = 'table' AND i.\"unique\"
    UNION ALL
    SELECT m.name || ' unique ' || c.name
    FROM sqlite_schema m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.pk = 1 AND c.type = 'INTEGER'
    AND (SELECT MAX(pk) FROM pragma_table_info(m.name)) = 1";

fn shape(db: &TestDatabase) -> BTreeSet<String> {
    let lines: Vec<Line> = match db.kind() {
        DatabaseKind::Postgres => {
            let mut connection = PgConnection::establish(&db.url).unwrap();
            sql_query(POSTGRES_SHAPE).load(&mut connection).unwrap()
        }
        DatabaseKind::Sqlite => {
            let path = db.url.trim_start_matches("sqlite://");
            let mut connection = SqliteConnection::establish(path).unwrap();
            sql_query(SQLITE_SHAPE).load(&mut connection).unwrap()
        }
    };
    let lines = lines.into_iter().map(|it| it.line);
    lines.filter(|it| !it.starts_with("__diesel")).collect()
}

#[tokio::test]
async fn both_databases_have_the_same_tables_columns_and_unique_keys() {
    let sqlite = shape(&TestDatabase::empty(DatabaseKind::Sqlite).await);
    let postgres = shape(&TestDatabase::empty(DatabaseKind::Postgres).await);
    assert!(sqlite.len() > 150, "{sqlite:?}");
    let only =
        |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
    assert_eq!(
        (only(&sqlite, &postgres), only(&postgres, &sqlite)),
        (vec![], vec![])
    );
}

#[tokio::test]
async fn unique_keys_of_tenant_tables_begin_with_the_account() {
    let shape = shape(&TestDatabase::empty(DatabaseKind::Postgres).await);
    let foreign = shape
        .iter()
        .filter_map(|it| it.split_once(" unique "))
        .filter(|(table, columns)| {
            let is_directory = DIRECTORIES.iter().chain(&SHARED).any(|it| it == table);
            !is_directory && !columns.starts_with("account_id")
        });
    assert_eq!(foreign.collect::<Vec<_>>(), []);
}

fn steps_there_are(kind: DatabaseKind) -> usize {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let steps = std::fs::read_dir(format!("{folder}/{}", kind.name()));
    steps.unwrap().count()
}

#[tokio::test]
async fn migrations_can_be_reverted_and_reapplied() {
    for kind in KINDS {
        let db = TestDatabase::empty(kind).await;
        let before = shape(&db);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
        let steps = FileBasedMigrations::from_path(format!("{folder}/{}", kind.name())).unwrap();
        if kind == DatabaseKind::Postgres {
            let mut connection = PgConnection::establish(&db.url).unwrap();
            connection.revert_all_migrations(steps).unwrap();
        } else {
            let path = db.url.trim_start_matches("sqlite://");
            let mut connection = SqliteConnection::establish(path).unwrap();
            connection.revert_all_migrations(steps).unwrap();
        }
        assert_eq!(shape(&db), BTreeSet::new(), "{kind:?}");
        assert_eq!(
            db.storage.pending().await.unwrap().len(),
            steps_there_are(kind)
        );
        assert!(db.storage.ping().await.is_err());
        assert_eq!(
            db.storage.migrate().await.unwrap().len(),
            steps_there_are(kind)
        );
        assert_eq!(shape(&db), before, "{kind:?}");
        db.storage.ping().await.unwrap();
    }
}

#[tokio::test]
async fn a_plan_lists_pending_steps_and_affected_rows() {
    for kind in KINDS {
        let db = TestDatabase::without_schema(kind).await;
        let plan = db.storage.plan().await.unwrap();
        assert_eq!(plan.len(), steps_there_are(kind), "{kind:?}");
        assert!(
            plan.iter()
                .flat_map(|it| &it.actions)
                .all(|it| it.rows == 0)
        );
        assert_eq!(db.storage.pending().await.unwrap().len(), plan.len());

        db.storage.migrate().await.unwrap();
        assert_eq!(db.storage.plan().await.unwrap(), []);
        let blob = |number: u8| match kind {
            DatabaseKind::Sqlite => format!("X'0{number}'"),
            DatabaseKind::Postgres => format!("'\\x0{number}'"),
        };
        let time = match kind {
            DatabaseKind::Sqlite => "1",
            DatabaseKind::Postgres => "now()",
        };
        for number in 1..4 {
            let key = blob(number);
            db.run_sql(&format!(
                "INSERT INTO keyword_markets VALUES ({key}, {time}, {time}, 'a', 'us', 'en', {key})"
            ));
        }
        // PostgreSQL's rows are estimated.
        db.run_sql("ANALYZE keyword_markets");
        // As if the step that made and indexed them were still to be taken.
        db.run_sql("DELETE FROM __diesel_schema_migrations WHERE version = '20261128001900'");
        let left = db.storage.plan().await.unwrap();
        assert_eq!(left.len(), 1, "{kind:?}");
        assert_eq!(left[0].name, "2026-11-28-001900_keyword_research");
        let indexed =
            { left[0].actions.iter() }.find(|it| it.table.as_deref() == Some("keyword_markets"));
        assert_eq!(indexed.unwrap().rows, 3, "{kind:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_may_migrate_at_once() {
    for kind in KINDS {
        let db = TestDatabase::without_schema(kind).await;
        let tool = OpenOptions {
            exclusive: Exclusive::Tool,
            ..OpenOptions::default()
        };
        let other = open(&db.url, tool).await;
        let (one, two) = tokio::join!(
            tokio::spawn({
                let it = db.storage.clone();
                async move { it.migrate().await.unwrap() }
            }),
            tokio::spawn(async move { other.migrate().await.unwrap() }),
        );
        let taken = one.unwrap().len() + two.unwrap().len();
        assert_eq!(taken, steps_there_are(kind), "{kind:?}");
        db.storage.ping().await.unwrap();
    }
}

/// A step of a newer version, which this one does not know.
const UNKNOWN_STEP: &str =
    "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000')";

#[tokio::test]
async fn compatible_steps_of_a_newer_version_are_accepted() {
    for kind in KINDS {
        let db = TestDatabase::empty(kind).await;
        db.run_sql(UNKNOWN_STEP);
        db.run_sql("ALTER TABLE projects ADD COLUMN of_tomorrow TEXT");
        assert_eq!(db.storage.pending().await.unwrap(), Vec::<String>::new());
        assert_eq!(db.storage.migrate().await.unwrap(), Vec::<String>::new());
        db.storage.ping().await.unwrap();
    }
}

#[tokio::test]
async fn breaking_steps_of_a_newer_version_are_refused() {
    for kind in KINDS {
        let db = TestDatabase::empty(kind).await;
        db.run_sql(UNKNOWN_STEP);
        db.run_sql("INSERT INTO schema_breaks (version) VALUES ('29990101000000')");
        assert!(
            matches!(db.storage.migrate().await, Err(MigrationError::Newer(_))),
            "{kind:?}"
        );
        assert!(db.storage.ping().await.is_err(), "{kind:?}");
    }
}
