use super::*;
use crate::{
    account::Account,
    ports::{clock::Clock, search_console::MockSearchConsole, search_results::ProviderError},
    search_console::{Property, SearchRow},
    stored_data::{DataSize, StoredData},
    test_support::{
        ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_project, an_account, core,
    },
};
use std::sync::Mutex;

fn binding() -> Binding {
    let property = Property::accepted("sc-domain:shop.example.com".to_owned());
    let now = FrozenClock::default().now();
    Binding::new(ACCOUNT, a_project().id, property, now)
}

fn fetch(storage: &Arc<FakeStorage>, console: MockSearchConsole) -> FetchConsole {
    FetchConsole {
        core: Arc::new(core(storage.clone())),
        console: Arc::new(console),
        limits: FetchLimits {
            first_days: 12,
            ..FetchLimits::default()
        },
    }
}

/// Expects that the binding is found and leased, and the project found.
fn begin(storage: &FakeStorage) {
    begin_for(storage, an_account());
}

fn begin_for(storage: &FakeStorage, account: Account) {
    storage.expect(|it| {
        let find = it.console_bindings.expect_find();
        find.returning(|_, _| Ok(Some(binding())));
    });
    storage.expect(|it| {
        let advance = it.console_bindings.expect_advance();
        advance.returning(|before, after| {
            assert!(before.leased_until.is_none() && after.leased_until.is_some());
            Ok(true)
        });
    });
    storage.expect(|it| {
        let find = it.accounts.expect_find();
        find.return_once(|_| Ok(Some(account)));
        let find = it.projects.expect_find();
        find.returning(|_, _| Ok(Some(a_project())));
    });
}

fn nothing_stored(it: &mut FakeTransaction) {
    it.console_rows
        .expect_size_of_replaced()
        .returning(|_, _, _| Ok(DataSize::default()));
    let stored = &mut it.stored_data;
    { stored.expect_of_account() }.returning(|_| Ok(StoredData::default()));
    { stored.expect_of_project() }.returning(|_, _| Ok(StoredData::default()));
}

fn row(page: &str, clicks: u64) -> SearchRow {
    SearchRow {
        query: None,
        page: Some(page.to_owned()),
        country: None,
        device: None,
        clicks,
        impressions: 10,
        position: Some(2.0),
    }
}

#[tokio::test]
async fn old_days_are_final_and_invalid_rows_are_left_out() {
    let storage = Arc::new(FakeStorage::default());
    begin(&storage);
    for _ in 0..3 {
        storage.expect(|it| {
            it.projects
                .expect_lock()
                .returning(|_, _| Ok(Some(a_project())));
            it.console_bindings
                .expect_advance()
                .returning(|_, _| Ok(true));
            nothing_stored(it);
            it.console_rows
                .expect_replace()
                .once()
                .returning(|_, _, ids, sets, import_info| {
                    assert_eq!(
                        (ids.len(), sets.len(), import_info.origin),
                        (4, 4, Origin::Api)
                    );
                    let rows: Vec<usize> = sets.iter().map(|it| it.rows.len()).collect();
                    assert_eq!(rows, [0, 1, 0, 0]);
                    Ok(0)
                });
        });
    }
    storage.expect(|it| {
        it.console_bindings.expect_advance().returning(|_, after| {
            assert!(after.leased_until.is_none() && after.last_failure.is_none());
            Ok(true)
        });
    });
    let mut console = MockSearchConsole::new();
    console.expect_last_final_day().returning(|_, _| Ok(None));
    console.expect_rows().returning(|_, _, cut, _| {
        let pages = vec![
            row("https://shop.example.com/a", 1),
            row("https://other.example.org/", 1),
            row("android-app://com.example/", 1),
            row("https://shop.example.com/b", 11),
        ];
        let is_pages = cut == DimensionSet::aggregated(crate::search_console::RowSubject::Page);
        Ok(if is_pages { pages } else { vec![] })
    });
    let seen = Mutex::new(Vec::new());
    let on_day = |it: FetchedDay| seen.lock().unwrap().push((it.rows, it.left));
    let fetched = fetch(&storage, console)
        .run(ACCOUNT, a_project().id, None, &on_day)
        .await
        .unwrap();
    assert_eq!((fetched.days, fetched.rows), (3, 3));
    assert_eq!(*seen.lock().unwrap(), [(1, 2), (1, 1), (1, 0)]);
    assert_eq!(storage.commits(), 5);
}

#[tokio::test]
async fn nothing_is_fetched_for_a_disabled_account() {
    let storage = Arc::new(FakeStorage::default());
    let account = Account {
        status: AccountStatus::Disabled,
        ..an_account()
    };
    begin_for(&storage, account);
    storage.expect(|it| {
        it.console_bindings
            .expect_advance()
            .once()
            .returning(|_, after| {
                let failure = after.last_failure.as_deref();
                assert_eq!(failure, Some("the account is switched off"));
                Ok(true)
            });
    });
    let outcome = fetch(&storage, MockSearchConsole::new())
        .run(ACCOUNT, a_project().id, None, &|_| {})
        .await;
    assert!(
        matches!(outcome, Err(FetchConsoleError::AccountDisabled)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_failed_fetch_is_recorded_and_returned() {
    let storage = Arc::new(FakeStorage::default());
    begin(&storage);
    storage.expect(|it| {
        it.console_bindings
            .expect_advance()
            .once()
            .returning(|_, after| {
                assert_eq!((after.failures, after.leased_until), (1, None));
                assert!(after.last_failure.is_some());
                Ok(true)
            });
    });
    let mut console = MockSearchConsole::new();
    let failing = |_: &Property, _: Span| Err(ProviderError::Unavailable.into());
    console.expect_last_final_day().returning(failing);
    let outcome = fetch(&storage, console)
        .run(ACCOUNT, a_project().id, None, &|_| {})
        .await;
    assert!(
        matches!(outcome, Err(FetchConsoleError::Console(_))),
        "{outcome:?}"
    );
}
