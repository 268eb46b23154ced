//! Unpredictable texts of letters and digits.

use crate::randomness::Randomness;
use std::fmt::Write;

pub(crate) const ALPHABET: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `length` characters with uniform distribution; 43 of them hold 256 bits.
pub(crate) fn base62(randomness: &dyn Randomness, length: usize) -> String {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut bytes = [0; 64];
        randomness.fill(&mut bytes);
        // 248 is the largest multiple of 62 below 256; larger bytes are drawn again, because they
        // would favor some characters.
        let fair = bytes.iter().filter(|byte| **byte < 248);
        let missing = length - text.len();
        text.extend(
            fair.take(missing)
                .map(|byte| char::from(ALPHABET[usize::from(byte % 62)])),
        );
    }
    text
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
