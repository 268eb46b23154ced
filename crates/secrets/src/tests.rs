use super::*;
use chrono::DateTime;
use domain::ids::AccountId;
use domain::test_support::CountingRandomness;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

/// Bytes of a file made from nothing, so that two fills differ.
fn randomness() -> Arc<dyn Randomness> {
    Arc::new(CountingRandomness::default())
}

fn cipher(folder: &TempDir) -> FileCipher {
    let (path, randomness) = (folder.path().join("secrets.key"), randomness());
    create(&path, &*randomness).unwrap();
    FileCipher::open(path, randomness).unwrap()
}

const BINDING: Binding<'_> = Binding {
    purpose: "cursor-key",
    row: 1,
};

fn key_of(cipher: &FileCipher, owner: SecretOwner, version: u32) -> WrappedKey {
    cipher
        .new_data_key(owner, version, DateTime::UNIX_EPOCH)
        .unwrap()
}

#[test]
fn a_sealed_secret_opens_with_its_key_and_binding_only() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let key = key_of(&cipher, SecretOwner::Server, 1);
    let envelope = cipher.seal(&key, BINDING, b"hunter2").unwrap();
    assert_eq!(
        cipher.open(&key, BINDING, &envelope).unwrap().reveal(),
        b"hunter2"
    );
    assert!(!envelope.windows(7).any(|it| it == b"hunter2"));
    let elsewhere = [
        (key.clone(), Binding { row: 2, ..BINDING }),
        (
            key.clone(),
            Binding {
                purpose: "device-key",
                ..BINDING
            },
        ),
        (key_of(&cipher, SecretOwner::Server, 1), BINDING),
        (
            WrappedKey {
                version: 2,
                ..key.clone()
            },
            BINDING,
        ),
        (
            WrappedKey {
                owner: SecretOwner::Account(AccountId(1)),
                ..key.clone()
            },
            BINDING,
        ),
    ];
    for (key, binding) in elsewhere {
        let opened = cipher.open(&key, binding, &envelope);
        assert_eq!(opened, Err(CipherError::Damaged), "{key:?} {binding:?}");
    }
}

#[test]
fn accounts_cannot_open_envelopes_of_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let [one, other] = [1, 2].map(|it| key_of(&cipher, SecretOwner::Account(AccountId(it)), 1));
    let envelope = cipher.seal(&one, BINDING, b"hunter2").unwrap();
    assert_eq!(
        cipher.open(&other, BINDING, &envelope),
        Err(CipherError::Damaged)
    );
    let moved = WrappedKey {
        owner: other.owner,
        ..one
    };
    assert_eq!(
        cipher.open(&moved, BINDING, &envelope),
        Err(CipherError::Damaged)
    );
}

#[test]
fn each_flipped_bit_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let key = key_of(&cipher, SecretOwner::Server, 1);
    let envelope = cipher.seal(&key, BINDING, b"hunter2").unwrap();
    for at in 0..envelope.len() * 8 {
        let mut changed = envelope.clone();
        changed[at / 8] ^= 1 << (at % 8);
        assert_eq!(
            cipher.open(&key, BINDING, &changed),
            Err(CipherError::Damaged),
            "{at}"
        );
    }
    for at in 0..key.wrapped.len() * 8 {
        let mut wrapped = key.wrapped.clone();
        wrapped[at / 8] ^= 1 << (at % 8);
        let changed = WrappedKey {
            wrapped,
            ..key.clone()
        };
        assert!(cipher.open(&changed, BINDING, &envelope).is_err(), "{at}");
    }
    for end in 0..envelope.len() {
        let cut = cipher.open(&key, BINDING, &envelope[..end]);
        assert_eq!(cut, Err(CipherError::Damaged), "{end}");
    }
}

/// The test vector of draft-irtf-cfrg-xchacha-03, appendix A.3.1.
#[test]
fn the_cipher_is_that_of_the_draft() {
    use chacha20poly1305::aead::{Aead, KeyInit, Payload};
    let key: [u8; 32] = std::array::from_fn(|at| 0x80 + u8::try_from(at).unwrap());
    let nonce: [u8; 24] = std::array::from_fn(|at| 0x40 + u8::try_from(at).unwrap());
    let msg = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    let aad = [
        0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
    ];
    let cipher = chacha20poly1305::XChaCha20Poly1305::new(&key.into());
    let sealed = cipher
        .encrypt(&nonce.into(), Payload { msg, aad: &aad })
        .unwrap();
    assert_eq!(sealed[..4], [0xbd, 0x6d, 0x17, 0x9d]);
    assert_eq!(
        sealed[sealed.len() - 16..],
        [
            0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79, 0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a,
            0xcf, 0x49
        ]
    );
}

#[test]
fn rotation_keeps_secrets_and_then_needs_the_new_key_only() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let old = key_of(&cipher, SecretOwner::Server, 1);
    let envelope = cipher.seal(&old, BINDING, b"hunter2").unwrap();
    let ring = prepend(&cipher.path, &*cipher.randomness).unwrap();
    // Before it reads the file again, a process wraps with the old key.
    assert_eq!(cipher.wrapping_key(), Ok(old.wrapped_by));
    cipher.reload().unwrap();
    assert_eq!(cipher.ids(), ring.ids().collect::<Vec<_>>());
    let new = cipher.rewrap(&old).unwrap();
    assert_eq!(Ok(new.wrapped_by), cipher.wrapping_key());
    assert_ne!(new.wrapped_by, old.wrapped_by);
    for key in [&old, &new] {
        assert_eq!(
            cipher.open(key, BINDING, &envelope).unwrap().reveal(),
            b"hunter2"
        );
    }
    keep_first(&cipher.path).unwrap();
    cipher.reload().unwrap();
    assert_eq!(
        cipher.open(&old, BINDING, &envelope),
        Err(CipherError::UnknownKey(old.wrapped_by))
    );
    assert_eq!(
        cipher.open(&new, BINDING, &envelope).unwrap().reveal(),
        b"hunter2"
    );
}

#[test]
fn the_key_file_is_private_and_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let mode = |it: &std::path::Path| fs::metadata(it).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cipher.path), 0o600);
    let second = create(&cipher.path, &*cipher.randomness);
    assert!(matches!(second, Err(KeyFileError::Exists(_))));
    prepend(&cipher.path, &*cipher.randomness).unwrap();
    assert_eq!(mode(&cipher.path), 0o600);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    for (mode, is_fine) in [(0o440, true), (0o444, false), (0o660, false)] {
        fs::set_permissions(&cipher.path, Permissions::from_mode(mode)).unwrap();
        let outcome = cipher.reload().map_err(|it| it.to_string());
        assert_eq!(outcome.is_ok(), is_fine, "{outcome:?}");
        let names_mode = |it: String| it.contains(&format!("mode {mode:o}"));
        assert!(is_fine || outcome.is_err_and(names_mode));
    }
    let link = folder.path().join("link.key");
    symlink(&cipher.path, &link).unwrap();
    assert!(matches!(read(&link), Err(KeyFileError::File { .. })));
}

#[test]
fn a_damaged_line_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let cipher = cipher(&folder);
    let good = fs::read_to_string(&cipher.path).unwrap();
    let other_id = good.replacen(&cipher.ids()[0].to_string(), "0000000000000000", 1);
    for (text, line) in [
        (format!("{good}sightline-key-2 x y\n"), 2),
        (format!("# copied on Monday\n\n{}", &good[..40]), 3),
        (other_id, 1),
        (format!("{} more\n", good.trim_end()), 1),
    ] {
        fs::write(&cipher.path, text).unwrap();
        let refused = cipher.reload().unwrap_err().to_string();
        assert!(refused.contains(&format!("line {line} of")), "{refused}");
    }
    fs::write(&cipher.path, "\n").unwrap();
    assert!(matches!(cipher.reload(), Err(KeyFileError::Empty(_))));
    // The keys from before stay in use.
    assert_eq!(cipher.ids().len(), 1);
}
