//! Signed state that clients return in the next round.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use rmcp::ErrorData;
use serde_json::Value;
use sha2::Sha256;

/// It protects nothing, and every instance must know it.
const KEY: &[u8] = b"the key of the conformance fixture";

pub fn seal(state: &Value) -> String {
    let state = URL_SAFE_NO_PAD.encode(state.to_string());
    let signature = signer(&state).finalize().into_bytes();
    format!("{state}.{}", URL_SAFE_NO_PAD.encode(signature))
}

pub fn open(sealed: &str) -> Result<Value, ErrorData> {
    opened(sealed).ok_or_else(|| {
        ErrorData::invalid_params("requestState is not what this server has given out", None)
    })
}

fn opened(sealed: &str) -> Option<Value> {
    let (state, signature) = sealed.split_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    signer(state).verify_slice(&signature).ok()?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(state).ok()?).ok()
}

fn signer(state: &str) -> Hmac<Sha256> {
    let mut signer =
        Hmac::<Sha256>::new_from_slice(KEY).expect("a key of this kind may have any length");
    signer.update(state.as_bytes());
    signer
}
