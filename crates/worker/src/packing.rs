//! Storage format of crawl steps: JSON compressed by LZ4.

use analysis::document::{FromJson, ToJson};
use domain::ports::site_reader::JournalError;

/// First byte of a compressed body. Earlier versions stored JSON, which never starts with it.
const PACKED: u8 = 1;

pub fn packed(step: &impl ToJson) -> Vec<u8> {
    let mut body = vec![PACKED];
    body.extend(lz4_flex::compress_prepend_size(step.to_json().as_bytes()));
    body
}

pub fn unpacked<T: FromJson>(body: &[u8]) -> Result<T, JournalError> {
    match body.split_first() {
        Some((&PACKED, packed)) => {
            let json = lz4_flex::decompress_size_prepended(packed).map_err(journal_error)?;
            T::from_json(&json).map_err(journal_error)
        }
        _ => T::from_json(body).map_err(journal_error),
    }
}

pub fn journal_error(error: impl std::error::Error + Send + Sync + 'static) -> JournalError {
    JournalError(error.into())
}
