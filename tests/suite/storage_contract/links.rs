//! Links that are opened without a session.

use super::examples::*;
use chrono::TimeDelta;
use domain::{
    email::EmailAddress,
    ids::{AccountId, PersonLinkId},
    link::{LinkHash, LinkKind, LinkTarget, PersonLink},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_link_is_read_back_as_written,
    a_hash_finds_what_its_link_opens,
    a_new_hash_replaces_the_one_before,
    links_of_one_kind_end_together,
    purging_removes_expired_links_and_their_hashes,
    another_account_locks_and_ends_no_link,
];

fn link(account: AccountId, id: i64, kind: LinkKind) -> PersonLink {
    PersonLink {
        home: account,
        id: PersonLinkId(id),
        person: owner(account).id,
        kind,
        email: None,
        created_at: after(id) + tick(),
        expires_at: after(id) + TimeDelta::hours(1),
        used_at: None,
    }
}

async fn add(db: &TestStorage, links: &[PersonLink]) {
    for link in links {
        change!(db, tx => tx.links().add(link).await.unwrap());
    }
}

async fn locked(db: &TestStorage, account: AccountId, id: i64) -> Option<PersonLink> {
    change!(db, tx => tx.links().lock(account, PersonLinkId(id)).await.unwrap())
}

async fn unused(db: &TestStorage, account: AccountId) -> Vec<i64> {
    let person = owner(account).id;
    let found = read!(db, r => r.links().unused(account, person).await.unwrap());
    found.into_iter().map(|it| it.id.0).collect()
}

fn target(id: i64, kind: LinkKind) -> LinkTarget {
    LinkTarget {
        account: ANN,
        kind,
        id,
    }
}

async fn set_hash(db: &TestStorage, target: LinkTarget, hash: u8) {
    let hash = LinkHash([hash; 32]);
    change!(db, tx => tx.links().set_hash(target, hash, after(60)).await.unwrap());
}

async fn found(db: &TestStorage, hash: u8) -> Option<LinkTarget> {
    read!(db, r => r.links().find(LinkHash([hash; 32])).await.unwrap())
}

async fn a_link_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    for (id, kind) in (1..).zip(LinkKind::ALL) {
        let full = PersonLink {
            email: Some(EmailAddress::parse("new@example.com").unwrap()),
            used_at: Some(after(70) + tick()),
            ..link(ANN, id, kind)
        };
        add(&db, std::slice::from_ref(&full)).await;
        assert_eq!(locked(&db, ANN, id).await, Some(full));
    }
    assert_eq!(locked(&db, ANN, 99).await, None);
}

async fn a_hash_finds_what_its_link_opens(db: TestStorage) {
    two_accounts(&db).await;
    for (id, kind) in (1..).zip(LinkKind::ALL) {
        let hash = u8::try_from(id).unwrap();
        set_hash(&db, target(id, kind), hash).await;
        assert_eq!(found(&db, hash).await, Some(target(id, kind)));
    }
    assert_eq!(found(&db, 99).await, None);
}

async fn a_new_hash_replaces_the_one_before(db: TestStorage) {
    two_accounts(&db).await;
    let mailed = target(1, LinkKind::MailedInvitation);
    set_hash(&db, target(1, LinkKind::Invitation), 1).await;
    set_hash(&db, mailed, 2).await;
    set_hash(&db, mailed, 3).await;
    assert!(found(&db, 1).await.is_some(), "another kind");
    assert_eq!(found(&db, 2).await, None);
    assert_eq!(found(&db, 3).await, Some(mailed));
}

async fn links_of_one_kind_end_together(db: TestStorage) {
    two_accounts(&db).await;
    let (reset, confirmation) = (LinkKind::PasswordReset, LinkKind::AddressConfirmation);
    add(
        &db,
        &[
            link(ANN, 2, reset),
            link(ANN, 1, reset),
            link(ANN, 3, confirmation),
            link(BOB, 1, reset),
        ],
    )
    .await;
    assert_eq!(unused(&db, ANN).await, [1, 2, 3]);
    let ended_at = after(30) + tick();
    change!(db, tx => tx.links().end(ANN, owner(ANN).id, &[reset], ended_at).await.unwrap());
    change!(db, tx => tx.links().end(ANN, owner(ANN).id, &[reset], after(40)).await.unwrap());
    assert_eq!(unused(&db, ANN).await, [3]);
    assert_eq!(unused(&db, BOB).await, [1]);
    let ended = locked(&db, ANN, 1).await.and_then(|it| it.used_at);
    assert_eq!(ended, Some(ended_at), "ends once");
}

async fn purging_removes_expired_links_and_their_hashes(db: TestStorage) {
    two_accounts(&db).await;
    let reset = LinkKind::PasswordReset;
    add(&db, &[link(ANN, 1, reset), link(ANN, 30, reset)]).await;
    set_hash(&db, target(1, reset), 1).await;
    set_hash(&db, target(30, reset), 2).await;
    let before = after(20) + TimeDelta::hours(1);
    let purged = change!(db, tx => tx.links().purge_before(ANN, before).await.unwrap());
    assert_eq!(purged, 1);
    assert_eq!(unused(&db, ANN).await, [30]);
    assert_eq!(found(&db, 1).await, None);
    assert!(found(&db, 2).await.is_some());
}

async fn another_account_locks_and_ends_no_link(db: TestStorage) {
    two_accounts(&db).await;
    add(&db, &[link(ANN, 1, LinkKind::NotMe)]).await;
    assert_eq!(locked(&db, BOB, 1).await, None);
    let person = owner(ANN).id;
    change!(db, tx => tx.links().end(BOB, person, &[LinkKind::NotMe], now()).await.unwrap());
    assert_eq!(unused(&db, ANN).await, [1]);
}
