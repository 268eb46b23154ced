//! Properties of a site graph.

use super::*;
use proptest::prelude::*;

/// Followed links by page number.
fn links_of(all: Vec<Vec<u32>>) -> FollowedLinks {
    let mut followed = FollowedLinks::default();
    for targets in all {
        followed.push(targets.into_iter());
    }
    followed
}

/// networkx 3.6.1 `pagerank(alpha=.85)` of the graph 0→1, 0→2, 1→2, 2→0, 3→2: 0.372527, 0.195824,
/// 0.394149, 0.037500.
#[test]
fn scores_match_networkx_pagerank() {
    let scores = internal_scores(&links_of(vec![vec![1, 2], vec![2], vec![0], vec![2]]));
    for (found, expected) in scores
        .iter()
        .zip([0.372_527, 0.195_824, 0.394_149, 0.037_5])
    {
        assert!((found - expected).abs() < 0.002, "{scores:?}");
    }
}

proptest! {
    #[test]
    fn scores_sum_to_one(edges in proptest::collection::vec(proptest::collection::vec(0_u32..12, 0..6), 12)) {
        let followed = edges.into_iter().map(|mut it| { it.sort_unstable(); it.dedup(); it }).collect();
        let scores = internal_scores(&links_of(followed));
        prop_assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(scores.iter().all(|it| *it >= 0.15 / 12.0 - 1e-12));
    }
}
