//! The event log.

use super::examples::*;
use analysis::document::Document;
use analysis::events::{EventKind, EventSeverity, SubjectKind};
use chrono::{DateTime, Utc};
use domain::{
    event::{EventFilter, EventOrder, LoggedEvent, NewEvent},
    ids::{AccountId, ProjectId},
    test_support::a_new_event,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    events_are_read_back_in_the_order_in_which_they_were_added,
    an_event_is_added_once,
    events_are_filtered_by_kind_project_time_and_position,
    a_transaction_that_is_not_committed_adds_nothing,
    old_events_are_deleted_in_batches,
    bytes_of_events_count_for_the_account,
    events_of_another_account_do_not_exist,
];

const ALL: EventOrder = EventOrder::OldestFirst { after: 0 };

fn every(order: EventOrder) -> EventFilter {
    EventFilter {
        kinds: EventKind::ALL.to_vec(),
        severities: EventSeverity::ALL.to_vec(),
        projects: None,
        subject: None,
        since: None,
        order,
    }
}

async fn add(db: &TestStorage, account: AccountId, events: &[NewEvent]) {
    change!(db, tx => tx.events().append(account, events).await.unwrap());
}

fn measured(n: i64, at: DateTime<Utc>) -> NewEvent {
    let new = a_new_event(n);
    NewEvent {
        event: analysis::events::Event {
            measured_at: at,
            ..new.event
        },
        ..new
    }
}

fn size(event: &NewEvent) -> u64 {
    Document::of(&event.event).as_str().len() as u64
}

async fn listed(db: &TestStorage, account: AccountId, filter: &EventFilter) -> Vec<LoggedEvent> {
    read!(db, r => r.events().list(account, filter, 50).await.unwrap())
}

async fn keys(db: &TestStorage, filter: &EventFilter) -> Vec<String> {
    let found = listed(db, ANN, filter).await;
    found.into_iter().map(|it| it.entry.dedupe_key).collect()
}

async fn bytes(db: &TestStorage, account: AccountId) -> u64 {
    let stored = read!(db, r => r.stored_data().of_account(account).await.unwrap());
    stored.event_bytes
}

async fn events_are_read_back_in_the_order_in_which_they_were_added(db: TestStorage) {
    two_accounts(&db).await;
    let of_the_account = NewEvent {
        project: None,
        job: None,
        ..a_new_event(3)
    };
    add(&db, ANN, &[a_new_event(2), a_new_event(1)]).await;
    add(&db, ANN, std::slice::from_ref(&of_the_account)).await;
    let oldest = listed(&db, ANN, &every(ALL)).await;
    let added: Vec<&NewEvent> = oldest.iter().map(|it| &it.entry).collect();
    assert_eq!(added, [&a_new_event(2), &a_new_event(1), &of_the_account]);
    assert!(oldest.is_sorted_by(|one, next| one.seq < next.seq));
    let mut newest = listed(&db, ANN, &every(EventOrder::NewestFirst { before: None })).await;
    newest.reverse();
    assert_eq!(newest, oldest);
    let limited = read!(db, r => r.events().list(ANN, &every(ALL), 2).await.unwrap());
    assert_eq!(limited, oldest[..2]);
}

async fn an_event_is_added_once(db: TestStorage) {
    two_accounts(&db).await;
    add(&db, ANN, &[a_new_event(1)]).await;
    let other = NewEvent {
        project: None,
        ..a_new_event(1)
    };
    add(&db, ANN, &[other, a_new_event(2)]).await;
    add(&db, ANN, &[]).await;
    let found = listed(&db, ANN, &every(ALL)).await;
    let added: Vec<NewEvent> = found.iter().map(|it| it.entry.clone()).collect();
    assert_eq!(added, [a_new_event(1), a_new_event(2)]);
    assert_eq!(bytes(&db, ANN).await, added.iter().map(size).sum::<u64>());
}

async fn events_are_filtered_by_kind_project_time_and_position(db: TestStorage) {
    two_accounts(&db).await;
    let mut lost = measured(2, after(9));
    lost.event.kind = EventKind::KeywordLost;
    let elsewhere = NewEvent {
        project: Some(ProjectId(12)),
        ..measured(3, after(5))
    };
    let nowhere = NewEvent {
        project: None,
        ..measured(4, after(4))
    };
    add(&db, ANN, &[a_new_event(1), lost, elsewhere, nowhere]).await;
    let key = |n| a_new_event(n).dedupe_key;
    let of_kind = EventFilter {
        kinds: vec![EventKind::KeywordLost],
        ..every(ALL)
    };
    assert_eq!(keys(&db, &of_kind).await, [key(2)]);
    let severe = EventFilter {
        severities: vec![EventSeverity::Critical],
        ..every(ALL)
    };
    assert_eq!(keys(&db, &severe).await, [""; 0]);
    let of_subject = EventFilter {
        subject: Some((SubjectKind::Keyword, "2".to_owned())),
        ..every(ALL)
    };
    assert_eq!(keys(&db, &of_subject).await, [key(2)]);
    let of_projects = |ids: &[i64]| EventFilter {
        projects: Some(ids.iter().map(|it| ProjectId(*it)).collect()),
        ..every(ALL)
    };
    assert_eq!(keys(&db, &of_projects(&[12])).await, [key(3)]);
    assert_eq!(keys(&db, &of_projects(&[11, 12])).await, [1, 2, 3].map(key));
    assert_eq!(keys(&db, &of_projects(&[])).await, [""; 0]);
    let since = EventFilter {
        since: Some(after(5)),
        ..every(ALL)
    };
    assert_eq!(keys(&db, &since).await, [2, 3].map(key));
    let none = EventFilter {
        kinds: vec![],
        ..every(ALL)
    };
    assert_eq!(keys(&db, &none).await, [""; 0]);
    let all = listed(&db, ANN, &every(ALL)).await;
    let after_second = every(EventOrder::OldestFirst { after: all[1].seq });
    assert_eq!(keys(&db, &after_second).await, [3, 4].map(key));
    let before_third = every(EventOrder::NewestFirst {
        before: Some(all[2].seq),
    });
    assert_eq!(keys(&db, &before_third).await, [2, 1].map(key));
}

async fn a_transaction_that_is_not_committed_adds_nothing(db: TestStorage) {
    two_accounts(&db).await;
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let new = [a_new_event(1)];
    tx.events().append(ANN, &new).await.unwrap();
    drop(tx);
    assert_eq!(listed(&db, ANN, &every(ALL)).await, []);
    assert_eq!(bytes(&db, ANN).await, 0);
}

async fn old_events_are_deleted_in_batches(db: TestStorage) {
    two_accounts(&db).await;
    for n in 1..=4 {
        add(&db, ANN, &[a_new_event(n)]).await;
    }
    add(&db, BOB, &[a_new_event(1)]).await;
    let mut deleted = Vec::new();
    for _ in 0..3 {
        deleted.push(change!(db, tx => tx.events().purge_before(ANN, after(4), 2).await.unwrap()));
    }
    assert_eq!(deleted, [2, 1, 0]);
    assert_eq!(keys(&db, &every(ALL)).await, [a_new_event(4).dedupe_key]);
    assert_eq!(bytes(&db, ANN).await, size(&a_new_event(4)));
    assert_eq!(listed(&db, BOB, &every(ALL)).await.len(), 1);
    // Deleted numbers are not given again.
    let last = listed(&db, ANN, &every(ALL)).await[0].seq;
    add(&db, ANN, &[a_new_event(9)]).await;
    assert!(listed(&db, ANN, &every(ALL)).await[1].seq > last);
}

async fn bytes_of_events_count_for_the_account(db: TestStorage) {
    two_accounts_at_work(&db).await;
    add(&db, ANN, &[a_new_event(1), a_new_event(2)]).await;
    let both = [1, 2].map(|n| size(&a_new_event(n)));
    assert_eq!(bytes(&db, ANN).await, both[0] + both[1]);
    assert_eq!(bytes(&db, BOB).await, 0);
    let of_project = read!(db, r => r.stored_data().of_project(ANN, SHOP).await.unwrap());
    assert_eq!(of_project.event_bytes, 0);
}

async fn events_of_another_account_do_not_exist(db: TestStorage) {
    two_accounts(&db).await;
    add(&db, ANN, &[a_new_event(1)]).await;
    assert_eq!(listed(&db, BOB, &every(ALL)).await, []);
    let deleted = change!(db, tx => tx.events().purge_before(BOB, after(9), 9).await.unwrap());
    assert_eq!(deleted, 0);
    add(&db, BOB, &[a_new_event(1)]).await;
    let found = [ANN, BOB].map(|it| (it, 1));
    for (account, number) in found {
        assert_eq!(listed(&db, account, &every(ALL)).await.len(), number);
    }
}
