//! Secrets that all servers share.

use super::examples::{now, sealed, server_key};
use domain::ports::clock::Clock;
use domain::ports::secret_cipher::CipherError;
use domain::ports::storage::Storage;
use domain::sealed_secret::WrappedKey;
use domain::shared_key::{KeyPurpose, SIGNS_AFTER};
use domain::test_support::{FrozenClock, core};
use domain::use_cases::{Core, sealed_secrets::SecretError};
use harness::databases::{TestDatabase, TestStorage};
use harness::{on_every_database, on_every_storage};
use secrets::FileCipher;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// The storage in memory runs one transaction at a time, and refuses others.
mod together {
    use super::*;

    on_every_database![
        all_servers_get_the_first_secret,
        servers_that_start_together_share_one_sealed_key,
    ];
}
on_every_storage![
    a_rotation_seals_what_was_unsealed_and_may_be_repeated,
    without_a_key_file_keys_are_stored_unsealed,
    an_unsealed_secret_is_found_until_it_is_removed,
    server_keys_keep_their_version,
    sealed_secrets_are_numbered_by_purpose,
];

struct WithKeyFile {
    core: Core,
    clock: Arc<FrozenClock>,
    cipher: Arc<FileCipher>,
    path: PathBuf,
    _folder: TempDir,
}

impl WithKeyFile {
    fn on(storage: Arc<dyn Storage>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.key");
        let base = core(storage);
        secrets::create(&path, base.randomness.as_ref()).unwrap();
        let cipher = FileCipher::open(path.clone(), Arc::clone(&base.randomness));
        let cipher = Arc::new(cipher.unwrap());
        let clock = Arc::new(FrozenClock::default());
        let core = Core {
            cipher: Arc::clone(&cipher) as _,
            clock: Arc::clone(&clock) as _,
            ..base
        };
        Self {
            core,
            clock,
            cipher,
            path,
            _folder: folder,
        }
    }

    async fn signing(&self) -> [u8; 32] {
        let key = self.core.shared_key(KeyPurpose::Cursors).await.unwrap();
        key.signing(self.clock.now())
    }
}

async fn servers_that_start_together_share_one_sealed_key(db: TestDatabase) {
    let world = Arc::new(WithKeyFile::on(db.port()));
    let servers: Vec<_> = (0..8)
        .map(|_| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.signing().await })
        })
        .collect();
    let mut keys = BTreeSet::new();
    for server in servers {
        keys.insert(server.await.unwrap());
    }
    assert_eq!(keys.len(), 1);
    let unsealed = read!(db, r => r.secrets().find("cursor-key").await.unwrap());
    assert_eq!(unsealed, None);
    let sealed = read!(db, r => r.secrets().sealed("cursor-key").await.unwrap());
    let key = keys.first().unwrap();
    assert!(!sealed[0].envelope.windows(32).any(|it| it == key));
    // Another key file opens nothing, and makes no key of its own.
    secrets::prepend(&world.path, world.core.randomness.as_ref()).unwrap();
    secrets::keep_first(&world.path).unwrap();
    world.cipher.reload().unwrap();
    let refused = world.core.shared_key(KeyPurpose::Cursors).await.err();
    assert!(matches!(
        refused,
        Some(SecretError::Cipher(CipherError::UnknownKey(_)))
    ));
}

async fn a_rotation_seals_what_was_unsealed_and_may_be_repeated(db: TestStorage) {
    change!(db, tx => tx.secrets().find_or_add("cursor-key", [5; 32]).await.unwrap());
    let world = WithKeyFile::on(Arc::clone(&db.storage));
    assert_eq!(world.signing().await, [5; 32]);
    let done = world.core.rotate_secrets().await.unwrap();
    assert_eq!((done.rewrapped, done.replaced, done.sealed), (0, 3, 1));
    // Until every server has read the new key, the old one signs.
    assert_eq!(world.signing().await, [5; 32]);
    world.clock.advance(SIGNS_AFTER);
    let second = world.signing().await;
    assert_ne!(second, [5; 32]);
    let unsealed = read!(db, r => r.secrets().find("cursor-key").await.unwrap());
    assert_eq!(unsealed, None);

    secrets::prepend(&world.path, world.core.randomness.as_ref()).unwrap();
    world.cipher.reload().unwrap();
    let done = world.core.rotate_secrets().await.unwrap();
    assert_eq!((done.rewrapped, done.replaced, done.sealed), (1, 3, 0));
    let keys = read!(db, r => r.secrets().server_keys().await.unwrap());
    assert_eq!(Ok(keys[0].wrapped_by), world.core.cipher.wrapping_key());
    assert_eq!(world.signing().await, second);
    let accepts = async |key: [u8; 32]| {
        let shared = world.core.shared_key(KeyPurpose::Cursors).await.unwrap();
        shared.accepts(world.clock.now(), |it| *it == key)
    };
    assert!(accepts([5; 32]).await && accepts(second).await);

    // Replaced keys that nothing needs any more are removed by the next rotation.
    let now = world.clock.now();
    world
        .clock
        .advance(KeyPurpose::Cursors.replaced_until(now) - now);
    assert!(!accepts([5; 32]).await);
    world.core.rotate_secrets().await.unwrap();
    let left = read!(db, r => r.secrets().sealed("cursor-key").await.unwrap());
    let numbers: Vec<u32> = left.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [4, 3]);
}

async fn without_a_key_file_keys_are_stored_unsealed(db: TestStorage) {
    let core = core(Arc::clone(&db.storage));
    let key = core.shared_key(KeyPurpose::Devices).await.unwrap();
    let stored = read!(db, r => r.secrets().find("device-key").await.unwrap());
    assert_eq!(stored, Some(key.signing(now())));
    let refused = core.rotate_secrets().await.unwrap_err();
    assert!(matches!(
        refused,
        SecretError::Cipher(CipherError::NoKeyFile)
    ));
}

async fn an_unsealed_secret_is_found_until_it_is_removed(db: TestStorage) {
    change!(db, tx => tx.secrets().find_or_add("cursor-key", [1; 32]).await.unwrap());
    let found = read!(db, r => r.secrets().find("cursor-key").await.unwrap());
    assert_eq!(found, Some([1; 32]));
    change!(db, tx => tx.secrets().remove("other").await.unwrap());
    change!(db, tx => tx.secrets().remove("cursor-key").await.unwrap());
    let found = read!(db, r => r.secrets().find("cursor-key").await.unwrap());
    assert_eq!(found, None);
}

async fn server_keys_keep_their_version(db: TestStorage) {
    let (first, second) = (server_key(1, 1), server_key(2, 1));
    for (key, is_added) in [(&first, true), (&second, true), (&server_key(1, 9), false)] {
        let added = change!(db, tx => tx.secrets().add_server_key(key).await.unwrap());
        assert_eq!(added, is_added);
    }
    let stored = read!(db, r => r.secrets().server_keys().await.unwrap());
    assert_eq!(stored, [second.clone(), first.clone()]);
    let rewrapped = WrappedKey {
        created_at: now() + chrono::TimeDelta::days(1),
        ..server_key(1, 3)
    };
    change!(db, tx => tx.secrets().rewrap_server_key(&rewrapped).await.unwrap());
    let stored = read!(db, r => r.secrets().server_keys().await.unwrap());
    assert_eq!(stored, [second, server_key(1, 3)]);
}

async fn sealed_secrets_are_numbered_by_purpose(db: TestStorage) {
    let all = [
        sealed("a", 1),
        sealed("a", 2),
        sealed("a", 3),
        sealed("b", 1),
    ];
    for secret in &all {
        assert!(change!(db, tx => tx.secrets().add_sealed(secret).await.unwrap()));
    }
    let second = change!(db, tx => tx.secrets().add_sealed(&all[0]).await.unwrap());
    assert!(!second);
    let found = read!(db, r => r.secrets().sealed("a").await.unwrap());
    assert_eq!(found, [all[2].clone(), all[1].clone(), all[0].clone()]);
    change!(db, tx => tx.secrets().remove_sealed("a", 2).await.unwrap());
    let found = read!(db, r => r.secrets().sealed("a").await.unwrap());
    assert_eq!(found, [all[2].clone()]);
    let found = read!(db, r => r.secrets().sealed("b").await.unwrap());
    assert_eq!(found, [all[3].clone()]);
}

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
