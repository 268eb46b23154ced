//! The audit log.

use super::examples::*;
use domain::{
    audit::{ActingPerson, Actor, AuditAction, AuditEvent, AuditFilter, PersonFilter},
    ids::{AccountId, AuditEventId, TokenId, UserId},
    text::Label,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    events_are_read_back_newest_first_and_by_account,
    events_are_filtered_by_action_time_and_account,
    old_events_of_one_account_are_deleted_in_batches,
];

fn of_kind(actions: &[AuditAction], person: Option<UserId>) -> AuditFilter {
    AuditFilter {
        actions: actions.to_vec(),
        person: person.map(PersonFilter::OrNone),
        before: Some(after(9)),
        ..AuditFilter::default()
    }
}

fn event(account: AccountId, id: i64, second: i64) -> AuditEvent {
    AuditEvent {
        account,
        id: AuditEventId(id),
        at: after(second),
        actor: Actor::Finder,
        person: None,
        action: AuditAction::TokenLeaked,
        token: (id % 2 == 0).then_some(TokenId(id)),
        detail: format!("event {id}"),
    }
}

async fn events_are_read_back_newest_first_and_by_account(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => for it in [
        event(ANN, 1, 5),
        event(ANN, 2, 9),
        event(ANN, 3, 9),
        event(BOB, 1, 7),
    ] {
        tx.audit().record(&it).await.unwrap();
    });
    let newest = read!(db, r => r.audit().list(ANN, &AuditFilter::default(), 2).await.unwrap());
    assert_eq!(newest, [event(ANN, 3, 9), event(ANN, 2, 9)]);
    let all = read!(db, r => r.audit().list(ANN, &AuditFilter::default(), 50).await.unwrap());
    assert_eq!(all.len(), 3);
    assert_eq!(all[2], event(ANN, 1, 5));
}

async fn events_are_filtered_by_action_time_and_account(db: TestStorage) {
    two_accounts(&db).await;
    let begun = AuditEvent {
        action: AuditAction::SessionBegun,
        ..event(ANN, 4, 6)
    };
    change!(db, tx => for it in [
        event(ANN, 1, 5),
        event(ANN, 2, 9),
        event(ANN, 3, 7),
        begun.clone(),
        event(BOB, 1, 6),
    ] {
        tx.audit().record(&it).await.unwrap();
    });
    let leaked = [AuditAction::TokenLeaked];
    let found = read!(db, r => r.audit().list(ANN, &of_kind(&leaked, None), 50).await.unwrap());
    assert_eq!(found, [event(ANN, 3, 7), event(ANN, 1, 5)]);
    let both = [AuditAction::TokenLeaked, AuditAction::SessionBegun];
    let found = read!(db, r => r.audit().list(ANN, &of_kind(&both, None), 2).await.unwrap());
    assert_eq!(found, [event(ANN, 3, 7), begun]);
    let of = |id: i64| ActingPerson {
        id: UserId(id),
        name: Label::parse("Ann").unwrap(),
    };
    let named = [(5, 8, 1), (6, 8, 2)].map(|(id, second, person)| AuditEvent {
        actor: Actor::Owner,
        person: Some(of(person)),
        action: AuditAction::MemberInvited,
        ..event(ANN, id, second)
    });
    change!(db, tx => tx.audit().record_all(&named).await.unwrap());
    let invited = [AuditAction::MemberInvited, AuditAction::TokenLeaked];
    let first = Some(UserId(1));
    let found = read!(db, r => r.audit().list(ANN, &of_kind(&invited, first), 2).await.unwrap());
    assert_eq!(found, [named[0].clone(), event(ANN, 3, 7)]);
    let changed = [AuditAction::AccountChanged];
    let found = read!(db, r => r.audit().list(ANN, &of_kind(&changed, None), 9).await.unwrap());
    assert_eq!(
        found,
        [],
        "what version 0.1 reads as a change is an invitation"
    );
}

async fn old_events_of_one_account_are_deleted_in_batches(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => for it in [
        event(ANN, 1, 5),
        event(ANN, 2, 6),
        event(ANN, 3, 7),
        event(BOB, 1, 5),
    ] {
        tx.audit().record(&it).await.unwrap();
    });
    let at = read!(db, r => r.audit().cutoff_for_newest(ANN, 2).await.unwrap());
    assert_eq!(at, Some(after(5)));
    let at = read!(db, r => r.audit().cutoff_for_newest(ANN, 3).await.unwrap());
    assert_eq!(at, None);
    for expected in [1, 1, 0] {
        let removed = change!(db, tx => tx.audit().purge_before(ANN, after(7), 1).await.unwrap());
        assert_eq!(removed, expected);
    }
    let left = read!(db, r => r.audit().list(ANN, &AuditFilter::default(), 9).await.unwrap());
    assert_eq!(left, [event(ANN, 3, 7)]);
    let others = read!(db, r => r.audit().list(BOB, &AuditFilter::default(), 9).await.unwrap());
    assert_eq!(others.len(), 1);
}
