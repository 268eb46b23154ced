//! Members of accounts.

use super::examples::*;
use chrono::{DateTime, Utc};
use domain::{
    email::EmailAddress,
    ids::{AccountId, ProjectId, UserId},
    password::PasswordHash,
    ports::{passwords::Credentials, storage::StorageError},
    rights::Role,
    text::Label,
    user::User,
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::BTreeSet;

on_every_storage![
    a_member_of_each_role_is_read_back_as_written,
    an_address_finds_the_person_in_the_home_account,
    an_account_lists_its_own_members_oldest_first,
    a_new_member_with_a_taken_address_is_a_conflict,
    a_taken_member_id_is_not_a_conflict,
    joining_an_account_does_not_change_the_home_account,
    a_person_who_left_joins_again_with_another_role,
    a_person_who_left_the_home_account_joins_it_again,
    saving_a_member_affects_no_other,
    saving_a_copy_changes_no_address_to_sign_in_with,
    joined_accounts_are_those_of_one_person_in_order,
    after_a_move_the_address_finds_the_new_home,
    a_move_takes_the_password_along,
    a_move_takes_joined_accounts_along,
    a_move_takes_the_operator_mark_along,
    granted_projects_are_replaced_and_cleared,
    grants_are_those_of_one_account_in_order,
    an_operator_mark_is_set_and_removed_once,
];

const CAT: AccountId = AccountId(3);
const DAN: AccountId = AccountId(4);

fn address(text: &str) -> EmailAddress {
    EmailAddress::parse(text).unwrap()
}

/// A person whom the owner of the account invited.
fn member(account: AccountId, id: i64) -> User {
    User {
        id: UserId(id),
        email: address(&format!("member{id}.of{account}@example.com")),
        name: Label::parse("Eva žluť").unwrap(),
        created_at: after(id),
        role: Role::Editor,
        invited_by: Some(owner(account).id),
        ..owner(account)
    }
}

/// A person as member of another account.
fn guest(person: &User, account: AccountId) -> User {
    User {
        account,
        created_at: after(5),
        role: Role::Viewer,
        invited_by: Some(owner(account).id),
        ..person.clone()
    }
}

/// Ann, at home in the first of three accounts, joined the others.
async fn joined_everywhere(db: &TestStorage) {
    two_accounts(db).await;
    change!(db, tx => {
        tx.accounts().add(&account(CAT), &owner(CAT)).await.unwrap();
        for it in [CAT, BOB] {
            tx.members().join(&guest(&owner(ANN), it), ANN).await.unwrap();
        }
    });
}

async fn move_ann_to_bob(db: &TestStorage) {
    change!(db, tx => tx.members().move_home(&owner(ANN), &guest(&owner(ANN), BOB)).await.unwrap());
}

async fn stored(db: &TestStorage, account: AccountId, user: UserId) -> Option<User> {
    read!(db, r => r.members().find(account, user).await.unwrap())
}

async fn signing_in_with(db: &TestStorage, email: &EmailAddress) -> Option<User> {
    read!(db, r => r.members().find_by_email(email).await.unwrap())
}

async fn joined_by(db: &TestStorage, home: AccountId, person: UserId) -> Vec<AccountId> {
    read!(db, r => r.members().joined_accounts(home, person).await.unwrap())
}

async fn operator_since(
    db: &TestStorage,
    home: AccountId,
    person: UserId,
) -> Option<DateTime<Utc>> {
    read!(db, r => r.members().operator_since(home, person).await.unwrap())
}

async fn a_member_of_each_role_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    for (id, role) in (20..).zip(Role::ALL) {
        let added = User {
            created_at: after(id) + tick(),
            role,
            ..member(ANN, id)
        };
        change!(db, tx => tx.members().add(&added).await.unwrap());
        assert_eq!(stored(&db, BOB, added.id).await, None);
        assert_eq!(stored(&db, ANN, added.id).await, Some(added));
    }
}

async fn an_address_finds_the_person_in_the_home_account(db: TestStorage) {
    two_accounts(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    change!(db, tx => tx.members().join(&guest(&bob, ANN), BOB).await.unwrap());
    assert_eq!(signing_in_with(&db, &ann.email).await, Some(ann));
    assert_eq!(signing_in_with(&db, &bob.email).await, Some(bob));
    let unknown = address("unknown@example.com");
    assert_eq!(signing_in_with(&db, &unknown).await, None);
}

async fn an_account_lists_its_own_members_oldest_first(db: TestStorage) {
    two_accounts(&db).await;
    let since = |second, id| User {
        created_at: after(second),
        ..member(ANN, id)
    };
    let left = User {
        left_at: Some(after(90)),
        ..since(8, 6)
    };
    let (oldest, newest, bobs) = (since(0, 7), since(9, 5), member(BOB, 5));
    change!(db, tx => for it in [&newest, &left, &oldest, &bobs] {
        tx.members().add(it).await.unwrap();
    });
    assert_eq!(stored(&db, ANN, left.id).await, Some(left.clone()));
    read!(db, r => {
        let listed = r.members().list(ANN).await.unwrap();
        assert_eq!(listed, [oldest, owner(ANN), left, newest]);
        assert_eq!(r.members().list(BOB).await.unwrap(), [owner(BOB), bobs]);
        assert_eq!(r.members().list(CAT).await.unwrap(), []);
    });
}

async fn a_new_member_with_a_taken_address_is_a_conflict(db: TestStorage) {
    two_accounts(&db).await;
    let taken = User {
        email: owner(BOB).email,
        ..member(ANN, 5)
    };
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.members().add(&taken).await;
    assert!(
        matches!(outcome, Err(StorageError::Conflict { constraint }) if constraint == "user_directory_pkey")
    );
    drop(tx);
    assert_eq!(stored(&db, ANN, taken.id).await, None);
    assert_eq!(signing_in_with(&db, &taken.email).await, Some(owner(BOB)));
}

async fn a_taken_member_id_is_not_a_conflict(db: TestStorage) {
    two_accounts(&db).await;
    let taken = User {
        id: owner(ANN).id,
        ..member(ANN, 5)
    };
    let mut tx = db.storage.write().await.unwrap();
    let outcome = tx.members().add(&taken).await;
    assert!(matches!(outcome, Err(StorageError::IdTaken)));
}

async fn joining_an_account_does_not_change_the_home_account(db: TestStorage) {
    two_accounts(&db).await;
    let ann = owner(ANN);
    let joined = guest(&ann, BOB);
    change!(db, tx => tx.members().join(&joined, ANN).await.unwrap());
    assert_eq!(signing_in_with(&db, &ann.email).await, Some(ann.clone()));
    read!(db, r => {
        assert_eq!(r.members().list(ANN).await.unwrap(), [ann]);
        assert_eq!(r.members().list(BOB).await.unwrap(), [owner(BOB), joined]);
    });
}

async fn a_person_who_left_joins_again_with_another_role(db: TestStorage) {
    two_accounts(&db).await;
    let ann = owner(ANN);
    let joined = guest(&ann, BOB);
    let left = User {
        left_at: Some(after(60)),
        ..joined.clone()
    };
    change!(db, tx => {
        tx.members().join(&joined, ANN).await.unwrap();
        tx.members().save_membership(&left).await.unwrap();
    });
    assert_eq!(stored(&db, BOB, ann.id).await, Some(left));
    let again = User {
        role: Role::Admin,
        ..joined
    };
    change!(db, tx => tx.members().join(&again, ANN).await.unwrap());
    assert_eq!(stored(&db, BOB, ann.id).await, Some(again));
    assert_eq!(joined_by(&db, ANN, ann.id).await, [BOB]);
    assert_eq!(signing_in_with(&db, &ann.email).await, Some(ann));
}

async fn a_person_who_left_the_home_account_joins_it_again(db: TestStorage) {
    two_accounts(&db).await;
    let left = User {
        left_at: Some(after(60)),
        ..member(ANN, 5)
    };
    let again = User {
        role: Role::Client,
        ..member(ANN, 5)
    };
    change!(db, tx => {
        tx.members().add(&left).await.unwrap();
        tx.members().join(&again, ANN).await.unwrap();
    });
    assert_eq!(joined_by(&db, ANN, again.id).await, []);
    assert_eq!(
        signing_in_with(&db, &again.email).await,
        Some(again.clone())
    );
    assert_eq!(stored(&db, ANN, again.id).await, Some(again));
}

async fn saving_a_member_affects_no_other(db: TestStorage) {
    two_accounts(&db).await;
    let (before, namesake) = (member(ANN, 5), member(BOB, 5));
    let changed = User {
        email: address("new@example.com"),
        name: Label::parse("New Name").unwrap(),
        role: Role::Client,
        left_at: Some(after(9) + tick()),
        ..before.clone()
    };
    change!(db, tx => {
        tx.members().add(&before).await.unwrap();
        tx.members().add(&namesake).await.unwrap();
        tx.members().save_profile(&changed).await.unwrap();
        let renamed = tx.members().find(ANN, before.id).await.unwrap().unwrap();
        assert_eq!((renamed.role, renamed.left_at), (before.role, None));
        tx.members().save_membership(&User { email: before.email.clone(), ..changed.clone() }).await.unwrap();
    });
    assert_eq!(stored(&db, BOB, namesake.id).await, Some(namesake));
    assert_eq!(stored(&db, ANN, owner(ANN).id).await, Some(owner(ANN)));
    assert_eq!(stored(&db, ANN, changed.id).await, Some(changed.clone()));
    assert_eq!(signing_in_with(&db, &before.email).await, None);
    let found = signing_in_with(&db, &changed.email).await;
    assert_eq!(found, Some(changed.clone()));
    let back = User {
        left_at: None,
        ..changed
    };
    change!(db, tx => tx.members().save_membership(&back).await.unwrap());
    assert_eq!(stored(&db, ANN, back.id).await, Some(back));
}

async fn saving_a_copy_changes_no_address_to_sign_in_with(db: TestStorage) {
    two_accounts(&db).await;
    let ann = owner(ANN);
    let copy = User {
        email: address("copy@example.com"),
        ..guest(&ann, BOB)
    };
    change!(db, tx => {
        tx.members().join(&guest(&ann, BOB), ANN).await.unwrap();
        tx.members().save_profile(&copy).await.unwrap();
    });
    assert_eq!(stored(&db, BOB, ann.id).await, Some(copy.clone()));
    assert_eq!(signing_in_with(&db, &copy.email).await, None);
    assert_eq!(signing_in_with(&db, &ann.email).await, Some(ann));
}

async fn joined_accounts_are_those_of_one_person_in_order(db: TestStorage) {
    two_accounts(&db).await;
    let ann = owner(ANN);
    let namesake = User {
        id: ann.id,
        ..owner(CAT)
    };
    let left = User {
        left_at: Some(after(60)),
        ..guest(&ann, BOB)
    };
    change!(db, tx => {
        tx.accounts().add(&account(CAT), &namesake).await.unwrap();
        tx.accounts().add(&account(DAN), &owner(DAN)).await.unwrap();
        for it in [DAN, BOB] {
            tx.members().join(&guest(&ann, it), ANN).await.unwrap();
        }
        tx.members().save_membership(&left).await.unwrap();
    });
    assert_eq!(joined_by(&db, ANN, ann.id).await, [BOB, DAN]);
    assert_eq!(joined_by(&db, CAT, namesake.id).await, []);
    assert_eq!(joined_by(&db, BOB, ann.id).await, []);
    assert_eq!(joined_by(&db, BOB, owner(BOB).id).await, []);
}

async fn after_a_move_the_address_finds_the_new_home(db: TestStorage) {
    joined_everywhere(&db).await;
    move_ann_to_bob(&db).await;
    let moved = guest(&owner(ANN), BOB);
    assert_eq!(
        signing_in_with(&db, &moved.email).await,
        Some(moved.clone())
    );
    assert_eq!(stored(&db, ANN, moved.id).await, Some(owner(ANN)));
    // The row at the old home is a copy now.
    let renamed = User {
        email: address("new@example.com"),
        ..moved
    };
    let copy = User {
        email: address("copy@example.com"),
        ..owner(ANN)
    };
    change!(db, tx => for it in [&renamed, &copy] {
        tx.members().save_profile(it).await.unwrap();
    });
    assert_eq!(signing_in_with(&db, &copy.email).await, None);
    assert_eq!(signing_in_with(&db, &owner(ANN).email).await, None);
    assert_eq!(
        signing_in_with(&db, &renamed.email).await,
        Some(renamed.clone())
    );
}

fn password(user: &User) -> PasswordHash {
    PasswordHash(user.email.to_string())
}

async fn a_move_takes_the_password_along(db: TestStorage) {
    joined_everywhere(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    change!(db, tx => for it in [&ann, &bob] {
        tx.passwords().set(it, &password(it), after(1)).await.unwrap();
    });
    move_ann_to_bob(&db).await;
    change!(db, tx => {
        assert_eq!(tx.passwords().lock(ANN, ann.id).await.unwrap(), None);
        assert_eq!(tx.passwords().lock(BOB, ann.id).await.unwrap(), Some(password(&ann)));
        assert_eq!(tx.passwords().lock(BOB, bob.id).await.unwrap(), Some(password(&bob)));
    });
    read!(db, r => {
        let found = r.passwords().credentials(&ann.email).await.unwrap();
        let expected = Credentials {
            account: account(BOB),
            user: guest(&ann, BOB),
            password: Some(password(&ann)),
        };
        assert_eq!(found, Some(expected));
        let valid_from = r.passwords().devices_valid_from(BOB, ann.id).await.unwrap();
        assert_eq!(valid_from, Some(after(1)));
    });
}

async fn a_move_takes_joined_accounts_along(db: TestStorage) {
    joined_everywhere(&db).await;
    move_ann_to_bob(&db).await;
    let ann = owner(ANN).id;
    assert_eq!(joined_by(&db, BOB, ann).await, [ANN, CAT]);
    assert_eq!(joined_by(&db, ANN, ann).await, []);
}

async fn a_move_takes_the_operator_mark_along(db: TestStorage) {
    joined_everywhere(&db).await;
    let (ann, bob) = (owner(ANN).id, owner(BOB).id);
    change!(db, tx => {
        assert!(tx.members().set_operator(ANN, ann, Some(after(3))).await.unwrap());
        assert!(tx.members().set_operator(BOB, bob, Some(after(4))).await.unwrap());
    });
    move_ann_to_bob(&db).await;
    assert_eq!(operator_since(&db, ANN, ann).await, None);
    assert_eq!(operator_since(&db, BOB, ann).await, Some(after(3)));
    assert_eq!(operator_since(&db, BOB, bob).await, Some(after(4)));
}

fn projects<const N: usize>(ids: [i64; N]) -> BTreeSet<ProjectId> {
    ids.map(ProjectId).into()
}

/// Two members of the first account, which has projects 11 and 12, and one of the second with project 11.
async fn with_clients(db: &TestStorage) {
    two_accounts(db).await;
    change!(db, tx => {
        tx.projects().add(&project(ANN, 12)).await.unwrap();
        for it in [member(ANN, 5), member(ANN, 6), member(BOB, 5)] {
            tx.members().add(&it).await.unwrap();
        }
    });
}

async fn grant(db: &TestStorage, user: &User, projects: &BTreeSet<ProjectId>) {
    let by = owner(user.account).id;
    change!(db, tx => {
        tx.members().set_granted_projects(user, projects, by, after(1)).await.unwrap();
    });
}

async fn granted(db: &TestStorage, user: &User) -> BTreeSet<ProjectId> {
    read!(db, r => r.members().granted_projects(user.account, user.id).await.unwrap())
}

async fn granted_projects_are_replaced_and_cleared(db: TestStorage) {
    with_clients(&db).await;
    let client = member(ANN, 5);
    assert_eq!(granted(&db, &client).await, projects([]));
    for wanted in [
        projects([11]),
        projects([11, 12]),
        projects([12]),
        projects([]),
    ] {
        grant(&db, &client, &wanted).await;
        assert_eq!(granted(&db, &client).await, wanted);
    }
}

async fn grants_are_those_of_one_account_in_order(db: TestStorage) {
    with_clients(&db).await;
    let (first, second, bobs) = (member(ANN, 5), member(ANN, 6), member(BOB, 5));
    grant(&db, &second, &projects([11])).await;
    grant(&db, &first, &projects([12, 11])).await;
    grant(&db, &bobs, &projects([11])).await;
    let pairs = |all: &[(i64, i64)]| -> Vec<(UserId, ProjectId)> {
        all.iter()
            .map(|it| (UserId(it.0), ProjectId(it.1)))
            .collect()
    };
    read!(db, r => {
        let of_ann = r.members().grants(ANN).await.unwrap();
        assert_eq!(of_ann, pairs(&[(5, 11), (5, 12), (6, 11)]));
        assert_eq!(r.members().grants(BOB).await.unwrap(), pairs(&[(5, 11)]));
        assert_eq!(r.members().grants(CAT).await.unwrap(), []);
    });
    grant(&db, &first, &projects([])).await;
    read!(db, r => {
        assert_eq!(r.members().grants(ANN).await.unwrap(), pairs(&[(6, 11)]));
        assert_eq!(r.members().grants(BOB).await.unwrap(), pairs(&[(5, 11)]));
    });
    assert_eq!(granted(&db, &bobs).await, projects([11]));
}

async fn an_operator_mark_is_set_and_removed_once(db: TestStorage) {
    two_accounts(&db).await;
    let ann = owner(ANN).id;
    assert_eq!(operator_since(&db, ANN, ann).await, None);
    let first = Some(after(1) + tick());
    change!(db, tx => {
        assert!(tx.members().set_operator(ANN, ann, first).await.unwrap());
        assert!(!tx.members().set_operator(ANN, ann, Some(after(2))).await.unwrap());
    });
    assert_eq!(operator_since(&db, ANN, ann).await, first);
    assert_eq!(operator_since(&db, BOB, ann).await, None);
    assert_eq!(operator_since(&db, BOB, owner(BOB).id).await, None);
    change!(db, tx => {
        assert!(!tx.members().set_operator(BOB, ann, None).await.unwrap());
        assert!(tx.members().set_operator(ANN, ann, None).await.unwrap());
        assert!(!tx.members().set_operator(ANN, ann, None).await.unwrap());
    });
    assert_eq!(operator_since(&db, ANN, ann).await, None);
}
