//! What rows hold packed: the size in four bytes, little endian, and an LZ4 block.

use super::{json, passed};
use domain::ports::storage::StorageError;
use serde::{Serialize, de::DeserializeOwned};

/// Bytes as they are stored.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::compress_prepend_size(bytes)
}

/// Stored bytes.
pub fn unpack(packed: &[u8], what: &'static str) -> Result<Vec<u8>, StorageError> {
    let bytes = passed(lz4_flex::decompress_size_prepended(packed), what)?;
    // A block that ends early is no error of LZ4's.
    let size = packed.first_chunk().copied().map(u32::from_le_bytes);
    if size.is_none_or(|it| it as usize != bytes.len()) {
        return Err(StorageError::Corrupt { what });
    }
    Ok(bytes)
}

/// Something as it is stored, in JSON.
pub fn pack_json(thing: &impl Serialize) -> Vec<u8> {
    pack(json(thing).as_bytes())
}

/// Stored JSON.
pub fn unpack_json<T: DeserializeOwned>(
    packed: &[u8],
    what: &'static str,
) -> Result<T, StorageError> {
    passed(serde_json::from_slice(&unpack(packed, what)?), what)
}
