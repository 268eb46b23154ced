//! The format of sealed bytes: `01 | 01 | key (8) | nonce (24) | ciphertext | tag (16)`, the first byte the version of
//! the format, the second the cipher XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03). Its random nonces of 192 bits
//! need no counter; the 96 bits of AES-GCM allow 2³² uses of a key (NIST SP 800-38D, 8.3).

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::ports::randomness::Randomness;
use domain::ports::secret_cipher::CipherError;
use domain::sealed_secret::{Binding, SecretOwner};
use zeroize::Zeroizing;

pub const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;
const HEADER: [u8; 2] = [1, 1];
const KEY_REFERENCE_BYTES: usize = 8;
const PREFIX_BYTES: usize = HEADER.len() + KEY_REFERENCE_BYTES + NONCE_BYTES;

pub type Key = Zeroizing<[u8; KEY_BYTES]>;

/// `reference` names the key that opens it: the id of a key of the file, or the version of a data key.
pub fn seal(
    key: &Key,
    reference: [u8; KEY_REFERENCE_BYTES],
    associated: &[u8],
    secret: &[u8],
    randomness: &dyn Randomness,
) -> Result<Vec<u8>, CipherError> {
    let mut nonce = [0; NONCE_BYTES];
    randomness.fill(&mut nonce);
    let payload = Payload {
        msg: secret,
        aad: associated,
    };
    let sealed = XChaCha20Poly1305::new((&**key).into())
        .encrypt(&XNonce::from(nonce), payload)
        .map_err(|_| CipherError::Damaged)?;
    Ok([&HEADER[..], &reference, &nonce, &sealed].concat())
}

pub fn open(
    key: &Key,
    reference: [u8; KEY_REFERENCE_BYTES],
    associated: &[u8],
    envelope: &[u8],
) -> Result<Zeroizing<Vec<u8>>, CipherError> {
    if envelope.len() < PREFIX_BYTES + TAG_BYTES || reference_of(envelope) != Some(reference) {
        return Err(CipherError::Damaged);
    }
    let (prefix, msg) = envelope.split_at(PREFIX_BYTES);
    let nonce: [u8; NONCE_BYTES] = prefix[PREFIX_BYTES - NONCE_BYTES..]
        .try_into()
        .map_err(|_| CipherError::Damaged)?;
    let payload = Payload {
        msg,
        aad: associated,
    };
    XChaCha20Poly1305::new((&**key).into())
        .decrypt(&XNonce::from(nonce), payload)
        .map(Zeroizing::new)
        .map_err(|_| CipherError::Damaged)
}

/// Which key opens the envelope; `None` for another format.
pub fn reference_of(envelope: &[u8]) -> Option<[u8; KEY_REFERENCE_BYTES]> {
    let rest = envelope.strip_prefix(&HEADER)?;
    rest.first_chunk().copied()
}

/// The data that an envelope is bound to. Each part has its length before it, so that no two bindings are equal.
pub fn associated_data(owner: SecretOwner, binding: Binding<'_>) -> Vec<u8> {
    let (kind, id) = match owner {
        SecretOwner::Server => ("server", 0),
        SecretOwner::Account(account) => ("account", account.0),
    };
    let (id, row) = (id.to_be_bytes(), binding.row.to_be_bytes());
    let parts: [&[u8]; 5] = [
        b"sightline/1",
        kind.as_bytes(),
        &id,
        &row,
        binding.purpose.as_bytes(),
    ];
    let mut data = Vec::new();
    for part in parts {
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        data.extend_from_slice(&length.to_be_bytes());
        data.extend_from_slice(part);
    }
    data
}
