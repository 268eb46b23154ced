//! Accounts and users.

use super::examples::*;
use domain::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    ids::{AccountId, UserId},
    money::MicroUsd,
    ports::storage::StorageError,
    report_settings::{EffectiveReportSettings, Frequency, Section},
    text::Label,
    user::User,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    an_account_is_read_back_as_written,
    an_e_mail_address_belongs_to_one_person,
    users_of_two_accounts_may_share_an_id,
    locking_an_account_locks_no_other,
    saving_an_account_and_its_usage_are_independent,
    all_accounts_are_listed_oldest_first_with_their_owners,
    active_accounts_without_any_budget_are_counted,
    a_taken_account_id_is_not_a_conflict,
];

async fn an_account_is_read_back_as_written(db: TestStorage) {
    let mut ann = account(ANN);
    ann.created_at = now() + tick();
    ann.limits.monthly_budget = Some(MicroUsd(5_000_001));
    ann.limits.daily_budget = Some(MicroUsd(70_001));
    ann.report_defaults.content.insert(Section::Vitals, false);
    change!(db, tx => tx.accounts().add(&ann, &owner(ANN)).await.unwrap());
    read!(db, r => {
        assert_eq!(r.accounts().find(ANN).await.unwrap(), Some(ann));
        assert_eq!(r.accounts().find(BOB).await.unwrap(), None);
        let found = r.members().find_by_email(&owner(ANN).email).await.unwrap();
        assert_eq!(found, Some(owner(ANN)));
        assert_eq!(r.members().find_by_email(&owner(BOB).email).await.unwrap(), None);
    });
}

async fn an_e_mail_address_belongs_to_one_person(db: TestStorage) {
    two_accounts(&db).await;
    let stranger = AccountId(3);
    let taken = User {
        account: stranger,
        id: UserId(9),
        ..owner(ANN)
    };
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let outcome = tx.accounts().add(&account(stranger), &taken).await;
    assert!(
        matches!(outcome, Err(StorageError::Conflict { constraint }) if constraint == "user_directory_pkey")
    );
    drop(tx);
    read!(db, r => assert_eq!(r.accounts().find(stranger).await.unwrap(), None));
}

async fn users_of_two_accounts_may_share_an_id(db: TestStorage) {
    let namesake = User {
        id: owner(ANN).id,
        ..owner(BOB)
    };
    change!(db, tx => {
        tx.accounts().add(&account(ANN), &owner(ANN)).await.unwrap();
        tx.accounts().add(&account(BOB), &namesake).await.unwrap();
    });
    read!(db, r => {
        for person in [owner(ANN), namesake.clone()] {
            let found = r.members().find_by_email(&person.email).await.unwrap();
            assert_eq!(found, Some(person));
        }
        let listed = r.accounts().list().await.unwrap();
        assert_eq!(listed, [(account(ANN), vec![owner(ANN)]), (account(BOB), vec![namesake])]);
    });
}

async fn locking_an_account_locks_no_other(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => {
        for id in [ANN, BOB] {
            assert_eq!(tx.accounts().lock(id).await.unwrap(), Some(account(id)));
        }
        assert_eq!(tx.accounts().lock(AccountId(3)).await.unwrap(), None);
    });
}

async fn saving_an_account_and_its_usage_are_independent(db: TestStorage) {
    two_accounts(&db).await;
    let usage = AccountUsage {
        projects: 1,
        keywords: 2,
        ai_tracked: 3,
    };
    let changed = Account {
        name: Label::parse("New").unwrap(),
        status: AccountStatus::Disabled,
        limits: AccountLimits {
            keywords: 7,
            ..AccountLimits::default()
        },
        report_defaults: EffectiveReportSettings {
            frequency: Frequency::Daily,
            ..Default::default()
        },
        ..account(ANN)
    };
    change!(db, tx => {
        tx.accounts().save_usage(ANN, usage).await.unwrap();
        tx.accounts().save(&changed).await.unwrap();
    });
    read!(db, r => {
        let found = r.accounts().find(ANN).await.unwrap();
        assert_eq!(found, Some(Account { usage, ..changed }));
        assert_eq!(r.accounts().find(BOB).await.unwrap(), Some(account(BOB)));
    });
}

async fn all_accounts_are_listed_oldest_first_with_their_owners(db: TestStorage) {
    two_accounts(&db).await;
    let listed = read!(db, r => r.accounts().list().await.unwrap());
    assert_eq!(
        listed,
        [
            (account(ANN), vec![owner(ANN)]),
            (account(BOB), vec![owner(BOB)])
        ]
    );
}

async fn a_taken_account_id_is_not_a_conflict(db: TestStorage) {
    two_accounts(&db).await;
    let other = User {
        email: owner(AccountId(3)).email,
        ..owner(ANN)
    };
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let outcome = tx.accounts().add(&account(ANN), &other).await;
    assert!(matches!(outcome, Err(StorageError::IdTaken)));
}

async fn active_accounts_without_any_budget_are_counted(db: TestStorage) {
    let limited = |id: i64, monthly: Option<i64>, daily: Option<i64>, status| {
        let mut it = account(AccountId(id));
        it.limits.monthly_budget = monthly.map(MicroUsd);
        it.limits.daily_budget = daily.map(MicroUsd);
        it.status = status;
        it
    };
    let all = [
        limited(1, None, None, AccountStatus::Active),
        limited(2, Some(0), None, AccountStatus::Active),
        limited(3, None, Some(1), AccountStatus::Active),
        limited(4, None, None, AccountStatus::Disabled),
        limited(5, None, None, AccountStatus::Active),
    ];
    for it in all {
        change!(db, tx => tx.accounts().add(&it, &owner(it.id)).await.unwrap());
    }
    read!(db, r => assert_eq!(r.accounts().count_without_budget().await.unwrap(), 2));
}
