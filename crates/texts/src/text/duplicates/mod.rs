//! Exact and near duplicates of main texts. Each page is reduced to a [`Fingerprint`] of about 600 bytes. Equal
//! digests are exact duplicates; pages that share a band of their `MinHash` signatures are near duplicates if the
//! exact Jaccard similarity of their 4-word shingles, computed by the caller on demand, is at least [`MIN_NEAR_SIMILARITY`].

mod bands;
mod clusters;
mod minhash;
mod simhash;

pub use clusters::{Cluster, Duplicates, Nearest, clusters};
pub use minhash::{PERMUTATIONS, Signature};
pub use simhash::{SIMHASH_DISTANCE, hamming, simhash};

use super::similarity::shingles;
use crate::keyword_text::normalized;
use sha2::{Digest, Sha256};

/// Jaccard similarity of near duplicates.
pub const MIN_NEAR_SIMILARITY: f64 = 0.9;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// SHA-256, see [`digest`].
    pub digest: [u8; 32],
    pub signature: Signature,
    /// Charikar's simhash, as Manku and others (2007) use it for web pages.
    pub simhash: u64,
}

impl Fingerprint {
    /// `None` without words; such texts are never duplicates.
    pub fn of(text: &str) -> Option<Self> {
        Self::with_shingles(text, &shingles(text))
    }

    /// For callers that have the shingles.
    pub fn with_shingles(text: &str, shingles: &[u64]) -> Option<Self> {
        Some(Self {
            digest: digest(text),
            signature: Signature::of(shingles)?,
            simhash: simhash(shingles),
        })
    }
}

/// SHA-256 of lower case, NFKC, white space collapsed.
pub fn digest(text: &str) -> [u8; 32] {
    let mut digest = Sha256::new();
    let mut is_first = true;
    // Line by line: NFKC never composes across lines, and ASCII lines are cheap.
    for line in text.lines().map(normalized).filter(|it| !it.is_empty()) {
        if !is_first {
            digest.update(b" ");
        }
        is_first = false;
        digest.update(line.as_bytes());
    }
    digest.finalize().into()
}

/// Finalizer of `SplitMix64` (Steele and others 2014), since FNV's high bits depend too little on the last bytes.
const fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests;
