//! The size of SQLite's file.

use super::{api::Api, world::World};
use diesel::{
    Connection, QueryableByName, RunQueryDsl, SqliteConnection,
    connection::InstrumentationEvent,
    sql_query,
    sql_types::{BigInt, Binary, Text},
};
use serde_json::Value;
use storage::DatabaseKind;

const KEYWORDS: usize = 250;
const RUNS: usize = 4;
/// Bytes per keyword check, with a SERP of 100 results.
const MAX_BYTES: u64 = 15_000;

#[derive(QueryableByName)]
struct Packed {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Binary)]
    packed: Vec<u8>,
}

fn file(world: &World) -> &str {
    world.database.url.strip_prefix("sqlite://").unwrap()
}

/// A separate connection: its statements are not the service's.
fn opened(world: &World) -> SqliteConnection {
    let mut db = SqliteConnection::establish(file(world)).unwrap();
    db.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    db
}

/// Stores every record in the format used before compression.
fn unpack_all(world: &World) {
    let mut db = opened(world);
    let select = "SELECT rowid AS place, packed FROM findings WHERE packed IS NOT NULL";
    let rows: Vec<Packed> = sql_query(select).load(&mut db).unwrap();
    assert!(rows.len() > KEYWORDS * RUNS, "{}", rows.len());
    let unpacked = db.transaction(|db| {
        for row in rows {
            let text = zstd::stream::decode_all(&row.packed[4..]).unwrap();
            sql_query("UPDATE findings SET record = $1, packed = NULL WHERE rowid = $2")
                .bind::<Text, _>(String::from_utf8(text).unwrap())
                .bind::<BigInt, _>(row.place)
                .execute(db)?;
        }
        diesel::QueryResult::Ok(())
    });
    unpacked.unwrap();
}

/// Bytes of used pages: free pages are available to the next run.
fn used(world: &World) -> u64 {
    let mut db = opened(world);
    let query = "SELECT (page_count - freelist_count) * page_size AS place, X'' AS packed \
         FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()";
    let found: Packed = sql_query(query).get_result(&mut db).unwrap();
    found.place.unsigned_abs()
}

async fn answers(api: &Api, project: i64) -> Vec<Value> {
    let mut all = Vec::new();
    for result in ["serp", "rankings", "competitors", "suggestions"] {
        all.extend(api.records(result, project).await);
    }
    all
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a thousand keywords are checked"]
async fn keyword_checks_stay_small_and_old_ones_are_compressed() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (server, api) = world.serve(&[]);
    let project = api.project("shop.example.com", KEYWORDS).await;
    for _ in 0..RUNS {
        let job = api.analyze("rankCheck", project).await;
        assert_eq!(api.finished(job).await["status"], "succeeded");
    }
    let before = answers(&api, project).await;
    assert!(server.terminate().0.success());
    let size = || std::fs::metadata(file(&world)).unwrap().len();
    let each = used(&world) / (KEYWORDS * RUNS) as u64;
    assert!(each <= MAX_BYTES, "{each} bytes for each check");

    unpack_all(&world);
    let (server, api) = world.serve(&["--no-worker"]);
    assert_eq!(answers(&api, project).await, before);
    let refusal = world.run_failing_command(&["compact"]);
    assert!(refusal.contains("another server is running"), "{refusal}");
    assert!(server.terminate().0.success());
    let large = size();
    assert!(large > 2 * MAX_BYTES * (KEYWORDS * RUNS) as u64, "{large}");

    let done: Value = serde_json::from_str(&world.run_command(&["compact", "--json"])).unwrap();
    assert!(done["packedRecords"].as_u64() > Some(1_000), "{done}");
    assert_eq!(done["needsBytes"], Value::Null, "{done}");
    assert_eq!(done["bytesAfter"], size(), "{done}");
    let each = size() / (KEYWORDS * RUNS) as u64;
    assert!(each <= MAX_BYTES, "{each} bytes for each check");
    let (_server, api) = world.serve(&["--no-worker"]);
    assert_eq!(answers(&api, project).await, before);
}
