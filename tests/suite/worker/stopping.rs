//! Stopping a server, and starting the next one on its file or address.

use super::{process::Process, world::World};
use std::time::Duration;
use storage::DatabaseKind;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_that_come_together_are_one() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (mut server, _) = world.serve(&[]);
    server.ask_to_end();
    server.ask_to_end();
    assert!(server.ended().success(), "{}", server.said_to_its_end());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_signal_gives_jobs_back_and_a_later_one_ends() {
    for is_later in [false, true] {
        let mut world = World::on(DatabaseKind::Sqlite).await;
        world.set("SEARCH__SANDBOX__LATENCY_MS", "60000");
        let (mut server, api) = world.serve(&[]);
        let project = api.project("example.com", 2).await;
        let job = api.analyse("rankCheck", project).await;
        api.follow(job, |job| job["status"] == "running").await;
        server.ask_to_end();
        if is_later {
            tokio::time::sleep(Duration::from_millis(1_200)).await;
        }
        server.ask_to_end();
        assert_eq!(server.ended().code(), Some(i32::from(is_later)));
        let given_back = format!(
            "SELECT count(*) FROM jobs WHERE id = {job} AND state = 'ready' AND attempt = 0"
        );
        assert_eq!(world.database.counts(&given_back)[0].1, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_server_waits_for_the_file_of_the_last() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (mut server, api) = world.serve(&[]);
    server.ask_to_end();
    let arguments = ["serve", "--listen", &api.address];
    let mut next = Process::start(world.command(&arguments));
    next.await_line("listens on");
    assert!(server.ended().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_next_server_waits_for_the_address_of_the_last() {
    let (first, next) = (
        World::on(DatabaseKind::Sqlite).await,
        World::on(DatabaseKind::Sqlite).await,
    );
    let (mut server, api) = first.serve(&["--no-worker"]);
    server.ask_to_end();
    let arguments = ["serve", "--no-worker", "--listen", &api.address];
    let mut next = Process::start(next.command(&arguments));
    next.await_line("listens on");
    assert!(server.ended().success());
}
