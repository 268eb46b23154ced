//! Simhash, 64 bits (Charikar 2002; Manku, Jain and Das Sarma 2007), published for comparison; clusters do not use it.

use super::mixed;

/// Maximum Hamming distance of near duplicates (Manku and others).
pub const SIMHASH_DISTANCE: u32 = 3;

/// Majority of each bit over the mixed hashes; 0 for an empty set.
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

pub const fn hamming(one: u64, other: u64) -> u32 {
    (one ^ other).count_ones()
}
