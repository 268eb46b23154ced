//! Invalid settings: the start and `config check` end with exit code 2 and name the fix.

use super::{
    admin_client::AdminClient,
    process::{Process, command},
    world::World,
};
use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection, connection::SimpleConnection,
    sql_query, sql_types::BigInt,
};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, Instant},
};
use storage::DatabaseKind;
use tempfile::TempDir;

/// A variable, its value, and the expected words of the refusal.
const MISTAKES: [(&str, &str, &[&str]); 14] = [
    ("LISTN", "x", &["SIGHTLINE_LISTN", "`listen`"]),
    ("LISTEN", "nowhere", &["SIGHTLINE_LISTEN"]),
    (
        "DATABASE_URL",
        "mysql://u:hunter2@h/d",
        &["DATABASE_URL", "postgres://", "sqlite://"],
    ),
    (
        "DATABASE_URL",
        "postgres://ann:hunter2@h/d?sslmode=verify-ca",
        &["DATABASE_URL", "sslrootcert"],
    ),
    ("LOG__LEVEL", "a=b=c", &["LOG__LEVEL", "a=b=c", "warn"]),
    ("LOG__FORMAT", "xml", &["LOG__FORMAT", "xml", "json"]),
    (
        "PUBLIC_BASE_URL",
        "ftp://x",
        &["PUBLIC_BASE_URL", "ftp://x", "https"],
    ),
    (
        "QUEUE__LEASE_SECONDS",
        "1",
        &["queue.lease_seconds", "20", "is 1"],
    ),
    ("SEARCH__DEPTH", "5", &["search.depth", "10 to 700", "is 5"]),
    (
        "SEARCH__SERPER__BASE_URL",
        "zzz",
        &["SERPER__BASE_URL", "zzz", "https"],
    ),
    (
        "SEARCH__SEARXNG__BASE_URL",
        "htp://me:hunter2@search.example.com",
        &["SEARXNG__BASE_URL", "search.example.com", "https"],
    ),
    // The API's own address.
    (
        "ADMIN__LISTEN",
        "127.0.0.1:8080",
        &["admin.listen", "127.0.0.1:8080", "off"],
    ),
    (
        "CRAWLER__ALLOW_NETWORKS",
        "[\"10\"]",
        &["ALLOW_NETWORKS", "`10`", "127.0.0.0/8"],
    ),
    (
        "CRAWLER__RESOLVE",
        "[\"x\"]",
        &["RESOLVE", "`x`", "docs.example.com:80="],
    ),
];

#[test]
fn invalid_setting_is_named_and_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value, words) in MISTAKES {
        let settings = [(format!("SIGHTLINE_{name}"), value.to_owned())];
        let ran = command(folder.path(), &settings, &["serve"])
            .output()
            .unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(2), "{name}: {stderr}");
        for word in words {
            assert!(
                stderr.contains(word),
                "{name}: `{word}` is missing: {stderr}"
            );
        }
        assert!(!stderr.contains("hunter2"), "{stderr}");
    }
}

#[test]
fn demo_listens_on_the_configured_address() {
    let folder = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let settings = [("SIGHTLINE_LISTEN".to_owned(), address.clone())];
    let ran = command(folder.path(), &settings, &["demo", "--once"])
        .output()
        .unwrap();
    let stderr = String::from_utf8(ran.stderr).unwrap();
    assert_eq!(ran.status.code(), Some(1), "{stderr}");
    let words = format!("cannot listen on {address}");
    assert!(stderr.contains(&words), "{stderr}");
}

/// Standard output, standard error and exit code of `sightline config …`.
fn config(
    place: &TempDir,
    settings: &[(&str, &str)],
    arguments: &[&str],
) -> (String, String, Option<i32>) {
    let settings: Vec<(String, String)> = { settings.iter() }
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut ran = command(place.path(), &settings, &[&["config"], arguments].concat());
    let output = ran.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code(),
    )
}

#[test]
fn all_invalid_settings_are_reported_before_opening() {
    let place = TempDir::new().unwrap();
    let file = "listen = \"here\"\n[crawler]\nmax_page = 7\n[search.serper]\napi_key = \"a-key-of-serper\"\n";
    fs::write(place.path().join("sightline.toml"), file).unwrap();
    let settings = [
        ("SIGHTLINE_WORKER__JOBS", "0"),
        ("SIGHTLINE_CRAWLER_MAX_DEPTH", "3"),
        ("SIGHTLINE_LOG__LEVEL", "loudly"),
        // Nothing listens there, and nothing connects.
        (
            "SIGHTLINE_DATABASE_URL",
            "postgres://u:hunter2@127.0.0.1:1/d",
        ),
    ];
    let parts = [
        "line 1: listen",
        "line 3: crawler.max_page",
        "did you mean crawler.max_pages?",
        "worker.jobs takes 1 to 1000; it is 0 (SIGHTLINE_WORKER__JOBS)",
        "did you mean SIGHTLINE_CRAWLER__MAX_DEPTH?",
        "SIGHTLINE_LOG__LEVEL: takes a level",
    ];
    let (out, err, code) = config(&place, &settings, &["check"]);
    assert_eq!((out.as_str(), code), ("", Some(2)), "{err}");
    let (json, _, code) = config(&place, &settings, &["check", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&report["fine"], code), (&json!(false), Some(2)));
    assert_eq!(
        report["mistakes"].as_array().unwrap().len(),
        5,
        "{report:#}"
    );
    for part in parts {
        assert!(
            err.contains(part) && json.contains(part),
            "{part}: {err} {json}"
        );
    }
    assert!(
        !err.contains("hunter2") && !json.contains("hunter2"),
        "{err}"
    );
    // A start reports the same and opens nothing.
    let mut served = command(place.path(), &[], &["serve"]);
    let served = served.output().unwrap();
    let stderr = String::from_utf8_lossy(&served.stderr).into_owned();
    assert_eq!(served.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains(parts[0]) && stderr.contains(parts[1]),
        "{stderr}"
    );
}

#[test]
fn valid_settings_are_shown_without_secrets() {
    let place = TempDir::new().unwrap();
    let key = place.path().join("key");
    fs::write(&key, "hunter2-of-serper\n").unwrap();
    let settings = [
        (
            "SIGHTLINE_SEARCH__SERPER__API_KEY_FILE",
            key.to_str().unwrap(),
        ),
        (
            "SIGHTLINE_DATABASE_URL",
            "postgres://u:hunter2@127.0.0.1:1/d",
        ),
        (
            "SIGHTLINE_SEARCH__SEARXNG__BASE_URL",
            "http://me:hunter2@127.0.0.1:1/search?key=hunter2",
        ),
    ];
    let (stdout, _, code) = config(&place, &settings, &["check"]);
    assert!(
        code == Some(0) && stdout.contains("The settings are valid"),
        "{stdout}"
    );
    let (json, _, _) = config(&place, &settings, &["show", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&json).unwrap();
    let row = |key: &str| rows.iter().find(|it| it["key"] == key).unwrap();
    let serper = row("search.serper.api_key");
    assert_eq!(serper["from"], "SIGHTLINE_SEARCH__SERPER__API_KEY_FILE");
    assert_eq!(row("worker.jobs")["from"], "default");
    let searxng = &row("search.searxng.base_url")["value"];
    assert_eq!(searxng, "\"http://(hidden)@127.0.0.1:1/search?(hidden)\"");
    let (table, _, _) = config(&place, &settings, &["show"]);
    assert!(
        table.contains("worker.jobs") && !(table + &json).contains("hunter2"),
        "{json}"
    );
}

/// One check of `doctor`, and its exit code.
fn examined(place: &TempDir, settings: &[(&str, &str)], check: &str) -> (Value, Option<i32>) {
    let settings: Vec<(String, String)> = { settings.iter() }
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut ran = command(place.path(), &settings, &["doctor", "--json"]);
    let output = ran.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|it| it["check"] == check).unwrap();
    (found.clone(), output.status.code())
}

#[test]
fn doctor_notices_services_of_kubernetes_and_proxies() {
    let place = TempDir::new().unwrap();
    let state = |settings: &[(&str, &str)], check: &str| {
        let (found, _) = examined(&place, settings, check);
        found["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(&[], "environment"), "good");
    let service = [
        ("SIGHTLINE_SERVICE_HOST", "10.0.0.1"),
        ("SIGHTLINE_PORT", "tcp://10.0.0.1:80"),
    ];
    assert_eq!(state(&service, "environment"), "notice");

    let https = ("SIGHTLINE_PUBLIC_BASE_URL", "https://search.example.com");
    let trusted = ("SIGHTLINE_TRUSTED_PROXIES", r#"["10.0.0.0/8"]"#);
    assert_eq!(state(&[], "proxies"), "good");
    assert_eq!(state(&[https], "proxies"), "notice");
    assert_eq!(state(&[https, trusted], "proxies"), "good");
    assert_eq!(state(&[trusted], "proxies"), "notice");
}

#[test]
fn read_only_commands_create_no_database() {
    let place = TempDir::new().unwrap();
    let (database, code) = examined(&place, &[], "database");
    assert_eq!((&database["state"], code), (&json!("notice"), Some(0)));
    let status = command(place.path(), &[], &["migrate", "status"]);
    let ran = { status }.output().unwrap();
    assert!(ran.status.success());
    let stdout = String::from_utf8(ran.stdout).unwrap();
    assert!(stdout.contains("There is no database"), "{stdout}");
    for arguments in [&["account", "list"], &["backup", "today"]] {
        let ran = command(place.path(), &[], arguments).output().unwrap();
        assert_eq!(ran.status.code(), Some(2));
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert!(stderr.contains("check --data-dir"), "{stderr}");
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn doctor_reports_non_production_builds() {
    let (build, code) = examined(&TempDir::new().unwrap(), &[], "build");
    assert_eq!((&build["state"], code), (&json!("notice"), Some(0)));
    let text = build.to_string();
    assert!(
        text.contains("profile dev") && text.contains("--profile dist"),
        "{text}"
    );
}

#[test]
fn doctor_reports_that_no_account_can_sign_in() {
    let place = TempDir::new().unwrap();
    let everywhere = ("SIGHTLINE_LISTEN", "0.0.0.0:8080");
    let state =
        |settings: &[(&str, &str)]| examined(&place, settings, "sign-in").0["state"].clone();
    assert_eq!(state(&[]), "good");
    assert_eq!(state(&[everywhere]), "notice");
    let plainly = ("SIGHTLINE_SESSIONS__PLAIN_COOKIES", "true");
    assert_eq!(state(&[everywhere, plainly]), "good");
    let behind = ("SIGHTLINE_PUBLIC_BASE_URL", "https://search.example.com");
    assert_eq!(state(&[everywhere, behind]), "good");
}

/// Corrupts the first page of a table: found by a full scan, or by reading its rows.
fn break_table(file: &Path, table: &str) {
    let page = root_page(file, table);
    let file = fs::OpenOptions::new().write(true).open(file).unwrap();
    let start = (page - 1) * PAGE;
    file.write_all_at(&[0x5a; PAGE], start as u64).unwrap();
}

fn await_broken(process: &mut Process) {
    let broken = "The database is damaged, and no jobs run";
    if !process.output().iter().any(|line| line.contains(broken)) {
        process.await_line(broken);
    }
}

fn file(world: &World) -> &Path {
    Path::new(world.database.url.strip_prefix("sqlite://").unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corruption_met_by_a_statement_stops_writes() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 2).await;
    assert!(server.terminate().0.success());
    // Moves the rows from the WAL into the file.
    { opened(file(&world)).batch_execute("PRAGMA wal_checkpoint(TRUNCATE)") }.unwrap();
    let (mut server, api, watcher) = world.serve_with_admin(&[]);
    let begun = Instant::now();
    while watcher.metrics().await.sum("sqlite_integrity_ok", &[]) < 1.0 {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "it was not looked at"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    break_table(file(&world), "keywords");
    // A write makes it read the page again, unless the worker met the fault first.
    let another = json!({ "domain": "another.example.com" });
    let (status, response) = api.call("POST", "/projects", Some(&another)).await;
    assert!(matches!(status, 201 | 503), "{status}: {response}");
    let list = format!("/projects/{project}/keywords");
    let (status, problem) = api.call("GET", &list, None).await;
    assert_eq!(
        (status, &problem["reason"]),
        (503, &json!("databaseBroken")),
        "{problem}"
    );
    await_broken(&mut server);
    let readiness = watcher.wait_for_status("/readyz", 503).await;
    assert_eq!(
        readiness["reasons"][0]["reason"], "databaseBroken",
        "{readiness}"
    );
    let wanted = json!({ "type": "rankCheck", "projectId": project });
    let (status, problem) = api.call("POST", "/analyze", Some(&wanted)).await;
    assert_eq!(
        (status, &problem["reason"]),
        (503, &json!("databaseBroken")),
        "{problem}"
    );
    // Other tables are readable.
    api.get(&format!("/projects/{project}")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_job_runs_on_a_corrupt_file() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 2).await;
    let job = api.analyze("rankCheck", project).await;
    assert!(server.terminate().0.success());
    break_table(file(&world), "content_plans");
    let unclaimed =
        format!("SELECT count(*) FROM jobs WHERE id = {job} AND epoch = 0 AND state = 'ready'");
    for is_worker in [true, false] {
        let (mut process, watcher) = if is_worker {
            world.worker_with_admin()
        } else {
            let (server, _, watcher) = world.serve_with_admin(&[]);
            (server, watcher)
        };
        await_broken(&mut process);
        let readiness = watcher.wait_for_status("/readyz", 503).await;
        assert_eq!(
            readiness["reasons"][0]["reason"], "databaseBroken",
            "{readiness}"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(world.database.counts(&unclaimed)[0].1, 1);
        assert!(process.terminate().0.success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_start_and_probes_report_corruption() {
    let place = TempDir::new().unwrap();
    let fresh = { command(place.path(), &[], &["migrate"]) }
        .output()
        .unwrap();
    assert!(fresh.status.success());
    let (database, _) = examined(&place, &[], "database");
    assert_eq!(database["state"], "good", "{database}");
    break_table(
        &place.path().join(".local/share/sightline/sightline.db"),
        "content_plans",
    );
    let (database, code) = examined(&place, &[], "database");
    assert_eq!(
        (&database["state"], code),
        (&json!("bad"), Some(1)),
        "{database}"
    );
    let todo = database["todo"].as_str().unwrap();
    assert!(todo.contains("restore --force"), "{todo}");
    let arguments = ["serve", "--listen", "127.0.0.1:0"];
    let admin = "SIGHTLINE_ADMIN__LISTEN".to_owned();
    let settings = [(admin, "127.0.0.1:0".to_owned())];
    let mut server = Process::start(command(place.path(), &settings, &arguments));
    let watcher = AdminClient::from_line(&server.await_line("/readyz"));
    let readiness = watcher.wait_for_status("/readyz", 503).await;
    assert_eq!(
        readiness["reasons"][0]["reason"], "databaseBroken",
        "{readiness}"
    );
    let metrics = watcher.metrics().await;
    assert!(metrics.sum("sqlite_integrity_ok", &[]).abs() < f64::EPSILON);
    assert!(metrics.sum("data_dir_free_bytes", &[]) > 0.0);
    await_broken(&mut server);
    assert!(server.terminate().0.success());
}

/// Page size of SQLite's file, in bytes.
const PAGE: usize = 4_096;

#[derive(QueryableByName)]
struct Root {
    #[diesel(sql_type = BigInt)]
    rootpage: i64,
}

fn opened(file: &Path) -> SqliteConnection {
    SqliteConnection::establish(file.to_str().unwrap()).unwrap()
}

/// A table's root page, from 1.
fn root_page(file: &Path, table: &str) -> usize {
    let mut db = opened(file);
    let query = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{table}'");
    let found: Root = sql_query(query).get_result(&mut db).unwrap();
    found.rootpage.try_into().unwrap()
}

/// For example a rehearsal on a machine with the production database in its environment.
#[test]
fn data_dir_never_uses_a_database_named_elsewhere() {
    let place = TempDir::new().unwrap();
    let named = |folder: &str| {
        let folder = place.path().join(folder);
        fs::create_dir(&folder).unwrap();
        folder
    };
    let (production, rehearsal) = (named("production"), named("rehearsal"));
    let file = production.join("sightline.db");
    let ran = |settings: &[(String, String)], arguments: &[&str]| {
        let output = command(place.path(), settings, arguments).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), stderr)
    };
    let folder = ["--data-dir", production.to_str().unwrap()];
    let create = [
        "account",
        "create",
        "--email",
        "ann@example.com",
        "--name",
        "Ann",
    ];
    assert_eq!(ran(&[], &[&folder[..], &create].concat()).0, Some(0));
    let backup = [&folder[..], &["backup", "taken"]].concat();
    assert_eq!(ran(&[], &backup).0, Some(0));
    let before = fs::read(&file).unwrap();
    let files = || fs::read_dir(&production).unwrap().count();
    let files_before = files();

    let url = format!("sqlite://{}", file.display());
    let environment = [("SIGHTLINE_DATABASE_URL".to_owned(), url)];
    let rehearse = ["--data-dir", rehearsal.to_str().unwrap()];
    for arguments in [
        &["restore", "--force", "taken"][..],
        &["backup", "again"],
        &["migrate", "run"],
        &["account", "list"],
        &["serve"],
        &["config", "check"],
    ] {
        let (code, stderr) = ran(&environment, &[&rehearse[..], arguments].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains("SIGHTLINE_DATABASE_URL"), "{stderr}");
        assert!(stderr.contains("--database-url"), "{stderr}");
    }
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(files(), files_before);
    assert_eq!(fs::read_dir(&rehearsal).unwrap().count(), 0);
    // The other flag overrides the variable.
    let own = format!("sqlite://{}/sightline.db", rehearsal.display());
    let restore = ["--database-url", &own, "restore", "taken"];
    assert_eq!(ran(&environment, &restore).0, Some(0));
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn doctor_shows_checks_first_and_defaults_on_request() {
    let place = TempDir::new().unwrap();
    let settings = [("SIGHTLINE_LOG__LEVEL".to_owned(), "warn".to_owned())];
    let doctor = |arguments: &[&str]| {
        let output = command(place.path(), &settings, arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let short = doctor(&["doctor"]);
    let at = |words: &str| {
        short
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {short}"))
    };
    assert!(at("data folder") < at("log.level"), "{short}");
    assert!(short.contains("SIGHTLINE_LOG__LEVEL"), "{short}");
    assert!(!short.contains("log.format"), "{short}");
    assert!(short.contains("--all"), "{short}");
    let all = doctor(&["doctor", "--all"]);
    assert!(
        all.contains("log.format") && all.contains("log.level"),
        "{all}"
    );
}
