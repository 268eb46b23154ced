//! Sessions.

use super::examples::*;
use chrono::TimeDelta;
use domain::rights::Role;
use domain::{
    ids::{AccountId, SessionId},
    session::{Session, SessionHash},
    user::User,
};
use harness::{databases::TestStorage, on_every_storage};
use std::time::Duration;

on_every_storage![
    a_session_is_found_by_its_hash_with_its_person_and_account,
    equal_user_ids_have_separate_sessions,
    sessions_are_listed_by_their_newest_use,
    only_the_users_own_sessions_are_ended,
    all_sessions_but_one_are_ended,
    ending_an_accounts_sessions_affects_no_other_account,
    only_expired_sessions_are_deleted,
    an_ended_session_leaves_nothing_behind,
    a_session_may_work_in_an_account_that_its_user_joined,
    ending_an_accounts_sessions_ends_those_working_in_it,
    a_session_of_any_role_is_found_by_its_plain_hash;
    but not in memory:
    ending_a_session_waits_for_its_lock = "nobody waits for a lock: the second to commit is interrupted",
];

fn session(account: AccountId, id: i64) -> Session {
    Session {
        home: account,
        works_in: account,
        id: SessionId(id),
        user: owner(account).id,
        created_at: after(id),
        last_seen_at: after(id) + tick(),
        browser: Some("Firefox žluť".into()),
        network: "192.0.2.0/24".into(),
        device: Some("0a1b2c3d".into()),
    }
}

fn hash(account: AccountId, id: i64) -> SessionHash {
    SessionHash([u8::try_from(10 * account.0 + id).unwrap(); 32])
}

async fn begun(db: &TestStorage) {
    two_accounts(db).await;
    change!(db, tx => for (account, id) in [(ANN, 1), (ANN, 2), (ANN, 3), (BOB, 1)] {
        tx.sessions().add(&session(account, id), hash(account, id), Role::Owner).await.unwrap();
    });
}

async fn listed(db: &TestStorage, account: AccountId) -> Vec<i64> {
    let user = owner(account).id;
    let found = read!(db, r => r.sessions().list(account, user).await.unwrap());
    found.iter().map(|it| it.id.0).collect()
}

async fn a_session_is_found_by_its_hash_with_its_person_and_account(db: TestStorage) {
    begun(&db).await;
    read!(db, r => {
        let known = r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap().unwrap();
        assert_eq!(known.session, session(ANN, 1));
        assert_eq!((known.user, known.account), (owner(ANN), account(ANN)));
        let bobs = r.sessions().find_by_hash(hash(BOB, 1)).await.unwrap().unwrap();
        assert_eq!(bobs.session, session(BOB, 1), "the same id in another account");
        assert_eq!(r.sessions().find_by_hash(SessionHash([0; 32])).await.unwrap(), None);
    });
    let nameless = Session {
        browser: None,
        device: None,
        ..session(ANN, 4)
    };
    change!(db, tx => tx.sessions().add(&nameless, hash(ANN, 4), Role::Owner).await.unwrap());
    let known = read!(db, r => r.sessions().find_by_hash(hash(ANN, 4)).await.unwrap());
    assert_eq!(known.unwrap().session, nameless);
}

async fn equal_user_ids_have_separate_sessions(db: TestStorage) {
    let people = [ANN, BOB].map(|it| User {
        id: owner(ANN).id,
        ..owner(it)
    });
    let session = |person: &User| Session {
        user: person.id,
        ..session(person.account, 1)
    };
    change!(db, tx => for person in &people {
        tx.accounts().add(&account(person.account), person).await.unwrap();
        tx.sessions().add(&session(person), hash(person.account, 1), Role::Owner).await.unwrap();
    });
    for person in people {
        let known =
            read!(db, r => r.sessions().find_by_hash(hash(person.account, 1)).await.unwrap());
        let known = known.unwrap();
        assert_eq!(known.session, session(&person));
        assert_eq!(known.account, account(person.account));
        assert_eq!(known.user, person);
    }
}

async fn sessions_are_listed_by_their_newest_use(db: TestStorage) {
    begun(&db).await;
    assert_eq!(listed(&db, ANN).await, [3, 2, 1]);
    change!(db, tx => {
        tx.sessions().note_use(ANN, SessionId(1), after(90)).await.unwrap();
        tx.sessions().note_use(ANN, SessionId(1), after(80)).await.unwrap();
    });
    assert_eq!(listed(&db, ANN).await, [1, 3, 2]);
    let known = read!(db, r => r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap().unwrap());
    assert_eq!(known.session.last_seen_at, after(90));
    let bobs = read!(db, r => r.sessions().find_by_hash(hash(BOB, 1)).await.unwrap().unwrap());
    assert_eq!(bobs.session, session(BOB, 1));
}

async fn only_the_users_own_sessions_are_ended(db: TestStorage) {
    begun(&db).await;
    let (ann, bob) = (owner(ANN).id, owner(BOB).id);
    change!(db, tx => {
        assert_eq!(tx.sessions().end(ANN, bob, &[SessionId(1)]).await.unwrap(), 0);
        assert_eq!(tx.sessions().end(BOB, ann, &[SessionId(1)]).await.unwrap(), 0);
        assert_eq!(tx.sessions().end(ANN, ann, &[]).await.unwrap(), 0);
        let some = [SessionId(1), SessionId(3), SessionId(77)];
        assert_eq!(tx.sessions().end(ANN, ann, &some).await.unwrap(), 2);
        assert_eq!(tx.sessions().end(ANN, ann, &some).await.unwrap(), 0);
    });
    assert_eq!(
        (listed(&db, ANN).await, listed(&db, BOB).await),
        (vec![2], vec![1])
    );
    read!(db, r => {
        assert_eq!(r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap(), None);
        assert!(r.sessions().find_by_hash(hash(BOB, 1)).await.unwrap().is_some());
    });
}

async fn ending_a_session_waits_for_its_lock(db: TestStorage) {
    begun(&db).await;
    let mut holder = db.storage.write().await.unwrap();
    let mut locked = vec![];
    for (account, id) in [(ANN, 1), (ANN, 77), (BOB, 2)] {
        locked.push(
            holder
                .sessions()
                .lock(account, SessionId(id))
                .await
                .unwrap(),
        );
    }
    assert_eq!(locked, [true, false, false]);
    let ending = tokio::spawn({
        let (storage, ann) = (db.port(), owner(ANN).id);
        async move {
            let mut tx = storage.write().await.unwrap();
            let ended = tx.sessions().end_all(ANN, ann, None).await.unwrap();
            tx.commit().await.unwrap();
            ended
        }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(!ending.is_finished());
    holder.commit().await.unwrap();
    assert_eq!(ending.await.unwrap(), 3);
    change!(db, tx => assert!(!tx.sessions().lock(ANN, SessionId(1)).await.unwrap()));
}

async fn all_sessions_but_one_are_ended(db: TestStorage) {
    begun(&db).await;
    let ann = owner(ANN).id;
    let ended =
        change!(db, tx => tx.sessions().end_all(ANN, ann, Some(SessionId(2))).await.unwrap());
    assert_eq!((ended, listed(&db, ANN).await), (2, vec![2]));
    let ended = change!(db, tx => tx.sessions().end_all(ANN, ann, None).await.unwrap());
    assert_eq!((ended, listed(&db, ANN).await), (1, vec![]));
    assert_eq!(listed(&db, BOB).await, [1]);
}

async fn ending_an_accounts_sessions_affects_no_other_account(db: TestStorage) {
    begun(&db).await;
    let ended = change!(db, tx => tx.sessions().end_all_of_account(ANN).await.unwrap());
    assert_eq!((ended, listed(&db, ANN).await), (3, vec![]));
    assert_eq!(listed(&db, BOB).await, [1]);
    read!(db, r => {
        assert_eq!(r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap(), None);
        let his = r.sessions().find_by_hash(hash(BOB, 1)).await.unwrap();
        assert_eq!(his.unwrap().session, session(BOB, 1));
    });
    // The same session can be added again.
    change!(db, tx => tx.sessions().add(&session(ANN, 1), hash(ANN, 1), Role::Owner).await.unwrap());
}

async fn only_expired_sessions_are_deleted(db: TestStorage) {
    begun(&db).await;
    let long_ago = after(0) - TimeDelta::days(30);
    let forgotten = change!(db, tx => {
        // One was created exactly then, one was last used exactly then.
        let old = tx.sessions().purge_expired(ANN, after(1), long_ago).await.unwrap();
        let idle = tx.sessions().purge_expired(ANN, long_ago, after(2) + tick()).await.unwrap();
        (old, idle)
    });
    assert_eq!(forgotten, (1, 1));
    assert_eq!(
        (listed(&db, ANN).await, listed(&db, BOB).await),
        (vec![3], vec![1])
    );
}

async fn an_ended_session_leaves_nothing_behind(db: TestStorage) {
    begun(&db).await;
    let ann = owner(ANN).id;
    change!(db, tx => tx.sessions().end(ANN, ann, &[SessionId(1)]).await.unwrap());
    // Neither its id nor its hash is taken.
    change!(db, tx => tx.sessions().add(&session(ANN, 1), hash(ANN, 1), Role::Owner).await.unwrap());
    assert_eq!(listed(&db, ANN).await, [3, 2, 1]);
}

/// Ann's session in Bob's account, which she joined.
async fn away(db: &TestStorage, id: i64) -> (Session, User) {
    let guest = User {
        account: BOB,
        role: Role::Viewer,
        ..owner(ANN)
    };
    let session = Session {
        works_in: BOB,
        ..session(ANN, id)
    };
    change!(db, tx => {
        tx.members().join(&guest, ANN).await.unwrap();
        tx.sessions().add(&session, hash(ANN, id), guest.role).await.unwrap();
    });
    (session, guest)
}

async fn a_session_may_work_in_an_account_that_its_user_joined(db: TestStorage) {
    two_accounts(&db).await;
    let (session, guest) = away(&db, 1).await;
    let known = read!(db, r => r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap());
    let known = known.unwrap();
    assert_eq!(known.session, session);
    assert_eq!((known.user, known.account), (guest.clone(), account(BOB)));
    read!(db, r => {
        assert_eq!(r.sessions().list(ANN, guest.id).await.unwrap(), [session]);
        assert_eq!(r.sessions().list(BOB, guest.id).await.unwrap(), []);
    });
}

async fn ending_an_accounts_sessions_ends_those_working_in_it(db: TestStorage) {
    begun(&db).await;
    away(&db, 4).await;
    let ended = change!(db, tx => tx.sessions().end_all_of_account(BOB).await.unwrap());
    assert_eq!((ended, listed(&db, BOB).await), (2, vec![]));
    assert_eq!(listed(&db, ANN).await, [3, 2, 1]);
    read!(db, r => {
        assert_eq!(r.sessions().find_by_hash(hash(ANN, 4)).await.unwrap(), None);
        let at_home = r.sessions().find_by_hash(hash(ANN, 1)).await.unwrap();
        assert_eq!(at_home.unwrap().session, session(ANN, 1));
    });
    // Neither its id nor its hash is taken.
    away(&db, 4).await;
}

async fn a_session_of_any_role_is_found_by_its_plain_hash(db: TestStorage) {
    two_accounts(&db).await;
    for (id, role) in (1..).zip(Role::ALL) {
        let user = User { role, ..owner(ANN) };
        change!(db, tx => {
            tx.members().save_membership(&user).await.unwrap();
            tx.sessions().add(&session(ANN, id), hash(ANN, id), role).await.unwrap();
        });
        let known = read!(db, r => r.sessions().find_by_hash(hash(ANN, id)).await.unwrap());
        let known = known.unwrap();
        assert_eq!((known.session, known.user), (session(ANN, id), user));
    }
}
