//! Content plans.

use super::examples::*;
use domain::{
    content_plan::{Clustering, ContentPlan, PlanSummary},
    ids::{AccountId, ContentPlanId, ProjectId},
    page::{Direction, PageCursor, PageRequest},
    ports::{content_plans::ContentPlanSort, storage::StorageError},
    test_support::a_content_plan,
    text::Label,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    a_plan_is_read_as_it_was_saved,
    plans_are_paged_newest_first,
    plans_are_isolated_by_account,
    a_taken_id_is_reported,
];

fn plan(account: AccountId, id: i64, age: i64) -> ContentPlan {
    ContentPlan {
        account,
        id: ContentPlanId(id),
        created_at: after(-age),
        updated_at: after(-age) + tick(),
        ..a_content_plan()
    }
}

async fn add(db: &TestStorage, plan: &ContentPlan) {
    change!(db, tx => tx.content_plans().add(plan).await.unwrap());
}

async fn find(db: &TestStorage, account: AccountId, id: i64) -> Option<ContentPlan> {
    read!(db, r => r.content_plans().find(account, SHOP, ContentPlanId(id)).await.unwrap())
}

fn request(
    after: Option<PageCursor>,
    limit: u32,
    direction: Direction,
) -> PageRequest<ContentPlanSort> {
    PageRequest {
        sort: ContentPlanSort::CreatedAt,
        direction,
        after,
        limit,
        counted: true,
        bytes: None,
    }
}

async fn a_plan_is_read_as_it_was_saved(db: TestStorage) {
    two_accounts(&db).await;
    let mut saved = plan(ANN, 71, 0);
    add(&db, &saved).await;
    assert_eq!(find(&db, ANN, 71).await, Some(saved.clone()));
    saved.name = Label::parse("Frühling \"2027\"").unwrap();
    saved.clustered_by = Clustering::Words;
    saved.items.reverse();
    saved.items.truncate(1);
    saved.updated_at = after(5);
    change!(db, tx => tx.content_plans().save(&saved).await.unwrap());
    assert_eq!(find(&db, ANN, 71).await, Some(saved.clone()));
    let remove =
        async || change!(db, tx => tx.content_plans().remove(ANN, SHOP, saved.id).await.unwrap());
    assert!(remove().await);
    assert!(!remove().await);
    assert_eq!(find(&db, ANN, 71).await, None);
}

async fn plans_are_paged_newest_first(db: TestStorage) {
    two_accounts(&db).await;
    for (id, age) in [(71, 30), (72, 10), (73, 20), (74, 20)] {
        add(&db, &plan(ANN, id, age)).await;
    }
    for (direction, order) in [
        (Direction::Descending, [72, 74, 73, 71]),
        (Direction::Ascending, [71, 73, 74, 72]),
    ] {
        let (mut seen, mut next) = (Vec::new(), None);
        loop {
            let request = request(next, 1, direction);
            let page = read!(db, r => r.content_plans().list(ANN, SHOP, &request).await.unwrap());
            assert_eq!(page.total.unwrap().rows, 4);
            seen.extend(page.items);
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        let ids: Vec<i64> = seen.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, order);
        let whole = plan(ANN, 72, 10);
        let summary = PlanSummary {
            id: whole.id,
            name: whole.name,
            clustered_by: whole.clustered_by,
            item_count: 2,
            created_at: whole.created_at,
            updated_at: whole.updated_at,
        };
        assert!(seen.contains(&summary));
    }
    let count = read!(db, r => r.content_plans().count(ANN, SHOP).await.unwrap());
    assert_eq!(count, 4);
}

async fn plans_are_isolated_by_account(db: TestStorage) {
    two_accounts(&db).await;
    let (ours, theirs) = (plan(ANN, 71, 0), plan(BOB, 71, 9));
    add(&db, &ours).await;
    add(&db, &theirs).await;
    let renamed = ContentPlan {
        name: Label::parse("Theirs").unwrap(),
        items: vec![],
        ..theirs.clone()
    };
    change!(db, tx => tx.content_plans().save(&renamed).await.unwrap());
    assert_eq!(find(&db, ANN, 71).await, Some(ours.clone()));
    assert_eq!(find(&db, BOB, 71).await, Some(renamed));
    let other = ProjectId(12);
    change!(db, tx => {
        assert!(!tx.content_plans().remove(ANN, other, ours.id).await.unwrap());
        assert!(tx.content_plans().remove(BOB, SHOP, ours.id).await.unwrap());
        assert!(tx.content_plans().find(ANN, other, ours.id).await.unwrap().is_none());
    });
    assert_eq!(find(&db, ANN, 71).await, Some(ours));
    let request = request(None, 50, Direction::Descending);
    let listed = read!(db, r => r.content_plans().list(BOB, SHOP, &request).await.unwrap());
    assert!(listed.items.is_empty());
    let count = read!(db, r => r.content_plans().count(BOB, SHOP).await.unwrap());
    assert_eq!(count, 0);
}

async fn a_taken_id_is_reported(db: TestStorage) {
    two_accounts(&db).await;
    add(&db, &plan(ANN, 71, 0)).await;
    let mut work = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let again = work.content_plans().add(&plan(ANN, 71, 1)).await;
    assert!(matches!(again, Err(StorageError::IdTaken)), "{again:?}");
}
