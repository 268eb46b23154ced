//! All connections to `PostgreSQL` use TLS: servers, workers, commands, backups and restores.

use super::{
    api::Api,
    backups::{backup, take},
    world::World,
};
use harness::{databases::TestDatabase, encrypted_postgres::EncryptedPostgres};
use serde_json::Value;
use std::time::{Duration, Instant};
use storage::DatabaseKind;
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_workers_backups_and_restores_use_tls() {
    let server = spawn_blocking(EncryptedPostgres::start).await.unwrap();
    let full = format!("sslmode=verify-full&{}", server.root_certificate_option());
    let direct = server.url(&full);
    let mut world = World::in_database(TestDatabase::at_url(direct.clone()).await);
    let mut projects = Vec::new();
    for (url, is_pooled) in [
        (direct.clone(), "false"),
        (server.pooled_url(&full), "true"),
    ] {
        world.set("DATABASE_URL", &url);
        world.set("DATABASE_POOLER", is_pooled);
        let (_server, api) = world.serve(&["--no-worker"]);
        let _worker = world.worker();
        let project = api.project(&format!("{is_pooled}.example.com"), 3).await;
        let job = api.analyze("rankCheck", project).await;
        api.finished(job).await;
        projects.push(project);
    }

    world.set("DATABASE_URL", &direct);
    world.set("DATABASE_POOLER", "false");
    let report: Value = serde_json::from_str(&world.run_command(&["doctor", "--json"])).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let encryption = { checks.iter() }.find(|it| it["check"] == "database encryption");
    assert_eq!(encryption.unwrap()["state"], "good", "{encryption:?}");
    let printed = world.run_command(&["config", "check"]);
    assert!(printed.contains("its name are verified"), "{printed}");

    take(&world);
    server.create_database("restored");
    world.set("DATABASE_URL", &direct.replace("/sightline?", "/restored?"));
    world.run_command(&["restore", backup(&world).to_str().unwrap()]);
    let (_server, api) = world.serve(&["--no-worker"]);
    for project in projects {
        let found = api.get(&format!("/projects/{project}")).await;
        assert_eq!(found["keywordCount"], 3, "{found}");
    }
}

/// Stored results by type.
async fn stored(api: &Api, project: i64) -> Vec<Value> {
    let mut all = Vec::new();
    for result in ["serp", "rankings"] {
        all.extend(api.records(result, project).await);
    }
    assert!(all.len() >= 6, "{all:?}");
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transfer_works_over_tls_and_backups_are_recorded() {
    let server = spawn_blocking(EncryptedPostgres::start).await.unwrap();
    let tls = server.url(&format!(
        "sslmode=verify-full&{}",
        server.root_certificate_option()
    ));
    let mut world = World::on(DatabaseKind::Sqlite).await;
    let file = world.database.url.clone();
    let (process, api) = world.serve(&[]);
    let project = api.project("example.com", 3).await;
    let job = api.analyze("rankCheck", project).await;
    api.finished(job).await;
    let before = stored(&api, project).await;
    assert!(process.terminate().0.success());

    world.run_command(&["transfer", "--from", &file, "--to", &tls]);
    world.keep_key_file();
    world.set("DATABASE_URL", &tls);
    let (process, api, watcher) = world.serve_with_admin(&["--no-worker"]);
    assert_eq!(stored(&api, project).await, before);
    take(&world);
    let noted = async || {
        watcher
            .metrics()
            .await
            .sum("last_backup_timestamp_seconds", &[])
            > 0.0
    };
    let begun = Instant::now();
    while !noted().await {
        assert!(begun.elapsed() < Duration::from_mins(1), "it is not noted");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert!(process.terminate().0.success());

    let back = format!("sqlite://{}/back.db", world.folder().display());
    world.run_command(&["transfer", "--from", &tls, "--to", &back]);
    world.set("DATABASE_URL", &back);
    let (_server, api) = world.serve(&["--no-worker"]);
    assert_eq!(stored(&api, project).await, before);
}
