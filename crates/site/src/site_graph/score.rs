//! `PageRank` (Brin and Page 1998) over the site's followed links, each target counted once per page.

use super::links::FollowedLinks;

pub const DAMPING: f64 = 0.85;
pub const ROUNDS: usize = 20;

/// The sum is 1; pages without links give their weight to all.
pub fn internal_scores(followed: &FollowedLinks) -> Vec<f64> {
    let count = followed.len();
    if count == 0 {
        return Vec::new();
    }
    let of = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let even = 1.0 / of(count);
    let mut weights = vec![even; count];
    for _ in 0..ROUNDS {
        let idle: f64 = { weights.iter().zip(followed.iter()) }
            .filter(|(_, targets)| targets.is_empty())
            .map(|(weight, _)| weight)
            .sum();
        let base = (1.0 - DAMPING + DAMPING * idle) * even;
        let mut next = vec![base; count];
        for (weight, targets) in weights.iter().zip(followed.iter()) {
            let part = DAMPING * weight / of(targets.len());
            for &target in targets {
                next[target as usize] += part;
            }
        }
        weights = next;
    }
    weights
}
