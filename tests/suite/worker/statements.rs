//! Statements of each kind of analysis, compared with a recording. They are read from PostgreSQL's log, since the
//! worker is another process.

use super::{
    ai_visibility::tracked,
    google::Google,
    small_site::SmallSite,
    web_vitals::{self, EVERYBODY, HOME},
    website::Website,
    world::World,
};
use harness::{
    assert_recorded,
    databases::TestDatabase,
    postgres_server::Lane,
    recorded::{Statements, is_boundary},
};
use std::{collections::BTreeSet, fs, time::Duration};

const SITE: &str = "one.example.com";
/// Longer than a test worker's poll interval.
const IDLE: Duration = Duration::from_secs(4);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn analyses_send_the_recorded_statements() {
    if Lane::from_env() != Lane::Plain {
        return;
    }
    let database = TestDatabase::on_own_server().await;
    let log = database.server_folder().join("log");
    database.run_sql("ALTER ROLE sightline SET log_statement = 'all'");
    let mut world = World::in_database(database);
    let (site, small, google) = (
        Website::start(),
        SmallSite::start(EVERYBODY),
        Google::start(),
    );
    web_vitals::bare(&mut world, &small);
    small.settle_in_beside(&mut world, &[(SITE, site.address)]);
    web_vitals::with_key(&mut world, "CRUX", &google);
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    world.set("WORKER__JOBS", "1");
    // Avoids heartbeats, which only long analyses would send.
    world.set("QUEUE__LEASE_SECONDS", "90");
    world.set("QUEUE__HEARTBEAT_SECONDS", "30");
    let (_server, api) = world.serve(&[]);

    let projects = [
        ("rankCheck", api.project("example.com", 3).await),
        ("siteAudit", api.project(SITE, 0).await),
        ("webVitals", web_vitals::project(&api, &[]).await),
        ("aiVisibility", tracked(&api, 1).await),
    ];
    let mut read = 0;
    let mut sent = || {
        let whole = fs::read_to_string(&log).unwrap();
        let found = statements(&whole[read..]);
        read = whole.len();
        found
    };
    sent();
    tokio::time::sleep(IDLE).await;
    let mut idle: BTreeSet<String> = sent().into_iter().collect();
    let mut of_each: Vec<(&str, BTreeSet<String>)> = vec![];
    for (kind, project) in projects {
        let job = api.analyze(kind, project).await;
        let over = format!(
            "-- over\nSELECT count(*) FROM jobs WHERE id = {job} AND finished_at IS NOT NULL"
        );
        while world.database.counts(&over)[0].1 == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(IDLE).await;
        of_each.push((kind, sent().into_iter().collect()));
    }
    tokio::time::sleep(IDLE).await;
    idle.extend(sent());
    let mut statements = Statements::default();
    for (kind, sent) in of_each {
        let sent = sent.difference(&idle).filter(|it| !is_boundary(it));
        // Processes access this table periodically, independent of their work.
        let sent = sent.filter(|it| !it.contains("\"server_notes\""));
        let marks: BTreeSet<String> = sent.map(|it| statements.mark(it)).collect();
        let marks: Vec<String> = marks.into_iter().collect();
        statements.line(&format!("{kind}: {}", marks.join(" ")));
    }
    assert_recorded!("statements.worker.txt", &statements.text());
}

fn statements(log: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    let mut is_statement = false;
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix('\t') {
            if let Some(last) = found.last_mut().filter(|_| is_statement) {
                last.push(' ');
                last.push_str(rest);
            }
            continue;
        }
        let entry = line.split_once("LOG:  ").map_or("", |it| it.1);
        let statement = entry.strip_prefix("statement: ").or_else(|| {
            let executed = entry.strip_prefix("execute ")?;
            executed.split_once(": ").map(|it| it.1)
        });
        is_statement = statement.is_some();
        found.extend(statement.map(str::to_owned));
    }
    found
}
