//! Simhash of 64 bits (Charikar 2002; Manku, Jain and Das Sarma 2007), told for those who compare
//! with it. Clusters go by Jaccard similarity.

use super::mixed;

/// Bits in which near duplicates differ at most, by Manku and others.
pub const SIMHASH_DISTANCE: u32 = 3;

/// Each bit is what most shingles (their mixed hashes) have there; 0 of an empty set.
#[must_use]
pub fn simhash(shingles: &[u64]) -> u64 {
    let mut votes = [0_i64; 64];
    for shingle in shingles {
        let hash = mixed(*shingle);
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    let set = votes.iter().enumerate().filter(|(_, vote)| **vote > 0);
    set.fold(0, |hash, (bit, _)| hash | 1 << bit)
}

/// Bits in which two hashes differ.
#[must_use]
pub const fn hamming(one: u64, other: u64) -> u32 {
    (one ^ other).count_ones()
}
