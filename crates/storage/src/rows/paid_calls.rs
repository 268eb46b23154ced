//! Answers of suppliers that cost money, packed by LZ4.

use domain::ports::storage::StorageError;

/// An answer as it is stored.
pub fn packed(answer: Option<&[u8]>) -> Option<Vec<u8>> {
    answer.map(lz4_flex::compress_prepend_size)
}

/// An answer as it was given.
pub fn unpacked(stored: &[u8]) -> Result<Vec<u8>, StorageError> {
    lz4_flex::decompress_size_prepended(stored).map_err(|_| StorageError::Corrupt {
        what: "the answer to a call",
    })
}
