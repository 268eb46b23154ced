//! Notes between processes.

use chrono::TimeDelta;
use domain::ports::server_notes::{ServerNote, Topic};
use harness::{databases::TestStorage, on_every_storage};

on_every_storage![a_new_note_replaces_the_old_one_of_its_topic,];

async fn notes(db: &TestStorage) -> Vec<ServerNote> {
    let mut read = db.storage.read().await.unwrap();
    read.server_notes().all().await.unwrap()
}

async fn a_new_note_replaces_the_old_one_of_its_topic(db: TestStorage) {
    assert_eq!(notes(&db).await, []);
    let now = db.storage.now().await.unwrap();
    let refusal = Topic::Refusal {
        provider: "serper".to_owned(),
        operation: "searchPage".to_owned(),
    };
    let note = |topic: &Topic, note: &str, later: i64| ServerNote {
        topic: topic.clone(),
        note: note.to_owned(),
        noted_at: now + TimeDelta::seconds(later),
    };
    let first = note(&refusal, "supplierUnauthorised", 0);
    let second = note(&refusal, "supplierOutOfFunds", 1);
    let backup = note(&Topic::Backup, "", 2);
    let mut work = db.storage.write().await.unwrap();
    for it in [&first, &second, &backup] {
        work.server_notes().put(it).await.unwrap();
    }
    work.commit().await.unwrap();
    assert_eq!(notes(&db).await, [backup.clone(), second]);

    let mut work = db.storage.write().await.unwrap();
    for _ in 0..2 {
        work.server_notes().remove(&refusal).await.unwrap();
    }
    work.commit().await.unwrap();
    assert_eq!(notes(&db).await, [backup]);
}
