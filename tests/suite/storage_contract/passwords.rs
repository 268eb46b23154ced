//! Passwords and names of users.

use super::examples::*;
use domain::{
    email::EmailAddress,
    password::{HashCost, PasswordHash},
    ports::{passwords::Credentials, storage::StorageError},
    rights::Role,
    text::Label,
    user::User,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_password_belongs_to_one_user,
    withdrawn_devices_are_those_of_one_user,
    equal_user_ids_have_separate_passwords,
    an_email_change_updates_user_and_directory,
    any_reports_whether_an_account_exists,
    hash_costs_are_listed_up_to_a_limit,
    the_password_of_any_role_is_read_back_unchanged,
    a_new_role_keeps_the_password_readable,
];

fn hash(text: &str) -> PasswordHash {
    PasswordHash(text.to_owned())
}

async fn a_password_belongs_to_one_user(db: TestStorage) {
    two_accounts(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    change!(db, tx => {
        assert_eq!(tx.passwords().lock(ANN, ann.id).await.unwrap(), None);
        tx.passwords().set(&ann, &hash("one"), after(1)).await.unwrap();
        tx.passwords().set(&ann, &hash("two"), after(2)).await.unwrap();
        assert_eq!(tx.passwords().lock(ANN, ann.id).await.unwrap(), Some(hash("two")));
        assert_eq!(tx.passwords().lock(BOB, bob.id).await.unwrap(), None);
    });
    read!(db, r => {
        let found = r.passwords().credentials(&ann.email).await.unwrap();
        let expected = Credentials { account: account(ANN), user: ann, password: Some(hash("two")) };
        assert_eq!(found, Some(expected));
        let found = r.passwords().credentials(&bob.email).await.unwrap().unwrap();
        assert_eq!((found.user, found.password), (bob.clone(), None));
        assert_eq!(r.passwords().devices_valid_from(ANN, owner(ANN).id).await.unwrap(), Some(after(2)));
        assert_eq!(r.passwords().devices_valid_from(BOB, owner(ANN).id).await.unwrap(), None);
        assert_eq!(r.passwords().devices_valid_from(BOB, bob.id).await.unwrap(), None);
        let unknown_email = EmailAddress::parse("unknown@example.com").unwrap();
        assert_eq!(r.passwords().credentials(&unknown_email).await.unwrap(), None);
    });
}

async fn withdrawn_devices_are_those_of_one_user(db: TestStorage) {
    two_accounts(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    change!(db, tx => {
        tx.passwords().set(&ann, &hash("one"), after(1)).await.unwrap();
        tx.passwords().set(&bob, &hash("one"), after(1)).await.unwrap();
        tx.passwords().revoke_devices(ANN, ann.id, after(2)).await.unwrap();
        assert_eq!(tx.passwords().devices_valid_from(ANN, ann.id).await.unwrap(), Some(after(2)));
        assert_eq!(tx.passwords().devices_valid_from(BOB, bob.id).await.unwrap(), Some(after(1)));
        tx.passwords().set(&ann, &hash("two"), after(3)).await.unwrap();
        assert_eq!(tx.passwords().devices_valid_from(ANN, ann.id).await.unwrap(), Some(after(3)));
    });
}

async fn equal_user_ids_have_separate_passwords(db: TestStorage) {
    let people = [ANN, BOB].map(|it| User {
        id: owner(ANN).id,
        ..owner(it)
    });
    change!(db, tx => for person in &people {
        tx.accounts().add(&account(person.account), person).await.unwrap();
        let own = hash(person.email.as_str());
        tx.passwords().set(person, &own, after(1)).await.unwrap();
    });
    for person in people {
        let found = read!(db, r => r.passwords().credentials(&person.email).await.unwrap());
        let expected = Credentials {
            account: account(person.account),
            password: Some(hash(person.email.as_str())),
            user: person,
        };
        assert_eq!(found, Some(expected));
    }
}

async fn an_email_change_updates_user_and_directory(db: TestStorage) {
    two_accounts(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    let changed = User {
        email: EmailAddress::parse("ann@example.org").unwrap(),
        name: Label::parse("Ann Other").unwrap(),
        ..ann.clone()
    };
    change!(db, tx => tx.members().save_profile(&changed).await.unwrap());
    read!(db, r => {
        assert_eq!(r.members().find(ANN, ann.id).await.unwrap(), Some(changed.clone()));
        assert_eq!(r.members().find(BOB, ann.id).await.unwrap(), None);
        assert_eq!(r.members().find_by_email(&changed.email).await.unwrap(), Some(changed.clone()));
        assert_eq!(r.members().find_by_email(&ann.email).await.unwrap(), None);
        assert_eq!(r.members().find(BOB, bob.id).await.unwrap(), Some(bob.clone()));
    });
    let taken = User {
        email: bob.email,
        ..changed
    };
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let outcome = tx.members().save_profile(&taken).await;
    assert!(
        matches!(outcome, Err(StorageError::Conflict { .. })),
        "{outcome:?}"
    );
}

async fn any_reports_whether_an_account_exists(db: TestStorage) {
    let any = read!(db, r => r.accounts().any().await.unwrap());
    two_accounts(&db).await;
    assert_eq!(
        (any, read!(db, r => r.accounts().any().await.unwrap())),
        (false, true)
    );
}

async fn hash_costs_are_listed_up_to_a_limit(db: TestStorage) {
    two_accounts(&db).await;
    let people = [(ANN, Role::Owner, "2"), (BOB, Role::Viewer, "3")];
    let hashes = people.map(|(account, role, passes)| {
        let hash = format!("$argon2id$v=19$m=19456,t={passes},p=1$c2FsdA$b3V0cHV0");
        let person = User {
            role,
            ..owner(account)
        };
        (person, PasswordHash(hash))
    });
    change!(db, tx => for (person, hash) in &hashes {
        tx.passwords().set(person, hash, after(1)).await.unwrap();
    });
    let expected: Vec<HashCost> = { hashes.iter() }
        .filter_map(|(_, it)| HashCost::of(it))
        .collect();
    read!(db, r => {
        assert_eq!(r.passwords().costs(10).await.unwrap(), expected);
        assert_eq!(r.passwords().costs(1).await.unwrap().len(), 1);
    });
}

/// The password as `lock` and `credentials` return it.
async fn read_back(db: &TestStorage, user: &User) -> [Option<PasswordHash>; 2] {
    let locked = change!(db, tx => tx.passwords().lock(user.account, user.id).await.unwrap());
    let found = read!(db, r => r.passwords().credentials(&user.email).await.unwrap());
    [locked, found.unwrap().password]
}

async fn the_password_of_any_role_is_read_back_unchanged(db: TestStorage) {
    two_accounts(&db).await;
    for role in Role::ALL {
        let (user, own) = (User { role, ..owner(ANN) }, hash(role.name()));
        change!(db, tx => {
            tx.members().save_membership(&user).await.unwrap();
            tx.passwords().set(&user, &own, after(1)).await.unwrap();
        });
        let expected = Some(own);
        assert_eq!(read_back(&db, &user).await, [expected.clone(), expected]);
    }
}

async fn a_new_role_keeps_the_password_readable(db: TestStorage) {
    two_accounts(&db).await;
    let expected = Some(hash("one"));
    change!(db, tx => tx.passwords().set(&owner(ANN), &hash("one"), after(1)).await.unwrap());
    for role in [Role::Editor, Role::Client, Role::Owner] {
        let user = User { role, ..owner(ANN) };
        change!(db, tx => tx.members().save_membership(&user).await.unwrap());
        assert_eq!(
            read_back(&db, &user).await,
            [expected.clone(), expected.clone()]
        );
    }
}
