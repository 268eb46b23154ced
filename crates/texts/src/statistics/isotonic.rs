//! Isotonic regression by pooling adjacent violators (Ayer and others 1955; weighted least squares).

/// Adjacent points with their weighted mean.
#[derive(Debug, Clone, Copy)]
struct Pool {
    mean: f64,
    weight: f64,
    length: usize,
}

/// The closest non-increasing series to `(value, weight)`; weights must be positive.
pub fn non_increasing(points: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<Pool> = Vec::with_capacity(points.len());
    for (value, weight) in points {
        let mut last = Pool {
            mean: *value,
            weight: *weight,
            length: 1,
        };
        while let Some(before) = pools.pop_if(|before| before.mean < last.mean) {
            let weight = before.weight + last.weight;
            last = Pool {
                mean: (before.mean * before.weight + last.mean * last.weight) / weight,
                weight,
                length: before.length + last.length,
            };
        }
        pools.push(last);
    }
    pools
        .iter()
        .flat_map(|pool| std::iter::repeat_n(pool.mean, pool.length))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// scipy 1.17.1 `optimize.isotonic_regression(..., increasing=False)`.
    #[test]
    fn pooling_matches_scipy() {
        let found = non_increasing(&[
            (0.30, 1000.0),
            (0.10, 4000.0),
            (0.15, 1000.0),
            (0.08, 2000.0),
            (0.09, 500.0),
        ]);
        for (found, golden) in found.iter().zip([0.30, 0.11, 0.11, 0.082, 0.082]) {
            assert!((found - golden).abs() < 1e-12, "{found} {golden}");
        }
        assert!(non_increasing(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn the_fit_is_non_increasing_and_keeps_the_sum(
            points in proptest::collection::vec((0.0_f64..1.0, 1.0_f64..1000.0), 1..40)
        ) {
            let found = non_increasing(&points);
            prop_assert!(found.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12));
            let weighted = |values: &[f64]| -> f64 { values.iter().zip(&points).map(|(value, (_, weight))| value * weight).sum() };
            let before: Vec<f64> = points.iter().map(|(value, _)| *value).collect();
            prop_assert!((weighted(&found) - weighted(&before)).abs() < 1e-6);
            let again: Vec<(f64, f64)> = found.iter().zip(&points).map(|(value, (_, weight))| (*value, *weight)).collect();
            prop_assert!(non_increasing(&again).iter().zip(&found).all(|(one, other)| (one - other).abs() < 1e-9));
        }
    }
}
