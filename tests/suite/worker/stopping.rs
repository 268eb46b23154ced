//! Stopping a server, and starting the next one on its file or address.

use super::{process::Process, world::World};
use std::time::Duration;
use storage::DatabaseKind;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_signals_count_as_one() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (mut server, _) = world.serve(&[]);
    server.send_sigterm();
    server.send_sigterm();
    assert!(server.wait().success(), "{}", server.full_output());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_signal_requeues_jobs_and_a_later_one_exits() {
    for is_later in [false, true] {
        let mut world = World::on(DatabaseKind::Sqlite).await;
        world.set("SEARCH__SANDBOX__LATENCY_MS", "60000");
        let (mut server, api) = world.serve(&[]);
        let project = api.project("example.com", 2).await;
        let job = api.analyze("rankCheck", project).await;
        api.follow(job, |job| job["status"] == "running").await;
        server.send_sigterm();
        if is_later {
            tokio::time::sleep(Duration::from_millis(1_200)).await;
        }
        server.send_sigterm();
        assert_eq!(server.wait().code(), Some(i32::from(is_later)));
        let given_back = format!(
            "SELECT count(*) FROM jobs WHERE id = {job} AND state = 'ready' AND attempt = 0"
        );
        assert_eq!(world.database.counts(&given_back)[0].1, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn next_server_waits_for_the_database_file() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (mut server, api) = world.serve(&[]);
    server.send_sigterm();
    let arguments = ["serve", "--listen", &api.address];
    let mut next = Process::start(world.command(&arguments));
    next.await_line("listens on");
    assert!(server.wait().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn next_server_waits_for_the_address() {
    let (first, next) = (
        World::on(DatabaseKind::Sqlite).await,
        World::on(DatabaseKind::Sqlite).await,
    );
    let (mut server, api) = first.serve(&["--no-worker"]);
    server.send_sigterm();
    let arguments = ["serve", "--no-worker", "--listen", &api.address];
    let mut next = Process::start(next.command(&arguments));
    next.await_line("listens on");
    assert!(server.wait().success());
}
