//! How much is stored is counted with each change.

use super::examples::*;
use domain::{
    content_plan::ContentPlan,
    ids::{AccountId, ConsoleSpanId, ContentPlanId, ProjectId},
    search_console::{DimensionSet, ImportInfo, Origin, RowSet, RowSubject, SearchRow, Span},
    stored_data::{DataSize, StoredData},
    test_support::a_content_plan,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    keywords_rows_and_plans_are_counted_as_they_come_and_go;
    but not in memory:
    uncounted_data_is_counted_at_the_next_change = "it counts whenever it is asked",
    a_recount_corrects_what_another_version_wrote = "it counts whenever it is asked",
];

async fn of_account(db: &TestStorage, account: AccountId) -> StoredData {
    read!(db, r => r.stored_data().of_account(account).await.unwrap())
}

fn rows(before: u64, queries: &[&str]) -> RowSet {
    let rows = queries.iter().map(|query| SearchRow {
        query: Some((*query).to_owned()),
        page: None,
        country: None,
        device: None,
        clicks: 0,
        impressions: 1,
        position: Some(1.0),
    });
    RowSet {
        dimensions: DimensionSet::aggregated(RowSubject::Query),
        span: Span::day(day(before)),
        rows: rows.collect(),
    }
}

async fn import(db: &TestStorage, account: AccountId, first_id: i64, sets: &[RowSet]) {
    let ids = (first_id..).map(ConsoleSpanId).take(sets.len());
    let ids: Vec<ConsoleSpanId> = ids.collect();
    let import_info = ImportInfo {
        origin: Origin::Export,
        label: "x".to_owned(),
        at: now(),
    };
    change!(db, tx => tx.console_rows().replace(account, SHOP, &ids, sets, &import_info).await.unwrap());
}

fn plan(account: AccountId, id: i64) -> ContentPlan {
    ContentPlan {
        account,
        id: ContentPlanId(id),
        ..a_content_plan()
    }
}

async fn keywords_rows_and_plans_are_counted_as_they_come_and_go(db: TestStorage) {
    two_accounts(&db).await;
    change!(db, tx => tx.projects().add(&project(ANN, 12)).await.unwrap());
    assert_eq!(of_account(&db, ANN).await, StoredData::default());
    let mut elsewhere = keyword(ANN, 23, "three");
    elsewhere.project = ProjectId(12);
    let some = [keyword(ANN, 21, "one"), keyword(ANN, 22, "two"), elsewhere];
    change!(db, tx => tx.keywords().add(&some).await.unwrap());
    assert_eq!(of_account(&db, ANN).await.keywords, 3);
    let of_project = read!(db, r => r.stored_data().of_project(ANN, SHOP).await.unwrap());
    assert_eq!(of_project.keywords, 2);

    let (first, second) = (rows(400, &["a", "b"]), rows(1, &["c"]));
    let sum = |sets: &[&RowSet]| {
        let sizes = sets.iter().map(|it| it.size());
        sizes.fold(DataSize::default(), DataSize::and)
    };
    import(&db, ANN, 51, &[first.clone(), second.clone()]).await;
    let stored = of_account(&db, ANN).await;
    let expected = sum(&[&first, &second]);
    assert_eq!(
        (stored.console_rows, stored.console_bytes),
        (expected.rows, expected.bytes)
    );
    // The same days again: the old rows are freed.
    let larger = rows(1, &["c", "a longer search"]);
    let freed = read!(db, r => r
        .console_rows()
        .size_of_replaced(ANN, SHOP, &[larger.clone(), rows(2, &["x"])])
        .await
        .unwrap());
    assert_eq!(freed, second.size());
    import(&db, ANN, 61, std::slice::from_ref(&larger)).await;
    let stored = of_account(&db, ANN).await;
    let expected = sum(&[&first, &larger]);
    assert_eq!(
        (stored.console_rows, stored.console_bytes),
        (expected.rows, expected.bytes)
    );
    change!(db, tx => tx.console_rows().purge_before(ANN, day(300), 9).await.unwrap());
    assert_eq!(
        of_account(&db, ANN).await.console_bytes,
        larger.size().bytes
    );

    let mut saved = plan(ANN, 71);
    change!(db, tx => tx.content_plans().add(&saved).await.unwrap());
    let whole = of_account(&db, ANN).await.plan_bytes;
    let estimated = saved.size().bytes;
    assert!(
        whole <= estimated && estimated < whole * 2,
        "{estimated} of {whole}"
    );
    saved.items.truncate(1);
    change!(db, tx => tx.content_plans().save(&saved).await.unwrap());
    let part = of_account(&db, ANN).await.plan_bytes;
    assert!(0 < part && part < whole, "{part} of {whole}");
    change!(db, tx => tx.content_plans().remove(ANN, SHOP, saved.id).await.unwrap());
    assert_eq!(of_account(&db, ANN).await.plan_bytes, 0);
    assert_eq!(of_account(&db, BOB).await, StoredData::default());
}

async fn recounted(db: &TestStorage, account: AccountId) {
    let left = change!(db, tx => tx.stored_data().recount(account, None).await.unwrap());
    assert_eq!(left, None);
}

async fn uncounted_data_is_counted_at_the_next_change(db: TestStorage) {
    two_accounts(&db).await;
    import(&db, ANN, 51, &[rows(1, &["a"])]).await;
    change!(db, tx => {
        tx.content_plans().add(&plan(ANN, 71)).await.unwrap();
        tx.keywords().add(&[keyword(ANN, 21, "one")]).await.unwrap();
    });
    let counted = of_account(&db, ANN).await;
    // As left by a version that does not count.
    db.database()
        .run_sql("DELETE FROM project_usage; UPDATE console_spans SET byte_count = NULL");
    assert_eq!(of_account(&db, ANN).await, StoredData::default());
    change!(db, tx => tx.keywords().add(&[keyword(ANN, 22, "two")]).await.unwrap());
    let found = of_account(&db, ANN).await;
    assert_eq!(found.keywords, 2);
    assert_eq!(found.console_rows, counted.console_rows);
    assert_eq!(found.plan_bytes, counted.plan_bytes);
    assert!(found.console_bytes > 0, "the size is estimated");
}

async fn a_recount_corrects_what_another_version_wrote(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => {
        for id in 100..125 {
            tx.projects().add(&project(ANN, id)).await.unwrap();
        }
        tx.content_plans().add(&plan(ANN, 71)).await.unwrap();
    });
    import(&db, ANN, 51, &[rows(1, &["a"])]).await;
    let counted = of_account(&db, ANN).await;
    db.database().run_sql(
        "UPDATE project_usage SET keyword_rows = 99, console_rows = -5, console_bytes = 7",
    );
    let last = change!(db, tx => tx.stored_data().recount(ANN, None).await.unwrap());
    assert_eq!(last, Some(ProjectId(118)), "some projects at a time");
    change!(db, tx => tx.stored_data().recount(ANN, last).await.unwrap());
    assert_eq!(of_account(&db, ANN).await, counted);
    recounted(&db, BOB).await;
    assert_eq!(of_account(&db, BOB).await.keywords, 1);
}
