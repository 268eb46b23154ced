//! Packed values: the size in four bytes, little endian, and an LZ4 block or a zstd frame.

use super::{json, validated};
use domain::ports::storage::StorageError;
use serde::{Serialize, de::DeserializeOwned};
use std::{cell::RefCell, io};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

/// Magic number of zstd frames (RFC 8878, 3.1.1). No LZ4 block of JSON begins with it.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Level 3, the default, takes 15 % longer for 1 % fewer bytes of a search page.
const LEVEL: i32 = 1;
/// No row is as large; a damaged size must not take all memory.
const MAX_BYTES: usize = 1 << 26;

thread_local! {
    // Creating a context takes as long as packing a search page.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(compressor().ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
        RefCell::new(Decompressor::new().ok());
}

fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(compressor)
}

pub fn pack(bytes: &[u8]) -> Vec<u8> {
    lz4_flex::compress_prepend_size(bytes)
}

/// Takes half the space of [`pack`]: a zstd frame with a checksum. Version 0.1 cannot read it, so it is not for what
/// both versions of a rolling upgrade read.
pub fn pack_zstd(bytes: &[u8]) -> Vec<u8> {
    let frame = COMPRESSOR.with_borrow_mut(|it| it.as_mut()?.compress(bytes).ok());
    match (frame, u32::try_from(bytes.len())) {
        (Some(frame), Ok(size)) => [&size.to_le_bytes(), &frame[..]].concat(),
        // Without memory for a context.
        _ => pack(bytes),
    }
}

pub fn unpacked_len(packed: &[u8]) -> usize {
    let size = packed.first_chunk().copied().map(u32::from_le_bytes);
    size.map_or(0, |it| it as usize)
}

fn decompress_frame(frame: &[u8], size: usize) -> io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|it| match it {
        Some(it) => it.decompress(frame, size),
        None => Err(io::ErrorKind::OutOfMemory.into()),
    })
}

pub fn unpack(packed: &[u8], subject: &'static str) -> Result<Vec<u8>, StorageError> {
    let size = unpacked_len(packed);
    if size > MAX_BYTES {
        return Err(StorageError::Corrupt { subject });
    }
    let bytes = match packed.get(4..) {
        Some(frame) if frame.starts_with(&ZSTD_MAGIC) => {
            validated(decompress_frame(frame, size), subject)?
        }
        _ => validated(lz4_flex::decompress_size_prepended(packed), subject)?,
    };
    // LZ4 reports no error for a block that ends early.
    if bytes.len() != size {
        return Err(StorageError::Corrupt { subject });
    }
    Ok(bytes)
}

pub fn pack_json(value: &impl Serialize) -> Vec<u8> {
    pack(json(value).as_bytes())
}

pub fn unpack_json<T: DeserializeOwned>(
    packed: &[u8],
    subject: &'static str,
) -> Result<T, StorageError> {
    validated(serde_json::from_slice(&unpack(packed, subject)?), subject)
}
