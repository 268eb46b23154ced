//! Mail and suppressed addresses.

use super::examples::*;
use chrono::TimeDelta;
use domain::{
    email::EmailAddress,
    ids::{AccountId, DeliveryId, UserId},
    mail::{Delivery, DeliveryState, Message, Purpose, Suppression, SuppressionReason},
    ports::outbox::DeliveryFilter,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_delivery_is_read_back_as_written,
    deliveries_are_listed_newest_first_without_personal_ones,
    a_list_continues_behind_a_delivery,
    deliveries_of_links_are_found_oldest_first,
    due_deliveries_come_longest_waiting_first,
    an_account_is_due_until_its_deliveries_end,
    a_delivery_advances_only_from_its_last_state,
    a_hand_over_is_part_of_the_fence,
    handed_over_messages_are_counted_by_recipient,
    a_notice_is_found_by_person_purpose_and_time,
    purging_keeps_deliveries_that_have_not_ended,
    a_suppression_is_kept_until_it_is_lifted,
    another_account_sees_no_delivery_or_suppression,
];

fn address(name: &str) -> EmailAddress {
    EmailAddress::parse(&format!("{name}@example.com")).unwrap()
}

fn test_message(account: AccountId, id: i64) -> Delivery {
    let at = after(id) + tick();
    Delivery::queued(
        (account, DeliveryId(id)),
        address("guest"),
        Message::Test {},
        at,
    )
}

async fn add(db: &TestStorage, deliveries: &[Delivery]) {
    for delivery in deliveries {
        change!(db, tx => tx.outbox().add(delivery).await.unwrap());
    }
}

async fn advance(db: &TestStorage, before: &Delivery, after: &Delivery) -> bool {
    change!(db, tx => tx.outbox().advance(before, after).await.unwrap())
}

async fn found(db: &TestStorage, account: AccountId, id: i64) -> Option<Delivery> {
    read!(db, r => r.outbox().find(account, DeliveryId(id)).await.unwrap())
}

async fn a_delivery_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    let invitation = Message::Invitation {
        account: "Ann & friends".into(),
        inviter: "Ann".into(),
        role: "client".into(),
        projects: vec!["Shop".into(), "Blög \"quoted\"".into()],
        expires_at: after(90),
    };
    let plain = test_message(ANN, 1);
    let full = Delivery {
        person: Some(owner(ANN).id),
        message: invitation,
        link_target: Some(1 << 52),
        state: DeliveryState::Unknown,
        next_at: None,
        attempt: 3,
        handed_over_at: Some(after(60) + tick()),
        ended_at: Some(after(61) + tick()),
        reply: Some("451 4.7.1 later".into()),
        ..test_message(ANN, 2)
    };
    add(&db, &[plain.clone(), full.clone()]).await;
    for expected in [plain, full] {
        assert_eq!(found(&db, ANN, expected.id.0).await, Some(expected));
    }
}

fn first(limit: u32) -> DeliveryFilter {
    DeliveryFilter {
        limit,
        ..DeliveryFilter::default()
    }
}

async fn listed(db: &TestStorage, account: AccountId, filter: DeliveryFilter) -> Vec<i64> {
    let found = read!(db, r => r.outbox().list(account, &filter).await.unwrap());
    found.into_iter().map(|it| it.id.0).collect()
}

async fn deliveries_are_listed_newest_first_without_personal_ones(db: TestStorage) {
    two_accounts(&db).await;
    let personal = Delivery {
        person: Some(owner(ANN).id),
        ..test_message(ANN, 3)
    };
    add(&db, &[test_message(ANN, 1), test_message(ANN, 2), personal]).await;
    assert_eq!(listed(&db, ANN, first(9)).await, [2, 1]);
    let with_personal = DeliveryFilter {
        with_personal: true,
        ..first(2)
    };
    assert_eq!(listed(&db, ANN, with_personal).await, [3, 2]);
}

async fn a_list_continues_behind_a_delivery(db: TestStorage) {
    two_accounts(&db).await;
    let at_once = |id| Delivery {
        id: DeliveryId(id),
        ..test_message(ANN, 1)
    };
    add(&db, &[1, 2, 3].map(at_once)).await;
    add(&db, &[test_message(ANN, 4)]).await;
    let behind = |id: i64, at: i64| DeliveryFilter {
        behind: Some((after(at) + tick(), DeliveryId(id))),
        ..first(2)
    };
    assert_eq!(listed(&db, ANN, first(2)).await, [4, 3]);
    assert_eq!(listed(&db, ANN, behind(3, 1)).await, [2, 1]);
    assert_eq!(listed(&db, ANN, behind(4, 4)).await, [3, 2]);
}

async fn deliveries_of_links_are_found_oldest_first(db: TestStorage) {
    two_accounts(&db).await;
    let of = |id, target| Delivery {
        link_target: Some(target),
        ..test_message(ANN, id)
    };
    add(&db, &[of(3, 71), of(1, 71), of(2, 72), of(4, 73)]).await;
    let found = read!(db, r => r.outbox().of_targets(ANN, &[71, 72]).await.unwrap());
    assert_eq!(
        found.iter().map(|it| it.id.0).collect::<Vec<_>>(),
        [1, 2, 3]
    );
}

async fn due(db: &TestStorage, account: AccountId, seconds: i64) -> Vec<i64> {
    let found = read!(db, r => r.outbox().due(account, after(seconds), 2).await.unwrap());
    found.into_iter().map(|it| it.id.0).collect()
}

async fn accounts_due(db: &TestStorage, seconds: i64) -> Vec<AccountId> {
    read!(db, r => r.outbox().accounts_due(after(seconds), 9).await.unwrap())
}

async fn due_deliveries_come_longest_waiting_first(db: TestStorage) {
    two_accounts(&db).await;
    let waiting = [(1, 30), (2, 10), (3, 20), (4, 40)].map(|(id, at)| Delivery {
        next_at: Some(after(at)),
        ..test_message(ANN, id)
    });
    add(&db, &waiting).await;
    assert_eq!(due(&db, ANN, 9).await, [0; 0]);
    assert_eq!(due(&db, ANN, 10).await, [2]);
    assert_eq!(due(&db, ANN, 30).await, [2, 3]);
}

async fn an_account_is_due_until_its_deliveries_end(db: TestStorage) {
    two_accounts(&db).await;
    let (of_ann, of_bob) = (test_message(ANN, 5), test_message(BOB, 2));
    add(&db, &[of_ann.clone(), of_bob.clone()]).await;
    assert_eq!(accounts_due(&db, 1).await, []);
    assert_eq!(accounts_due(&db, 9).await, [BOB, ANN]);
    let sending = of_bob.sending(after(9));
    assert!(advance(&db, &of_bob, &sending).await);
    assert_eq!(accounts_due(&db, 9).await, [ANN]);
    assert_eq!(accounts_due(&db, 69).await, [ANN, BOB], "the lease ends");
    let sent = sending.ended(DeliveryState::Sent, None, after(10));
    assert!(advance(&db, &sending, &sent).await);
    assert_eq!(accounts_due(&db, 999).await, [ANN]);
}

async fn a_delivery_advances_only_from_its_last_state(db: TestStorage) {
    two_accounts(&db).await;
    let queued = test_message(ANN, 1);
    add(&db, std::slice::from_ref(&queued)).await;
    let sending = queued.sending(after(5));
    assert!(advance(&db, &queued, &sending).await);
    assert!(!advance(&db, &queued, &sending).await, "claimed once");
    let again = sending.sending(after(70));
    assert!(advance(&db, &sending, &again).await);
    let sent = sending.ended(DeliveryState::Sent, None, after(71));
    assert!(!advance(&db, &sending, &sent).await, "an earlier attempt");
    assert_eq!(found(&db, ANN, 1).await, Some(again));
}

async fn a_hand_over_is_part_of_the_fence(db: TestStorage) {
    two_accounts(&db).await;
    let sending = test_message(ANN, 1).sending(after(5));
    add(&db, std::slice::from_ref(&sending)).await;
    let handed_over = sending.handed_over(after(6));
    assert!(advance(&db, &sending, &handed_over).await);
    let retried = sending.retried("timeout".into(), after(7), 0.5);
    assert!(!advance(&db, &sending, &retried).await);
    let unknown = handed_over.ended(DeliveryState::Unknown, None, after(900));
    assert!(advance(&db, &handed_over, &unknown).await);
    assert_eq!(found(&db, ANN, 1).await, Some(unknown));
}

async fn handed_over_messages_are_counted_by_recipient(db: TestStorage) {
    two_accounts(&db).await;
    let at = |id, seconds| test_message(ANN, id).handed_over(after(seconds));
    let other = Delivery {
        recipient: address("other"),
        ..at(3, 30)
    };
    add(&db, &[at(1, 10), at(2, 20), other, test_message(ANN, 4)]).await;
    let count = async |seconds, to: Option<EmailAddress>| read!(db, r => r.outbox().handed_over_since(ANN, after(seconds), to.clone()).await.unwrap());
    assert_eq!(count(10, None).await, 3);
    assert_eq!(count(11, None).await, 2);
    assert_eq!(count(10, Some(address("guest"))).await, 2);
    assert_eq!(count(31, None).await, 0);
}

async fn a_notice_is_found_by_person_purpose_and_time(db: TestStorage) {
    two_accounts(&db).await;
    let person = owner(ANN).id;
    let of_person = Delivery {
        person: Some(person),
        ..test_message(ANN, 10)
    };
    let of_account = test_message(ANN, 20);
    add(&db, &[of_person, of_account]).await;
    let was = async |account, person, purpose, behind| read!(db, r => r.outbox().was_notified(account, person, purpose, behind).await.unwrap());
    assert!(was(ANN, person, Purpose::Test, after(10)).await);
    // Exactly at that moment is not after it.
    let at = after(10) + tick();
    assert!(!was(ANN, person, Purpose::Test, at).await);
    assert!(!was(ANN, person, Purpose::NewDevice, after(1)).await);
    assert!(!was(ANN, UserId(person.0 + 1), Purpose::Test, after(1)).await);
    assert!(!was(BOB, person, Purpose::Test, after(1)).await);
}

async fn purging_keeps_deliveries_that_have_not_ended(db: TestStorage) {
    two_accounts(&db).await;
    let ended = |id| test_message(ANN, id).ended(DeliveryState::Sent, None, after(50));
    add(&db, &[ended(1), test_message(ANN, 2), ended(30)]).await;
    let before = after(20);
    let purged = change!(db, tx => tx.outbox().purge_before(ANN, before).await.unwrap());
    assert_eq!(purged, 1);
    assert_eq!(listed(&db, ANN, first(9)).await, [30, 2]);
}

fn suppression(account: AccountId, name: &str, reason: SuppressionReason) -> Suppression {
    Suppression {
        account,
        recipient: address(name),
        reason,
        at: now() + tick(),
    }
}

async fn a_suppression_is_kept_until_it_is_lifted(db: TestStorage) {
    two_accounts(&db).await;
    let (bounce, complaint) = (SuppressionReason::Bounce, SuppressionReason::Complaint);
    let all = [
        suppression(ANN, "a", bounce),
        suppression(ANN, "b", bounce),
        suppression(ANN, "b", complaint),
    ];
    for it in &all {
        change!(db, tx => tx.outbox().suppress(it).await.unwrap());
    }
    let later = Suppression {
        at: now() + TimeDelta::days(1),
        ..all[0].clone()
    };
    change!(db, tx => tx.outbox().suppress(&later).await.unwrap());
    let known = read!(db, r => r.outbox().suppressions(ANN).await.unwrap());
    assert_eq!(known, all);
    let of_b = read!(db, r => r.outbox().suppressions_of(ANN, &address("b")).await.unwrap());
    assert_eq!(of_b, [bounce, complaint]);
    for was_there in [true, false] {
        let lifted = change!(db, tx => tx.outbox().lift(ANN, &address("b"), bounce).await.unwrap());
        assert_eq!(lifted, was_there);
    }
    let of_b = read!(db, r => r.outbox().suppressions_of(ANN, &address("b")).await.unwrap());
    assert_eq!(of_b, [complaint]);
}

async fn another_account_sees_no_delivery_or_suppression(db: TestStorage) {
    two_accounts(&db).await;
    let own = Delivery {
        link_target: Some(71),
        ..test_message(ANN, 1)
    };
    add(&db, std::slice::from_ref(&own)).await;
    let bounce = SuppressionReason::Bounce;
    change!(db, tx => tx.outbox().suppress(&suppression(ANN, "a", bounce)).await.unwrap());
    assert_eq!(found(&db, BOB, 1).await, None);
    assert_eq!(listed(&db, BOB, first(9)).await, [0; 0]);
    assert_eq!(due(&db, BOB, 999).await, [0; 0]);
    let (of_links, suppressed) = read!(db, r => (
        r.outbox().of_targets(BOB, &[71]).await.unwrap(),
        r.outbox().suppressions(BOB).await.unwrap(),
    ));
    assert!(of_links.is_empty() && suppressed.is_empty());
    let lifted = change!(db, tx => tx.outbox().lift(BOB, &address("a"), bounce).await.unwrap());
    assert!(!lifted);
    let stolen = Delivery {
        account: BOB,
        ..own.clone()
    };
    assert!(!advance(&db, &stolen, &stolen.sending(after(9))).await);
    assert_eq!(found(&db, ANN, 1).await, Some(own));
}
