//! Text similarity: Jaccard of 4-word shingles, Dice of words.

use super::words::words;
use std::collections::BTreeSet;

const SHINGLE: usize = 4;

/// Hashes, sorted. A text of fewer words is one shingle.
pub fn shingles(text: &str) -> Vec<u64> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let mut hashes: Vec<u64> = if words.len() < SHINGLE {
        words.chunks(SHINGLE).map(shingle_hash).collect()
    } else {
        words.windows(SHINGLE).map(shingle_hash).collect()
    };
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Both sorted; 1 for two empty sets.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let shared = a.iter().filter(|it| b.binary_search(it).is_ok()).count();
    ratio(shared, a.len() + b.len() - shared)
}

/// Dice similarity of words, case folded.
pub fn dice_similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let a: BTreeSet<&str> = words(&a).collect();
    let b: BTreeSet<&str> = words(&b).collect();
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    ratio(2 * a.intersection(&b).count(), a.len() + b.len())
}

fn ratio(part: usize, whole: usize) -> f64 {
    let small = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    small(part) / small(whole)
}

/// FNV-1a, 64 bits.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    fnv(bytes.iter().copied())
}

/// FNV-1a, 64 bits: stable across versions, unlike the standard hasher.
fn shingle_hash(words: &[&str]) -> u64 {
    fnv(words.iter().flat_map(|word| word.bytes().chain([b' '])))
}

fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_is_one_for_equal_and_zero_for_disjoint_texts() {
        let a = shingles("the quick brown fox jumps over the lazy dog");
        let b = shingles("lorem ipsum dolor sit amet consectetur");
        assert!((jaccard(&a, &a) - 1.0).abs() < 1e-12);
        assert!(jaccard(&a, &b).abs() < 1e-12);
    }

    #[test]
    fn similarity_counts_shared_shingles() {
        // 3 shingles each, 2 shared: 2 / 4.
        let a = shingles("a b c d e f");
        let b = shingles("b c d e f g");
        assert!((jaccard(&a, &b) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn hashes_are_those_of_fnv_1a() {
        // 64-bit FNV-1a of "a " by the published parameters.
        assert_eq!(shingles("a"), [0x089c_0207_b545_2844_u64]);
    }
}
