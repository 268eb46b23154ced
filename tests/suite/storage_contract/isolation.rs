//! Rows of another account do not exist: every lookup with the other's ids, which both accounts have.

use super::{examples::*, measurements::as_of};
use analysis::result_type::ResultType;
use diesel::{Connection, RunQueryDsl, SqliteConnection};
use domain::{
    ids::{AccountId, JobId, KeywordId, TokenId},
    job::{Job, slots::SlotKind},
    keyword::KeywordChoice,
    market::Market,
    page::{Direction, PageRequest},
    ports::{
        jobs::{JobFilter, JobSort},
        keywords::{KeywordFilter, KeywordSort},
        projects::{ProjectFilter, ProjectSort},
    },
    project::Project,
    text::Label,
    token::RevokeReason,
};
use harness::{
    databases::{TestDatabase, TestStorage},
    on_every_storage,
};

on_every_storage![
    another_account_reaches_no_project_or_keyword,
    another_account_reaches_no_job_or_result,
    another_account_changes_nothing,
    equal_ids_of_two_accounts_are_distinct,
];

const STRANGER: AccountId = AccountId(3);

fn request<S>(sort: S) -> PageRequest<S> {
    PageRequest {
        sort,
        direction: Direction::Ascending,
        after: None,
        limit: 50,
        counted: false,
        bytes: None,
    }
}

async fn with_a_stranger(db: &TestStorage) {
    two_accounts_at_work(db).await;
    change!(db, tx => tx.accounts().add(&account(STRANGER), &owner(STRANGER)).await.unwrap());
}

async fn another_account_reaches_no_project_or_keyword(db: TestStorage) {
    with_a_stranger(&db).await;
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let projects = tx.projects();
    assert!(projects.find(STRANGER, SHOP).await.unwrap().is_none());
    assert!(projects.lock(STRANGER, SHOP).await.unwrap().is_none());
    assert!(
        projects
            .active_with_domain(STRANGER, "shop11.example.com")
            .await
            .unwrap()
            .is_none()
    );
    let listed = projects
        .list(
            STRANGER,
            &ProjectFilter::default(),
            &request(ProjectSort::Name),
        )
        .await;
    assert!(listed.unwrap().items.is_empty());
    let keywords = tx.keywords();
    assert!(
        keywords
            .find(STRANGER, KeywordId(21))
            .await
            .unwrap()
            .is_none()
    );
    let texts = ["rust seo".to_owned()];
    assert!(
        keywords
            .with_texts(STRANGER, SHOP, &Market::default(), &texts)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(keywords.counts(STRANGER, SHOP).await.unwrap().active, 0);
    let listed = keywords
        .list(
            STRANGER,
            SHOP,
            &KeywordFilter::default(),
            &request(KeywordSort::Text),
        )
        .await;
    assert!(listed.unwrap().items.is_empty());
    assert!(
        keywords
            .active_batch(STRANGER, SHOP, &KeywordChoice::All, None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    let named = KeywordChoice::Named(vec![KeywordId(21)]);
    assert!(
        keywords
            .active_batch(STRANGER, SHOP, &named, None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        keywords
            .count_active_named(STRANGER, SHOP, &[KeywordId(21)])
            .await
            .unwrap(),
        0
    );
}

async fn another_account_reaches_no_job_or_result(db: TestStorage) {
    with_a_stranger(&db).await;
    let mut tx = domain::ports::storage::Storage::write(&*db.storage)
        .await
        .unwrap();
    let jobs = tx.jobs();
    assert!(jobs.find(STRANGER, JobId(31)).await.unwrap().is_none());
    assert!(jobs.lock(STRANGER, JobId(31)).await.unwrap().is_none());
    assert!(
        jobs.unfinished_with_key(STRANGER, &job(ANN, 31).dedupe_key)
            .await
            .unwrap()
            .is_none()
    );
    let listed = jobs
        .list(
            STRANGER,
            &JobFilter::default(),
            &request(JobSort::CreatedAt),
        )
        .await;
    assert!(listed.unwrap().items.is_empty());
    assert!(
        jobs.lock_unfinished(STRANGER, None)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(jobs.position(STRANGER, JobId(31)).await.unwrap().is_none());
    assert!(
        jobs.lock_due(STRANGER, SlotKind::AnyJob, now(), 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        jobs.lock_with_project(STRANGER, SHOP)
            .await
            .unwrap()
            .is_none()
    );
    let (line, found) = jobs
        .lock_queue_and_jobs(STRANGER, &[JobId(31)])
        .await
        .unwrap();
    assert_eq!((line.account, found), (STRANGER, vec![]));
    assert!(
        jobs.lock_all(STRANGER, &[JobId(31)])
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        jobs.lock_needing_attention(STRANGER, after(999_999), 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(tx.tokens().list(STRANGER).await.unwrap().is_empty());
    let results = tx.results();
    assert!(
        results
            .head(STRANGER, SHOP, ResultType::Rankings)
            .await
            .unwrap()
            .is_none()
    );
    assert!(results.heads(STRANGER, SHOP, 5).await.unwrap().is_empty());
    let measurements = tx.measurements();
    let history = measurements
        .histories(STRANGER, SHOP, &[KeywordId(21)], &as_of(day(0), JobId(9)))
        .await;
    assert!(history.unwrap()[0].points.is_empty());
    assert!(
        measurements
            .read_journal(STRANGER, JobId(31), None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        measurements
            .staged(STRANGER, JobId(31), ResultType::Serp, None, 9)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn another_account_changes_nothing(db: TestStorage) {
    with_a_stranger(&db).await;
    change!(db, tx => {
        let renamed = Project { name: Label::parse("Mine").unwrap(), ..project(STRANGER, 11) };
        tx.projects().save(&renamed).await.unwrap();
        tx.projects().note_analysis(STRANGER, SHOP, after(1)).await.unwrap();
        tx.keywords().save(&keyword(STRANGER, 21, "mine")).await.unwrap();
        tx.jobs().save(&Job { cancel_requested: true, ..job(STRANGER, 31) }).await.unwrap();
        tx.measurements().discard(STRANGER, JobId(31)).await.unwrap();
        assert!(!tx.tokens().revoke(STRANGER, TokenId(1), now(), RevokeReason::Owner).await.unwrap());
    });
    read!(db, r => for id in [ANN, BOB] {
        assert_eq!(r.projects().find(id, SHOP).await.unwrap(), Some(project(id, 11)));
        assert_eq!(r.keywords().find(id, KeywordId(21)).await.unwrap(), Some(keyword(id, 21, "rust seo")));
        assert_eq!(r.jobs().find(id, JobId(31)).await.unwrap(), Some(job(id, 31)));
    });
    read!(db, r => {
        assert_eq!(r.projects().find(STRANGER, SHOP).await.unwrap(), None);
        assert_eq!(r.keywords().find(STRANGER, KeywordId(21)).await.unwrap(), None);
    });
}

async fn equal_ids_of_two_accounts_are_distinct(db: TestStorage) {
    with_a_stranger(&db).await;
    let renamed = Project {
        name: Label::parse("Mine").unwrap(),
        ..project(BOB, 11)
    };
    change!(db, tx => {
        tx.projects().save(&renamed).await.unwrap();
        tx.keywords().save(&keyword(BOB, 21, "other")).await.unwrap();
    });
    read!(db, r => {
        assert_eq!(r.projects().find(ANN, SHOP).await.unwrap(), Some(project(ANN, 11)));
        assert_eq!(r.projects().find(BOB, SHOP).await.unwrap(), Some(renamed));
        assert_eq!(r.keywords().find(ANN, KeywordId(21)).await.unwrap(), Some(keyword(ANN, 21, "rust seo")));
    });
}

#[tokio::test]
async fn a_statement_that_does_not_name_the_account_is_stopped() {
    let db = TestDatabase::empty(storage::DatabaseKind::Sqlite).await;
    let path = db.url.trim_start_matches("sqlite://").to_owned();
    let query_thread = std::thread::spawn(move || {
        let mut connection = SqliteConnection::establish(&path).unwrap();
        let statement = "SELECT 1 FROM projects WHERE projects.id = 11";
        diesel::sql_query(statement).execute(&mut connection)
    });
    assert!(query_thread.join().is_err());
}
