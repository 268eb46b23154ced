//! Transfers between databases: complete, resumed after a kill, verified, and refused.

use super::{
    ai_visibility::tracked,
    api::Api,
    backups::backup,
    every_table::{self, Dump, Rows, elsewhere, fill},
    on_both,
    process::Process,
    website::Website,
    world::World,
};
use analysis::result_type::ResultType;
use harness::databases::TestDatabase;
use serde_json::Value;
use std::{collections::BTreeMap, fs, time::Duration};
use storage::DatabaseKind;

on_both!(
    every_table_is_transferred_and_the_source_unchanged,
    interrupted_transfer_resumes_in_any_table,
    killed_transfer_resumes,
    a_changed_or_other_source_is_refused,
    a_target_with_rows_is_refused,
    transfer_is_refused_while_either_database_is_in_use,
    changed_or_lost_row_is_detected,
    every_response_is_the_same_after_a_transfer,
);

/// Everything that is transferred: all tables but the processes' notes.
async fn dump(database: &TestDatabase) -> Dump {
    let mut all = every_table::dump(database).await;
    assert!(all.0.remove("server_notes").is_some());
    all
}

/// Runs `transfer` from the world's database and returns its report.
fn transfer(world: &World, to: &str) -> Value {
    world.database.end_connections();
    let report = world.run_command(&["transfer", "--json", "--to", to]);
    serde_json::from_str(&report).unwrap()
}

fn fail(world: &World, to: &str) -> String {
    world.database.end_connections();
    world.run_failing_command(&["transfer", "--to", to])
}

const fn other(kind: DatabaseKind) -> DatabaseKind {
    match kind {
        DatabaseKind::Postgres => DatabaseKind::Sqlite,
        DatabaseKind::Sqlite => DatabaseKind::Postgres,
    }
}

/// The bytes of a SQLite file; `None` for PostgreSQL.
fn bytes(world: &World) -> Option<Vec<u8>> {
    let path = world.database.url.strip_prefix("sqlite://")?;
    Some(fs::read(path).unwrap())
}

async fn every_table_is_transferred_and_the_source_unchanged(mut world: World) {
    fill(&world, Rows::Few).await;
    let before = (bytes(&world), dump(&world.database).await);
    // An empty table would prove nothing.
    for (table, rows) in &before.1.0 {
        assert!(rows.len() >= 6, "{table}");
    }
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let target = elsewhere(kind).await;
        let report = transfer(&world, &target.url);
        assert_eq!(report["rowsBefore"], 0, "{report}");
        dump(&target).await.assert_is(&before.1);
        let tables: Vec<&str> = { report["tables"].as_array().unwrap().iter() }
            .map(|it| it["table"].as_str().unwrap())
            .collect();
        let mut sorted = tables.clone();
        sorted.sort_unstable();
        let there: Vec<&str> = before.1.0.keys().map(String::as_str).collect();
        assert_eq!(sorted, there, "{kind:?}");
        assert!(bytes(&world) == before.0);
        dump(&world.database).await.assert_is(&before.1);
        // A transfer back restores the original.
        target.end_connections();
        let back = elsewhere(world.database.kind()).await;
        world.run_command(&["transfer", "--from", &target.url, "--to", &back.url]);
        dump(&back).await.assert_is(&before.1);
        target.end_connections();
        forget_secrets(&target);
        world.set("DATABASE_URL", &target.url);
        let (_server, _) = world.serve(&["--no-worker"]);
        world.set("DATABASE_URL", &world.database.url.clone());
    }
}

/// Makes the target refuse row 140 of a table, in its second batch.
fn refuse(target: &TestDatabase, table: &str) {
    target.run_sql(&match target.kind() {
        DatabaseKind::Sqlite => format!(
            "CREATE TRIGGER refusing BEFORE INSERT ON {table} WHEN NEW.rowid IS NOT NULL AND (SELECT count(*) FROM {table}) = 139 \
             BEGIN SELECT RAISE(ABORT, 'refused'); END"
        ),
        DatabaseKind::Postgres => format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF (SELECT count(*) FROM {table}) >= 100 THEN RAISE EXCEPTION 'refused'; END IF; RETURN NEW; END $$; \
             CREATE TRIGGER refusing BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()"
        ),
    });
}

fn accept(target: &TestDatabase, table: &str) {
    target.run_sql(&match target.kind() {
        DatabaseKind::Sqlite => "DROP TRIGGER refusing".to_owned(),
        DatabaseKind::Postgres => {
            format!("DROP TRIGGER refusing ON {table}; DROP FUNCTION refuse()")
        }
    });
}

async fn interrupted_transfer_resumes_in_any_table(mut world: World) {
    fill(&world, Rows::Many).await;
    let before = dump(&world.database).await;
    let target = elsewhere(other(world.database.kind())).await;
    world.run_command(&["migrate", "--database-url", &target.url]);
    let mut rows_before = 0;
    for table in ["accounts", "jobs", "user_directory", "rank_history"] {
        refuse(&target, table);
        let failure = fail(&world, &target.url);
        assert!(
            failure.contains(&format!("cannot write to {table}")) && failure.contains("refused"),
            "{failure}"
        );
        accept(&target, table);
        let copied = dump(&target).await.0[table].len();
        assert_eq!(copied, 100, "{table}");

        // An unfinished database must not be used.
        let own = world.database.url.clone();
        world.set("DATABASE_URL", &target.url);
        for arguments in [
            &["serve", "--listen", "127.0.0.1:0"][..],
            &["worker"],
            &["account", "list"],
            &["migrate"],
            &["doctor", "--json"],
        ] {
            let ran = world.command(arguments).output().unwrap();
            let output = [ran.stdout, ran.stderr].concat();
            let output = String::from_utf8(output).unwrap();
            assert!(
                !ran.status.success()
                    && output.contains("transfer into this database is unfinished"),
                "{arguments:?}: {output}"
            );
        }
        let nowhere = world.folder().join("nowhere.db");
        let nowhere = format!("sqlite://{}", nowhere.display());
        let refusal = world.run_failing_command(&["transfer", "--to", &nowhere]);
        assert!(refusal.contains("is not a source"), "{refusal}");
        world.set("DATABASE_URL", &own);
        let all = dump(&target).await.rows();
        assert!(all > rows_before, "{table}");
        rows_before = all;
    }
    let report = transfer(&world, &target.url);
    assert_eq!(report["rowsBefore"], rows_before, "{report}");
    dump(&target).await.assert_is(&before);
}

/// Makes inserts into the table slower than any test.
fn slow_down_inserts(target: &TestDatabase, table: &str) {
    target.run_sql(&match target.kind() {
        DatabaseKind::Sqlite => {
            let many = ["a", "b", "c", "d", "e", "f"].map(|it| format!("accounts AS {it}"));
            format!(
                "CREATE TRIGGER holding BEFORE INSERT ON {table} BEGIN SELECT count(*) FROM {}; END",
                many.join(", ")
            )
        }
        DatabaseKind::Postgres => format!(
            "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NEW; END $$; \
             CREATE TRIGGER holding BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION hold()"
        ),
    });
}

fn release(target: &TestDatabase, table: &str) {
    target.run_sql(&match target.kind() {
        DatabaseKind::Sqlite => "DROP TRIGGER holding".to_owned(),
        DatabaseKind::Postgres => {
            format!("DROP TRIGGER holding ON {table}; DROP FUNCTION hold()")
        }
    });
}

async fn killed_transfer_resumes(mut world: World) {
    fill(&world, Rows::Many).await;
    let before = dump(&world.database).await;
    let target = elsewhere(other(world.database.kind())).await;
    world.run_command(&["migrate", "--database-url", &target.url]);
    // On a fast machine it would end before it is killed.
    slow_down_inserts(&target, "rank_history");
    for pause in [20, 60, 100, 300] {
        world.database.end_connections();
        let mut process = Process::start(world.command(&["transfer", "--to", &target.url]));
        process.await_line("Copying to");
        tokio::time::sleep(Duration::from_millis(pause)).await;
        process.kill();
    }
    release(&target, "rank_history");
    let report = transfer(&world, &target.url);
    let (all, rows_before) = (report["rows"].as_u64(), report["rowsBefore"].as_u64());
    assert!(rows_before > Some(0) && rows_before < all, "{report}");
    dump(&target).await.assert_is(&before);
    forget_secrets(&target);
    world.set("DATABASE_URL", &target.url);
    let (_server, _) = world.serve(&["--no-worker"]);
}

/// A server opens its secrets, and those of [`fill`] do not open.
fn forget_secrets(database: &TestDatabase) {
    for table in ["sealed_secrets", "server_keys", "server_secrets"] {
        database.run_sql(&format!("DELETE FROM {table}"));
    }
}

/// A target with an unfinished transfer of this source.
async fn unfinished(world: &World) -> TestDatabase {
    let target = elsewhere(other(world.database.kind())).await;
    world.run_command(&["migrate", "--database-url", &target.url]);
    refuse(&target, "projects");
    fail(world, &target.url);
    accept(&target, "projects");
    target
}

async fn a_changed_or_other_source_is_refused(world: World) {
    fill(&world, Rows::Many).await;
    let target = unfinished(&world).await;
    let half = dump(&target).await;
    // A backup changes nothing that is transferred. One of the unfinished target is refused.
    let file = backup(&world);
    let file = file.to_str().unwrap();
    let refusal = world.run_failing_command(&["backup", file, "--database-url", &target.url]);
    assert!(refusal.contains("is unfinished"), "{refusal}");
    world.run_command(&["backup", file]);
    for (change, back, difference) in [
        (
            "UPDATE brands SET names = names || '!' WHERE account_id = 7",
            "UPDATE brands SET names = substr(names, 1, length(names) - 1) WHERE account_id = 7",
            "brands: 150 rows, and their contents differ",
        ),
        (
            "INSERT INTO server_secrets SELECT 'new', value FROM server_secrets WHERE name = (SELECT min(name) FROM server_secrets)",
            "DELETE FROM server_secrets WHERE name = 'new'",
            "server_secrets: 15",
        ),
    ] {
        world.database.run_sql(change);
        let refusal = fail(&world, &target.url);
        assert!(
            refusal.contains("is not what it was") && refusal.contains(difference),
            "{refusal}"
        );
        dump(&target).await.assert_is(&half);
        world.database.run_sql(back);
    }
    let another = World::on(world.database.kind()).await;
    let refusal = fail(&another, &target.url);
    assert!(refusal.contains("is not what it was"), "{refusal}");
    transfer(&world, &target.url);
    dump(&target).await.assert_is(&dump(&world.database).await);
}

async fn a_target_with_rows_is_refused(world: World) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let target = elsewhere(kind).await;
        world.run_command(&["migrate", "--database-url", &target.url]);
        target.run_sql(
            "INSERT INTO server_spending (day, reserved, spent) VALUES ('2026-11-20', 0, 0)",
        );
        let refusal = fail(&world, &target.url);
        assert!(
            refusal.contains("is not empty (server_spending)"),
            "{refusal}"
        );
        target.run_sql("DELETE FROM server_spending");
        transfer(&world, &target.url);
        let refusal = fail(&world, &target.url);
        assert!(
            refusal.contains("is not empty (") && refusal.contains("accounts"),
            "{refusal}"
        );
    }
    let refusal = fail(&world, &world.database.url.clone());
    assert!(refusal.contains("are the same database"), "{refusal}");
    let ran = world.command(&["transfer"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

async fn transfer_is_refused_while_either_database_is_in_use(mut world: World) {
    let own = world.database.url.clone();
    let target = elsewhere(other(world.database.kind())).await;
    world.database.end_connections();
    let (server, _) = world.serve(&["--no-worker"]);
    let refusal = world.run_failing_command(&["transfer", "--to", &target.url]);
    assert!(refusal.contains("running on"), "{refusal}");
    server.terminate();
    world.set("DATABASE_URL", &target.url);
    let (server, _) = world.serve(&["--no-worker"]);
    world.set("DATABASE_URL", &own);
    let refusal = world.run_failing_command(&["transfer", "--to", &target.url]);
    assert!(refusal.contains("running on"), "{refusal}");
    server.terminate();
    // The URL may be in a file, which hides its password.
    forget_secrets(&target);
    let file = world.folder().join("target.url");
    fs::write(&file, format!("{}\n", target.url)).unwrap();
    world.run_command(&["transfer", "--to-file", file.to_str().unwrap()]);
}

/// Makes the target change or drop the third row of `brands`.
fn spoil(target: &TestDatabase, is_lost: bool) {
    let (sqlite, postgres) = if is_lost {
        (
            "BEFORE INSERT ON brands WHEN NEW.account_id = 3 BEGIN SELECT RAISE(IGNORE)",
            "RETURN NULL",
        )
    } else {
        (
            "AFTER INSERT ON brands WHEN NEW.account_id = 3 \
             BEGIN UPDATE brands SET names = names || ' ' WHERE account_id = 3",
            "NEW.names := NEW.names || ' '",
        )
    };
    target.run_sql(&match target.kind() {
        DatabaseKind::Sqlite => format!("CREATE TRIGGER spoiling {sqlite}; END"),
        DatabaseKind::Postgres => format!(
            "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NEW.account_id = 3 THEN {postgres}; END IF; RETURN NEW; END $$; \
             CREATE TRIGGER spoiling BEFORE INSERT ON brands FOR EACH ROW EXECUTE FUNCTION spoil()"
        ),
    });
}

async fn changed_or_lost_row_is_detected(mut world: World) {
    fill(&world, Rows::Few).await;
    let own = world.database.url.clone();
    for (is_lost, words) in [
        (false, "brands: 8 rows, and their contents differ"),
        (true, "brands: 8 rows in the source, 7 in the target"),
    ] {
        let target = elsewhere(other(world.database.kind())).await;
        world.run_command(&["migrate", "--database-url", &target.url]);
        spoil(&target, is_lost);
        // Verification keeps failing while the fault is there.
        for _ in 0..2 {
            let failure = fail(&world, &target.url);
            let is_reported = failure.contains("verification failed") && failure.contains(words);
            assert!(is_reported, "{failure}");
        }
        world.set("DATABASE_URL", &target.url);
        let refusal = world.run_failing_command(&["serve", "--listen", "127.0.0.1:0"]);
        assert!(refusal.contains("is unfinished"), "{refusal}");
        world.set("DATABASE_URL", &own);
    }
}

/// All pages of every endpoint by path, without time-dependent values.
async fn answers(api: &Api, projects: &[i64], jobs: &[i64]) -> BTreeMap<String, Value> {
    let mut paths: Vec<String> = [
        "/health",
        "/models",
        "/projects?include=total",
        "/analyze?include=total",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.extend(
        ["active", "deactivated", "all"].map(|it| format!("/projects?limit=1&status={it}")),
    );
    paths.extend(jobs.iter().map(|it| format!("/analyze?jobId={it}")));
    for project in projects {
        paths.push(format!("/projects/{project}"));
        paths.push(format!("/projects/{project}/keywords?limit=2"));
        paths.push(format!(
            "/projects/{project}/keywords?include=total&sort=-position"
        ));
        for it in ResultType::ALL {
            paths.push(format!("/results?type={it}&projectId={project}&limit=3"));
            paths.push(format!(
                "/results?type={it}&projectId={project}&history=true&limit=100&include=total"
            ));
        }
    }
    let mut all = BTreeMap::new();
    for first in paths {
        let mut cursor = None;
        for page in 1..=20 {
            let path = match &cursor {
                None => first.clone(),
                Some(cursor) => format!("{first}&cursor={cursor}"),
            };
            let (status, mut answer) = api.call("GET", &path, None).await;
            if let Some(now) = answer.get_mut("serverTime") {
                *now = Value::Null;
            }
            // Cursors hold their creation time.
            cursor = answer["nextCursor"].as_str().map(str::to_owned);
            if cursor.is_some() {
                answer["nextCursor"] = true.into();
            }
            answer["status-code"] = status.into();
            all.insert(format!("{first} page {page}"), answer);
            if cursor.is_none() {
                break;
            }
        }
    }
    all
}

async fn every_response_is_the_same_after_a_transfer(mut world: World) {
    let site = Website::start();
    let host = "one.example.com";
    let resolve = format!(
        "[\"{host}:80={}\",\"{host}:443=127.0.0.1:1\"]",
        site.address
    );
    world.set("CRAWLER__RESOLVE", &resolve);
    world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
    world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    for limit in ["READS", "WRITES", "ACCOUNT"] {
        world.set(&format!("LIMITS__{limit}_PER_MINUTE"), "60000");
        world.set(&format!("LIMITS__{limit}_BURST"), "6000");
    }
    let (server, api) = world.serve(&[]);
    let projects = [api.project(host, 4).await, tracked(&api, 2).await];
    let mut jobs = vec![];
    for (kind, project) in [
        ("rankCheck", projects[0]),
        ("siteAudit", projects[0]),
        ("aiVisibility", projects[1]),
    ] {
        let job = api.analyze(kind, project).await;
        let over = api.finished(job).await;
        assert_eq!(over["status"], "succeeded", "{over}");
        jobs.push(job);
    }
    server.terminate();
    let (server, api) = world.serve(&["--no-worker"]);
    let before = answers(&api, &projects, &jobs).await;
    let paged = format!("/results?type=content&projectId={}&limit=3", projects[0]);
    let first = api.get(&paged).await;
    let second = format!("{paged}&cursor={}", first["nextCursor"].as_str().unwrap());
    let items = api.get(&second).await["items"].clone();
    server.terminate();

    let target = elsewhere(other(world.database.kind())).await;
    transfer(&world, &target.url);
    world.keep_key_file();
    world.set("DATABASE_URL", &target.url);
    let (_server, api) = world.serve(&["--no-worker"]);
    assert_eq!(api.get(&second).await["items"], items);
    let after = answers(&api, &projects, &jobs).await;
    let refused = |it: &&Value| it["status-code"] != 200;
    assert_eq!(before.values().find(refused), None);
    assert!(before.len() > 100, "{}", before.len());
    for (path, answer) in &before {
        assert_eq!(&after[path], answer, "{path}");
    }
    assert_eq!(after.len(), before.len());
}
