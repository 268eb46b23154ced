//! Idempotency records.

use super::examples::*;
use chrono::{DateTime, Utc};
use domain::{
    idempotency::{Fingerprint, IdempotencyRecord, StoredResponse},
    ids::{AccountId, CallerId},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_record_is_read_back_as_written,
    a_key_has_one_record_in_its_account,
    old_records_of_one_account_are_deleted,
];

fn record(account: AccountId, key: &str, seconds: i64) -> IdempotencyRecord {
    IdempotencyRecord {
        account,
        key: key.into(),
        fingerprint: Fingerprint::of("POST", "/projects", key.as_bytes()),
        caller: CallerId(4),
        response: StoredResponse {
            status: 201,
            location: Some("/projects/11".into()),
            etag: Some("\"1\"".into()),
            body: "{\"name\": \"žluť\"}".into(),
        },
        first_used_at: after(seconds) + tick(),
    }
}

/// No record is expired at that time.
fn before() -> DateTime<Utc> {
    after(-1)
}

async fn a_record_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    let mut bare = record(ANN, "b", 0);
    (bare.response.location, bare.response.etag) = (None, None);
    change!(db, tx => {
        tx.idempotency().store(&record(ANN, "a", 0), before()).await.unwrap();
        tx.idempotency().store(&bare, before()).await.unwrap();
    });
    read!(db, r => {
        assert_eq!(r.idempotency().find(ANN, "a").await.unwrap(), Some(record(ANN, "a", 0)));
        assert_eq!(r.idempotency().find(ANN, "b").await.unwrap(), Some(bare));
        assert_eq!(r.idempotency().find(ANN, "A").await.unwrap(), None);
        assert_eq!(r.idempotency().find(BOB, "a").await.unwrap(), None);
    });
}

async fn a_key_has_one_record_in_its_account(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.idempotency().store(&record(ANN, "a", 0), before()).await.unwrap());
    change!(db, tx => tx.idempotency().store(&record(BOB, "a", 0), before()).await.unwrap());
    let first = record(ANN, "a", 0);
    for (over, is_kept) in [
        (first.first_used_at - tick(), false),
        (first.first_used_at, true),
    ] {
        let second = record(ANN, "a", 5);
        let kept = change!(db, tx => tx.idempotency().store(&second, over).await.unwrap());
        assert_eq!(kept, is_kept);
        read!(db, r => {
            let stands = if is_kept { &second } else { &first };
            assert_eq!(r.idempotency().find(ANN, "a").await.unwrap().as_ref(), Some(stands));
            assert_eq!(r.idempotency().find(BOB, "a").await.unwrap(), Some(record(BOB, "a", 0)));
        });
    }
}

async fn old_records_of_one_account_are_deleted(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => for it in [record(ANN, "old", 0), record(ANN, "new", 9), record(BOB, "old", 0)] {
        tx.idempotency().store(&it, before()).await.unwrap();
    });
    let time = record(ANN, "new", 9).first_used_at;
    let forgotten = change!(db, tx => tx.idempotency().purge_before(ANN, time).await.unwrap());
    assert_eq!(forgotten, 1);
    read!(db, r => {
        assert_eq!(r.idempotency().find(ANN, "old").await.unwrap(), None);
        assert!(r.idempotency().find(ANN, "new").await.unwrap().is_some());
        assert!(r.idempotency().find(BOB, "old").await.unwrap().is_some());
    });
}
