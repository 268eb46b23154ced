//! How a server is told to stop, and what the next one on its address does.

use super::{process::Process, world::World};
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
