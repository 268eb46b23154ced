//! Everything that reaches `PostgreSQL` does so over TLS: servers, workers, commands, backups and restores.

use super::{
    backups::{backup, take},
    world::World,
};
use harness::{databases::TestDatabase, encrypted_postgres::EncryptedPostgres};
use serde_json::Value;
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_workers_backups_and_restores_go_by_tls() {
    let server = spawn_blocking(EncryptedPostgres::start).await.unwrap();
    let full = format!("sslmode=verify-full&{}", server.trusting());
    let direct = server.url(&full);
    let mut world = World::in_database(TestDatabase::at(direct.clone()).await);
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
        let job = api.analyse("rankCheck", project).await;
        api.finished(job).await;
        projects.push(project);
    }

    world.set("DATABASE_URL", &direct);
    world.set("DATABASE_POOLER", "false");
    let told: Value = serde_json::from_str(&world.say(&["doctor", "--json"])).unwrap();
    let checks = told["checks"].as_array().unwrap();
    let encryption = { checks.iter() }.find(|it| it["check"] == "database encryption");
    assert_eq!(encryption.unwrap()["state"], "good", "{encryption:?}");
    let told = world.say(&["config", "check"]);
    assert!(told.contains("its name are verified"), "{told}");

    take(&world);
    server.create_database("restored");
    world.set("DATABASE_URL", &direct.replace("/sightline?", "/restored?"));
    world.say(&["restore", backup(&world).to_str().unwrap()]);
    let (_server, api) = world.serve(&["--no-worker"]);
    for project in projects {
        let found = api.get(&format!("/projects/{project}")).await;
        assert_eq!(found["keywordCount"], 3, "{found}");
    }
}
