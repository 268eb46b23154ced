//! `MinHash` signatures (Broder 1997) with k = 128. The share of equal values estimates the Jaccard similarity J with a
//! standard error of √(J(1−J)/128), at most 0.045.

use super::mixed;

/// Length of a signature.
pub const PERMUTATIONS: usize = 128;

/// Minimum of each function over the shingles: 512 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Box<[u32; PERMUTATIONS]>);

const PRIME: u64 = (1 << 61) - 1;

impl Signature {
    /// `shingles` in any order; `None` for an empty set.
    pub fn of(shingles: &[u64]) -> Option<Self> {
        if shingles.is_empty() {
            return None;
        }
        let mut minima = Box::new([u32::MAX; PERMUTATIONS]);
        for shingle in shingles {
            let hash = mixed(*shingle) % PRIME;
            for (kept, (factor, offset)) in minima.iter_mut().zip(&FUNCTIONS) {
                *kept = (*kept).min(permuted(hash, *factor, *offset));
            }
        }
        Some(Self(minima))
    }

    /// Estimates Jaccard similarity.
    pub fn similarity(&self, other: &Self) -> f64 {
        let pairs = self.0.iter().zip(other.0.iter());
        let equal = pairs.filter(|(one, other)| one == other).count();
        let equal = u32::try_from(equal).unwrap_or(u32::MAX);
        f64::from(equal) / 128.0
    }

    pub fn values(&self) -> &[u32; PERMUTATIONS] {
        &self.0
    }
}

/// (factor·hash + offset) mod 2^61 − 1, upper 32 bits: a universal family (Carter and Wegman 1979).
#[expect(
    clippy::cast_possible_truncation,
    reason = "less than 2^61, shifted by 29"
)]
fn permuted(hash: u64, factor: u64, offset: u64) -> u32 {
    let product = u128::from(factor) * u128::from(hash) + u128::from(offset);
    // 2^61 ≡ 1, so the high part is added to the low one.
    let folded = (product & u128::from(PRIME)) as u64 + (product >> 61) as u64;
    let reduced = if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    };
    (reduced >> 29) as u32
}

/// Factors (not 0) and offsets; constant.
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
