//! Invitations and their links.

use super::examples::*;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    email::EmailAddress,
    ids::{AccountId, InvitationId, ProjectId},
    invitation::{Invitation, InvitationEnd},
    link::LinkHash,
    ports::storage::{StorageError, Transaction},
    rights::Role,
};
use harness::{databases::TestStorage, on_every_storage};
use std::{collections::BTreeSet, time::Duration};

on_every_storage![
    an_invitation_is_found_by_its_link,
    an_invitation_is_read_back_as_written,
    an_ended_invitation_is_found_while_it_has_a_link,
    a_new_link_replaces_the_one_before,
    an_invitation_without_a_link_stays_listed,
    an_account_lists_its_invitations_newest_first,
    locking_an_invitation_finds_only_the_accounts_own,
    purging_removes_old_invitations_and_their_links,
    a_taken_invitation_id_is_not_a_conflict;
    but not in memory:
    locking_an_invitation_waits_for_the_lock_before = "nobody waits for a lock: the second to commit is interrupted",
];

fn invitation(account: AccountId, id: i64) -> Invitation {
    Invitation {
        account,
        id: InvitationId(id),
        email: EmailAddress::parse(&format!("guest{id}@example.com")).unwrap(),
        role: Role::Editor,
        projects: BTreeSet::new(),
        invited_by: owner(account).id,
        created_at: after(id),
        issued_at: after(id),
        issued: 1,
        expires_at: after(id) + Invitation::LIFETIME,
        ended: None,
    }
}

/// Its first link.
fn link(account: AccountId, id: i64) -> LinkHash {
    LinkHash([u8::try_from(10 * account.0 + id).unwrap(); 32])
}

const NEW_LINK: LinkHash = LinkHash([99; 32]);

async fn add(db: &TestStorage, invitation: &Invitation, link: LinkHash) {
    change!(db, tx => tx.invitations().add(invitation, link).await.unwrap());
}

async fn save(db: &TestStorage, invitation: &Invitation, link: Option<LinkHash>) {
    change!(db, tx => tx.invitations().save(invitation, link).await.unwrap());
}

/// Invitations 1 and 2 of the first account, and 1 of the second.
async fn sent(db: &TestStorage) {
    two_accounts(db).await;
    for (account, id) in [(ANN, 1), (ANN, 2), (BOB, 1)] {
        add(db, &invitation(account, id), link(account, id)).await;
    }
}

async fn found(db: &TestStorage, link: LinkHash) -> Option<Invitation> {
    read!(db, r => r.invitations().find_by_link(link).await.unwrap())
}

async fn listed(db: &TestStorage, account: AccountId, after: DateTime<Utc>) -> Vec<Invitation> {
    read!(db, r => r.invitations().list(account, after).await.unwrap())
}

async fn an_invitation_is_found_by_its_link(db: TestStorage) {
    sent(&db).await;
    for (account, id) in [(ANN, 1), (ANN, 2), (BOB, 1)] {
        let expected = Some(invitation(account, id));
        assert_eq!(found(&db, link(account, id)).await, expected);
    }
    assert_eq!(found(&db, NEW_LINK).await, None);
}

async fn an_invitation_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    let ends = InvitationEnd::ALL.map(|it| Some((it, after(70) + tick())));
    for (id, (ended, role)) in (1..).zip(ends.into_iter().chain([None; 2]).zip(Role::ALL)) {
        let added = Invitation {
            role,
            projects: [11, 1 << 52].map(ProjectId).into(),
            created_at: after(id) + tick(),
            issued_at: after(60) + tick(),
            issued: 3,
            expires_at: after(80) + tick(),
            ended,
            ..invitation(ANN, id)
        };
        add(&db, &added, link(ANN, id)).await;
        assert_eq!(found(&db, link(ANN, id)).await, Some(added));
    }
}

async fn an_ended_invitation_is_found_while_it_has_a_link(db: TestStorage) {
    sent(&db).await;
    for end in InvitationEnd::ALL {
        let ended = invitation(ANN, 1).ended(end, after(60) + tick());
        save(&db, &ended, Some(link(ANN, 1))).await;
        assert_eq!(found(&db, link(ANN, 1)).await, Some(ended));
    }
    assert_eq!(found(&db, link(BOB, 1)).await, Some(invitation(BOB, 1)));
}

async fn a_new_link_replaces_the_one_before(db: TestStorage) {
    sent(&db).await;
    let reissued = invitation(ANN, 1).reissued(after(60) + tick());
    save(&db, &reissued, Some(NEW_LINK)).await;
    assert_eq!(found(&db, link(ANN, 1)).await, None);
    assert_eq!(found(&db, NEW_LINK).await, Some(reissued));
    for (account, id) in [(ANN, 2), (BOB, 1)] {
        let other = Some(invitation(account, id));
        assert_eq!(found(&db, link(account, id)).await, other);
    }
}

async fn an_invitation_without_a_link_stays_listed(db: TestStorage) {
    sent(&db).await;
    let revoked = invitation(ANN, 1).ended(InvitationEnd::Revoked, after(60));
    save(&db, &revoked, None).await;
    assert_eq!(found(&db, link(ANN, 1)).await, None);
    let all = listed(&db, ANN, after(0)).await;
    assert_eq!(all, [invitation(ANN, 2), revoked]);
    assert_eq!(found(&db, link(BOB, 1)).await, Some(invitation(BOB, 1)));
}

async fn an_account_lists_its_invitations_newest_first(db: TestStorage) {
    sent(&db).await;
    let [first, second, bobs] =
        [(ANN, 1), (ANN, 2), (BOB, 1)].map(|(account, id)| invitation(account, id));
    assert_eq!(
        listed(&db, ANN, after(0)).await,
        [second.clone(), first.clone()]
    );
    // Not those issued exactly then.
    assert_eq!(listed(&db, ANN, after(1)).await, vec![second.clone()]);
    assert_eq!(listed(&db, ANN, after(2)).await, []);
    assert_eq!(listed(&db, BOB, after(0)).await, [bobs]);
    let reissued = first.reissued(after(60));
    save(&db, &reissued, Some(NEW_LINK)).await;
    assert_eq!(listed(&db, ANN, after(1)).await, [reissued, second]);
}

async fn locking_an_invitation_finds_only_the_accounts_own(db: TestStorage) {
    sent(&db).await;
    change!(db, tx => {
        let own = tx.invitations().lock(ANN, InvitationId(2)).await.unwrap();
        assert_eq!(own, Some(invitation(ANN, 2)));
        assert_eq!(tx.invitations().lock(BOB, InvitationId(2)).await.unwrap(), None);
        assert_eq!(tx.invitations().lock(ANN, InvitationId(77)).await.unwrap(), None);
    });
}

async fn locking_an_invitation_waits_for_the_lock_before(db: TestStorage) {
    sent(&db).await;
    let mut holder = db.storage.write().await.unwrap();
    let locked = holder.invitations().lock(ANN, InvitationId(1)).await;
    let accepted = locked
        .unwrap()
        .unwrap()
        .ended(InvitationEnd::Accepted, after(60));
    let second = tokio::spawn({
        let storage = db.port();
        async move {
            // Where transactions are serializable, it is interrupted and repeated.
            let lock = |mut work: Box<dyn Transaction>| async move {
                let locked = work.invitations().lock(ANN, InvitationId(1)).await?;
                work.commit().await?;
                Ok::<_, StorageError>(locked)
            };
            storage.transaction(lock).await.unwrap()
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!second.is_finished());
    let saving = holder.invitations().save(&accepted, None);
    saving.await.unwrap();
    holder.commit().await.unwrap();
    assert_eq!(second.await.unwrap(), Some(accepted));
}

async fn purging_removes_old_invitations_and_their_links(db: TestStorage) {
    sent(&db).await;
    let before = after(0) + TimeDelta::days(20);
    let kept = Invitation {
        issued_at: before,
        expires_at: before + Invitation::LIFETIME,
        ..invitation(ANN, 3)
    };
    add(&db, &kept, link(ANN, 3)).await;
    for expected in [2, 0] {
        let purged = change!(db, tx => tx.invitations().purge_before(ANN, before).await.unwrap());
        assert_eq!(purged, expected);
    }
    assert_eq!(found(&db, link(ANN, 1)).await, None);
    assert_eq!(listed(&db, ANN, after(0)).await, vec![kept.clone()]);
    assert_eq!(found(&db, link(ANN, 3)).await, Some(kept));
    assert_eq!(found(&db, link(BOB, 1)).await, Some(invitation(BOB, 1)));
    // The link is not taken.
    add(&db, &invitation(ANN, 4), link(ANN, 1)).await;
    assert_eq!(found(&db, link(ANN, 1)).await, Some(invitation(ANN, 4)));
}

async fn a_taken_invitation_id_is_not_a_conflict(db: TestStorage) {
    sent(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.invitations().add(&invitation(ANN, 1), NEW_LINK).await;
    assert!(matches!(outcome, Err(StorageError::IdTaken)), "{outcome:?}");
}
