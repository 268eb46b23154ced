//! Pages that are stored between runs.

use super::examples::*;
use analysis::document::Document;
use domain::{
    ids::JobId,
    kept_pages::{KeptPage, StagedContent, StagedPage, Validators},
    results::JournalEntry,
};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![
    publishing_a_job_stores_its_pages_with_content,
    a_visit_without_content_updates_the_memory_only,
    a_page_without_content_is_not_stored,
    discarding_a_job_discards_its_staged_pages,
    urls_are_paged_without_duplicates,
    pages_not_visited_any_more_are_deleted,
    pages_are_isolated_by_account,
];

const PAGE: &str = "https://shop.example.com/a";

fn memory(n: i64) -> Document {
    Document::from_stored(format!("{{\"n\": {n}}}"))
}

fn staged(url: &str, entry: Option<i64>, seconds: i64) -> StagedPage {
    let content = entry.map(|entry| StagedContent {
        entry,
        validators: Validators {
            etag: Some(format!("\"{entry}\"")),
            last_modified: None,
        },
    });
    StagedPage {
        url: url.to_owned(),
        visited_at: after(seconds),
        content,
        memory: memory(seconds),
    }
}

/// Journals an entry of one byte for each page that has one, stages the pages, publishes.
async fn run(db: &TestStorage, job: i64, pages: &[StagedPage]) {
    change!(db, tx => {
        for content in pages.iter().filter_map(|it| it.content.as_ref()) {
            let entry = JournalEntry {
                sequence: content.entry,
                body: vec![u8::try_from(content.entry).unwrap()],
            };
            tx.measurements().append_journal(ANN, JobId(job), &[entry]).await.unwrap();
        }
        tx.pages().stage(ANN, JobId(job), pages).await.unwrap();
    });
    assert_eq!(
        kept(db, "https://shop.example.com/new").await,
        None,
        "not visible yet"
    );
    change!(db, tx => tx.results().publish(ANN, SHOP, JobId(job), &[], &[]).await.unwrap());
}

async fn kept(db: &TestStorage, url: &str) -> Option<KeptPage> {
    let mut found =
        read!(db, r => r.pages().find_by_urls(ANN, SHOP, &[url.to_owned()]).await.unwrap());
    assert!(found.len() <= 1);
    found.pop()
}

async fn validators(db: &TestStorage, url: &str) -> Vec<(String, Validators)> {
    read!(db, r => r.pages().validators(ANN, SHOP, &[url.to_owned()]).await.unwrap())
}

async fn two_jobs(db: &TestStorage) {
    two_accounts_at_work(db).await;
    add_job(db, &job(ANN, 32)).await;
}

async fn publishing_a_job_stores_its_pages_with_content(db: TestStorage) {
    two_jobs(&db).await;
    run(&db, 31, &[staged(PAGE, Some(7), 1)]).await;
    let page = |body, n| {
        Some(KeptPage {
            url: PAGE.to_owned(),
            body: vec![body],
            memory: memory(n),
        })
    };
    assert_eq!(kept(&db, PAGE).await, page(7, 1));
    // Staged twice, the last one counts; published, it replaces the earlier one.
    change!(db, tx => tx.pages().stage(ANN, JobId(32), &[staged(PAGE, None, 8)]).await.unwrap());
    run(&db, 32, &[staged(PAGE, Some(9), 2)]).await;
    assert_eq!(kept(&db, PAGE).await, page(9, 2));
    let etag = Validators {
        etag: Some("\"9\"".to_owned()),
        last_modified: None,
    };
    assert_eq!(validators(&db, PAGE).await, [(PAGE.to_owned(), etag)]);
}

async fn a_visit_without_content_updates_the_memory_only(db: TestStorage) {
    two_jobs(&db).await;
    run(&db, 31, &[staged(PAGE, Some(7), 1)]).await;
    let before = validators(&db, PAGE).await;
    run(&db, 32, &[staged(PAGE, None, 2)]).await;
    let found = kept(&db, PAGE).await.unwrap();
    assert_eq!((found.body, found.memory), (vec![7], memory(2)));
    assert_eq!(validators(&db, PAGE).await, before);
}

async fn a_page_without_content_is_not_stored(db: TestStorage) {
    two_jobs(&db).await;
    run(&db, 31, &[staged(PAGE, None, 1)]).await;
    assert_eq!(kept(&db, PAGE).await, None);
    assert_eq!(validators(&db, PAGE).await, []);
}

async fn discarding_a_job_discards_its_staged_pages(db: TestStorage) {
    two_jobs(&db).await;
    change!(db, tx => {
        tx.pages().stage(ANN, JobId(31), &[staged(PAGE, Some(7), 1)]).await.unwrap();
        tx.measurements().discard(ANN, JobId(31)).await.unwrap();
    });
    let entry = JournalEntry {
        sequence: 7,
        body: vec![7],
    };
    change!(db, tx => {
        tx.measurements().append_journal(ANN, JobId(31), &[entry]).await.unwrap();
        tx.results().publish(ANN, SHOP, JobId(31), &[], &[]).await.unwrap();
    });
    assert_eq!(kept(&db, PAGE).await, None);
}

fn many() -> Vec<String> {
    (0..25).map(|n| format!("{PAGE}?n={n}")).collect()
}

async fn keep_many(db: &TestStorage) {
    two_jobs(db).await;
    let pages = many().into_iter().zip(1..);
    let pages: Vec<StagedPage> = pages.map(|(url, n)| staged(&url, Some(n), n)).collect();
    run(db, 31, &pages).await;
}

async fn urls_are_paged_without_duplicates(db: TestStorage) {
    keep_many(&db).await;
    let mut walked: Vec<String> = Vec::new();
    loop {
        let behind = walked.last().cloned();
        let part = read!(db, r => r.pages().urls(ANN, SHOP, behind, 10).await.unwrap());
        if part.is_empty() {
            break;
        }
        walked.extend(part);
    }
    walked.sort();
    let mut all = many();
    all.sort();
    assert_eq!(walked, all);
}

async fn pages_not_visited_any_more_are_deleted(db: TestStorage) {
    keep_many(&db).await;
    let forget = async |limit| change!(db, tx => tx.pages().purge_before(ANN, SHOP, after(11), limit).await.unwrap());
    assert_eq!(forget(4).await, 4, "a part at a time, the oldest first");
    assert_eq!(kept(&db, &many()[3]).await, None);
    assert!(kept(&db, &many()[4]).await.is_some());
    assert_eq!(forget(100).await, 6);
    assert_eq!(forget(100).await, 0);
    assert!(kept(&db, &many()[10]).await.is_some());
}

async fn pages_are_isolated_by_account(db: TestStorage) {
    two_jobs(&db).await;
    run(&db, 31, &[staged(PAGE, Some(7), 1)]).await;
    let urls = [PAGE.to_owned()];
    read!(db, r => {
        assert!(r.pages().find_by_urls(BOB, SHOP, &urls).await.unwrap().is_empty());
        assert!(r.pages().validators(BOB, SHOP, &urls).await.unwrap().is_empty());
        assert!(r.pages().urls(BOB, SHOP, None, 10).await.unwrap().is_empty());
    });
    let forgotten =
        change!(db, tx => tx.pages().purge_before(BOB, SHOP, after(999), 10).await.unwrap());
    assert_eq!(forgotten, 0);
    assert!(kept(&db, PAGE).await.is_some());
}
