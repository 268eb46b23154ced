//! The audit log.

use super::examples::*;
use domain::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, AuditEventId, TokenId},
};
use harness::{databases::TestDatabase, on_every_database};

on_every_database![events_are_read_back_newest_first_and_by_account];

fn event(account: AccountId, id: i64, second: i64) -> AuditEvent {
    AuditEvent {
        account,
        id: AuditEventId(id),
        at: after(second),
        actor: Actor::Finder,
        action: AuditAction::TokenLeaked,
        token: (id % 2 == 0).then_some(TokenId(id)),
        detail: format!("event {id}"),
    }
}

async fn events_are_read_back_newest_first_and_by_account(db: TestDatabase) {
    two_accounts(&db).await;
    change!(db, tx => for it in [
        event(ANN, 1, 5),
        event(ANN, 2, 9),
        event(ANN, 3, 9),
        event(BOB, 1, 7),
    ] {
        tx.audit().record(&it).await.unwrap();
    });
    let newest = ask!(db, r => r.audit().newest(ANN, 2).await.unwrap());
    assert_eq!(newest, [event(ANN, 3, 9), event(ANN, 2, 9)]);
    let all = ask!(db, r => r.audit().newest(ANN, 50).await.unwrap());
    assert_eq!(all.len(), 3);
    assert_eq!(all[2], event(ANN, 1, 5));
}
