//! Control of the false discovery rate (Benjamini and Hochberg 1995).

/// Adjusted p-values, in the order given. NaN counts as 1.
#[expect(clippy::cast_precision_loss, reason = "tests are few")]
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let value = |at: usize| {
        let p = p_values[at];
        if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }
    };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut lowest: f64 = 1.0;
    for (rank, at) in order.iter().enumerate().rev() {
        lowest = lowest.min(value(*at) * p_values.len() as f64 / (rank as f64 + 1.0));
        adjusted[*at] = lowest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// statsmodels 0.15.0 `multipletests([.01, .04, .03, .005, .5], method="fdr_bh")[1]`;
    /// `tests/oracles/ai_visibility.py` compares hundreds more.
    #[test]
    fn figures_are_those_of_statsmodels() {
        let found = adjusted(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        for (found, golden) in found.iter().zip([0.025, 0.05, 0.05, 0.025, 0.5]) {
            assert!((found - golden).abs() < 1e-12, "{found} {golden}");
        }
        assert!(adjusted(&[]).is_empty());
        assert_eq!(adjusted(&[f64::NAN]), [1.0]);
    }

    proptest! {
        #[test]
        fn adjusted_p_values_keep_order_and_never_shrink(
            p in proptest::collection::vec(0.0_f64..=1.0, 1..40)
        ) {
            let found = adjusted(&p);
            for (at, one) in p.iter().enumerate() {
                prop_assert!(found[at] >= *one - 1e-12 && found[at] <= 1.0);
                for (other, two) in p.iter().enumerate() {
                    prop_assert!(one > two || found[at] <= found[other] + 1e-12);
                }
            }
        }
    }
}
