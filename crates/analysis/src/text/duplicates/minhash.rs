//! `MinHash` signatures (Broder 1997) with k = 128.
//!
//! Each of 128 functions orders all shingles in another way; a signature keeps each order's first.
//! Two sets have the same first with a probability that is their Jaccard similarity J, so the share
//! of equal places estimates J with a standard error of √(J(1−J)/128), at most 0.045.

use super::mixed;

/// Functions, and numbers in a signature.
pub const PERMUTATIONS: usize = 128;

/// The least of each function over the shingles of a page: 512 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Box<[u32; PERMUTATIONS]>);

/// 2^61 − 1, a prime.
const PRIME: u64 = (1 << 61) - 1;

impl Signature {
    /// The signature of a set of shingles (their hashes, in any order); `None` of an empty set.
    #[must_use]
    pub fn of(shingles: &[u64]) -> Option<Self> {
        if shingles.is_empty() {
            return None;
        }
        let mut least = Box::new([u32::MAX; PERMUTATIONS]);
        for shingle in shingles {
            let hash = mixed(*shingle) % PRIME;
            for (kept, (factor, offset)) in least.iter_mut().zip(&FUNCTIONS) {
                *kept = (*kept).min(permuted(hash, *factor, *offset));
            }
        }
        Some(Self(least))
    }

    /// An estimate of the Jaccard similarity of two sets.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(other.0.iter());
        let equal = pairs.filter(|(one, other)| one == other).count();
        let equal = u32::try_from(equal).unwrap_or(u32::MAX);
        f64::from(equal) / 128.0
    }

    /// The numbers of the signature.
    #[must_use]
    pub fn values(&self) -> &[u32; PERMUTATIONS] {
        &self.0
    }
}

/// (factor·hash + offset) mod 2^61 − 1, its upper 32 bits: a universal family (Carter and Wegman
/// 1979).
#[expect(
    clippy::cast_possible_truncation,
    reason = "less than 2^61, shifted by 29"
)]
fn permuted(hash: u64, factor: u64, offset: u64) -> u32 {
    let product = u128::from(factor) * u128::from(hash) + u128::from(offset);
    // 2^61 is 1 here, so the high part is added to the low one.
    let folded = (product & u128::from(PRIME)) as u64 + (product >> 61) as u64;
    let reduced = if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    };
    (reduced >> 29) as u32
}

/// Factors (not 0) and offsets of the functions, always the same.
static FUNCTIONS: [(u64, u64); PERMUTATIONS] = functions();

const fn functions() -> [(u64, u64); PERMUTATIONS] {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut functions = [(1, 0); PERMUTATIONS];
    let mut state: u64 = STEP;
    let mut at = 0;
    while at < PERMUTATIONS {
        let factor = mixed(state) % (PRIME - 1) + 1;
        state = state.wrapping_add(STEP);
        let offset = mixed(state) % PRIME;
        state = state.wrapping_add(STEP);
        functions[at] = (factor, offset);
        at += 1;
    }
    functions
}
