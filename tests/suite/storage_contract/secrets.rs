//! Secrets that all servers share.

use harness::{databases::TestDatabase, on_every_database};
use std::sync::Arc;

on_every_database![all_servers_get_the_first_secret];

async fn all_servers_get_the_first_secret(db: TestDatabase) {
    let storage = db.port();
    let servers: Vec<_> = (1..=8u8)
        .map(|fresh| {
            let storage = Arc::clone(&storage);
            tokio::spawn(async move {
                let mut tx = storage.write().await.unwrap();
                let secret = tx
                    .secrets()
                    .find_or_add("cursor-key", [fresh; 32])
                    .await
                    .unwrap();
                tx.commit().await.unwrap();
                secret
            })
        })
        .collect();
    let mut secrets = vec![];
    for server in servers {
        secrets.push(server.await.unwrap());
    }
    assert!(secrets.iter().all(|it| *it == secrets[0]));
    let other = change!(db, tx => tx.secrets().find_or_add("other", [99; 32]).await.unwrap());
    assert_eq!(other, [99; 32]);
}
