/// From this number of domains on, difficulty is 100.
const MAX_REFERRING_DOMAINS: f64 = 1_000.0;

/// 100·log10(1 + RD) / log10(1 + 1000), at most 100; RD: mean referring domains of the first ten results without
/// minimum and maximum. `None` below three results. (After Ahrefs: mean on a log scale; constants ours.)
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn difficulty_from_links(referring_domains: &[u64]) -> Option<f64> {
    let mut sorted: Vec<u64> = referring_domains.iter().copied().take(10).collect();
    sorted.sort_unstable();
    let inner = sorted.get(1..sorted.len().checked_sub(1)?)?;
    if inner.is_empty() {
        return None;
    }
    let mean = inner.iter().map(|it| *it as f64).sum::<f64>() / inner.len() as f64;
    difficulty_from_mean(mean)
}

/// From a supplier's mean; `None` if negative or not finite.
pub fn difficulty_from_mean(referring_domains: f64) -> Option<f64> {
    let is_count = referring_domains.is_finite() && referring_domains >= 0.0;
    is_count.then(|| {
        (100.0 * referring_domains.ln_1p() / MAX_REFERRING_DOMAINS.ln_1p()).clamp(0.0, 100.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_published_example_is_met() {
        let golden = difficulty_from_links(&[0, 50, 50, 50, 50, 50, 50, 50, 50, 90_000]).unwrap();
        assert!((golden - 56.910_8).abs() < 5e-5, "{golden}");
        assert_eq!(difficulty_from_links(&[5, 5]), None);
        assert_eq!(difficulty_from_links(&[]), None);
        assert_eq!(difficulty_from_links(&[5000; 10]), Some(100.0));
    }

    #[test]
    fn difficulty_from_a_mean_matches_counts() {
        let golden = difficulty_from_mean(50.0).unwrap();
        assert!((golden - 56.910_8).abs() < 5e-5, "{golden}");
        assert_eq!(difficulty_from_mean(0.0), Some(0.0));
        assert_eq!(difficulty_from_mean(1e9), Some(100.0));
        assert_eq!(difficulty_from_mean(-1.0), None);
        assert_eq!(difficulty_from_mean(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn more_links_never_make_it_easier(
            counts in proptest::collection::vec(0_u64..5000, 3..12), at in 0_usize..12, more in 0_u64..1000
        ) {
            let mut raised = counts.clone();
            let at = at % raised.len();
            raised[at] += more;
            let (before, after) = (difficulty_from_links(&counts).unwrap(), difficulty_from_links(&raised).unwrap());
            prop_assert!(after >= before - 1e-9 && (0.0..=100.0).contains(&after));
        }
    }
}
