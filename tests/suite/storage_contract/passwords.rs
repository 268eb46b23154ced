//! Passwords and names of users.

use super::examples::*;
use domain::{
    email::EmailAddress,
    password::{HashCost, PasswordHash},
    ports::{passwords::Credentials, storage::StorageError},
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
];

fn hash(text: &str) -> PasswordHash {
    PasswordHash(text.to_owned())
}

async fn a_password_belongs_to_one_user(db: TestStorage) {
    two_accounts(&db).await;
    let (ann, bob) = (owner(ANN), owner(BOB));
    change!(db, tx => {
        assert_eq!(tx.passwords().lock(ANN, ann.id).await.unwrap(), None);
        tx.passwords().set(ANN, ann.id, &hash("one"), after(1)).await.unwrap();
        tx.passwords().set(ANN, ann.id, &hash("two"), after(2)).await.unwrap();
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
    let (ann, bob) = (owner(ANN).id, owner(BOB).id);
    change!(db, tx => {
        tx.passwords().set(ANN, ann, &hash("one"), after(1)).await.unwrap();
        tx.passwords().set(BOB, bob, &hash("one"), after(1)).await.unwrap();
        tx.passwords().revoke_devices(ANN, ann, after(2)).await.unwrap();
        assert_eq!(tx.passwords().devices_valid_from(ANN, ann).await.unwrap(), Some(after(2)));
        assert_eq!(tx.passwords().devices_valid_from(BOB, bob).await.unwrap(), Some(after(1)));
        tx.passwords().set(ANN, ann, &hash("two"), after(3)).await.unwrap();
        assert_eq!(tx.passwords().devices_valid_from(ANN, ann).await.unwrap(), Some(after(3)));
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
        tx.passwords().set(person.account, person.id, &own, after(1)).await.unwrap();
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
    change!(db, tx => tx.accounts().save_user(&changed).await.unwrap());
    read!(db, r => {
        assert_eq!(r.accounts().user(ANN, ann.id).await.unwrap(), Some(changed.clone()));
        assert_eq!(r.accounts().user(BOB, ann.id).await.unwrap(), None);
        assert_eq!(r.accounts().owner_by_email(&changed.email).await.unwrap(), Some(changed.clone()));
        assert_eq!(r.accounts().owner_by_email(&ann.email).await.unwrap(), None);
        assert_eq!(r.accounts().user(BOB, bob.id).await.unwrap(), Some(bob.clone()));
    });
    let taken = User {
        email: bob.email,
        ..changed
    };
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let outcome = tx.accounts().save_user(&taken).await;
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
    let hashes = [(ANN, "2"), (BOB, "3")].map(|(account, passes)| {
        let hash = format!("$argon2id$v=19$m=19456,t={passes},p=1$c2FsdA$b3V0cHV0");
        (owner(account), PasswordHash(hash))
    });
    change!(db, tx => for (person, hash) in &hashes {
        tx.passwords().set(person.account, person.id, hash, after(1)).await.unwrap();
    });
    let expected: Vec<HashCost> = { hashes.iter() }
        .filter_map(|(_, it)| HashCost::of(it))
        .collect();
    read!(db, r => {
        assert_eq!(r.passwords().costs(10).await.unwrap(), expected);
        assert_eq!(r.passwords().costs(1).await.unwrap().len(), 1);
    });
}
