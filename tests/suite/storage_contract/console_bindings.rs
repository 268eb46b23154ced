//! Which properties of Search Console are fetched.

use super::examples::*;
use chrono::TimeDelta;
use domain::{
    ids::{AccountId, ProjectId},
    search_console::{Binding, Property},
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_project_has_one_binding,
    a_due_binding_is_advanced_once,
    bindings_are_isolated_by_account,
];

fn binding(account: AccountId) -> Binding {
    let property = Property::accepted("sc-domain:shop11.example.com".to_owned());
    Binding::new(account, SHOP, property, now())
}

async fn set(db: &TestStorage, binding: &Binding) {
    change!(db, tx => tx.console_bindings().set(binding).await.unwrap());
}

async fn find(db: &TestStorage, account: AccountId) -> Option<Binding> {
    read!(db, r => r.console_bindings().find(account, SHOP).await.unwrap())
}

async fn a_project_has_one_binding(db: TestStorage) {
    two_accounts(&db).await;
    assert_eq!(find(&db, ANN).await, None);
    set(&db, &binding(ANN)).await;
    let full = binding(ANN)
        .advanced_to(day(3), after(1))
        .failed("no \u{17e}lu\u{165}".to_owned(), after(2));
    let leased = Binding {
        leased_until: Some(after(9)),
        ..full
    };
    set(&db, &leased).await;
    assert_eq!(find(&db, ANN).await, Some(leased));
    let remove = async || change!(db, tx => tx.console_bindings().remove(ANN, SHOP).await.unwrap());
    assert!(remove().await);
    assert!(!remove().await);
    assert_eq!(find(&db, ANN).await, None);
    let due = read!(db, r => r.console_bindings().accounts_due(after(999), 9).await.unwrap());
    assert_eq!(due, []);
}

async fn a_due_binding_is_advanced_once(db: TestStorage) {
    two_accounts(&db).await;
    let late = Binding {
        next_at: after(60),
        ..binding(BOB)
    };
    set(&db, &binding(ANN)).await;
    set(&db, &late).await;
    let due = async |at| read!(db, r => r.console_bindings().accounts_due(at, 9).await.unwrap());
    assert_eq!(due(now() - TimeDelta::seconds(1)).await, []);
    assert_eq!(due(now()).await, [ANN]);
    assert_eq!(due(after(60)).await, [ANN, BOB]);
    let found = read!(db, r => r.console_bindings().due(ANN, now(), 9).await.unwrap());
    assert_eq!(found, [binding(ANN)]);

    // Of two workers that read the same binding, one gets it.
    let taken = found[0].leased(after(1));
    let advance = async |before: &Binding, next: &Binding| {
        let (before, next) = (before.clone(), next.clone());
        change!(db, tx => tx.console_bindings().advance(&before, &next).await.unwrap())
    };
    assert!(advance(&found[0], &taken).await);
    assert!(!advance(&found[0], &taken).await);
    assert_eq!(due(after(60)).await, [BOB]);
    let done = taken.advanced_to(day(3), after(2)).completed(after(2));
    assert!(
        !advance(&found[0], &done).await,
        "the stored binding differs"
    );
    assert!(advance(&taken, &done).await);
    assert_eq!(find(&db, ANN).await, Some(done.clone()));
    // A binding set again meanwhile is another one.
    let anew = Binding {
        bound_at: after(5),
        ..done.clone()
    };
    set(&db, &anew).await;
    assert!(!advance(&done, &taken).await);
}

async fn bindings_are_isolated_by_account(db: TestStorage) {
    two_accounts(&db).await;
    set(&db, &binding(ANN)).await;
    assert_eq!(find(&db, BOB).await, None);
    let due = read!(db, r => r.console_bindings().due(BOB, now(), 9).await.unwrap());
    assert_eq!(due, []);
    let of_theirs = Binding {
        account: BOB,
        ..binding(ANN)
    };
    let moved = change!(db, tx => tx.console_bindings().advance(&of_theirs, &of_theirs.leased(now())).await.unwrap());
    assert!(!moved);
    let removed = change!(db, tx => tx.console_bindings().remove(BOB, SHOP).await.unwrap());
    assert!(!removed);
    let other = read!(db, r => r.console_bindings().find(ANN, ProjectId(12)).await.unwrap());
    assert_eq!(other, None);
}
