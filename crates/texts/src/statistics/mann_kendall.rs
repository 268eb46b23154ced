//! The Mann–Kendall test for a monotonic trend (Mann 1945; Kendall 1975).

use super::normal::two_sided_p;

/// With fewer values the normal approximation is poor.
pub const MIN_VALUES: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Rising less falling pairs.
    pub score: i64,
    /// Continuity-corrected; positive for a rise.
    pub z: f64,
    /// Two-sided.
    pub p: f64,
}

/// Of equidistant values; `None` below [`MIN_VALUES`], or if all are equal. Corrected for ties. Autocorrelation makes
/// `p` too small: aggregate daily figures to weeks first.
#[expect(clippy::cast_precision_loss, reason = "series are short")]
pub fn mann_kendall(values: &[f64]) -> Option<Trend> {
    let n = values.len();
    if n < MIN_VALUES {
        return None;
    }
    let mut score = 0_i64;
    for (at, one) in values.iter().enumerate() {
        for later in &values[at + 1..] {
            score += i64::from(later > one) - i64::from(later < one);
        }
    }
    let of = |count: usize| (count * (count.saturating_sub(1)) * (2 * count + 5)) as f64;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let ties: f64 = sorted
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|it| of(it.len()))
        .sum();
    let variance = (of(n) - ties) / 18.0;
    if variance <= 0.0 {
        return None;
    }
    let z = (score - score.signum()) as f64 / variance.sqrt();
    Some(Trend {
        score,
        z,
        p: two_sided_p(z.abs()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `PyPI` `pymannkendall` 1.4.3, `original_test`; `tests/oracles/suggestions.py` compares more.
    #[test]
    fn figures_are_those_of_the_python_package() {
        let with_ties = [5.0, 5.0, 6.0, 4.0, 7.0, 8.0, 8.0, 9.0, 7.0, 10.0];
        let found = mann_kendall(&with_ties).unwrap();
        assert_eq!(found.score, GOLDEN.0);
        assert!((found.z - GOLDEN.1).abs() < 1e-9, "{found:?}");
        assert!((found.p - GOLDEN.2).abs() < 1e-9, "{found:?}");
    }

    const GOLDEN: (i64, f64, f64) = (30, 2.625_536_635_233_037, 0.008_651_249_852_577_703);

    #[test]
    fn short_and_constant_series_have_no_trend() {
        assert_eq!(mann_kendall(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(mann_kendall(&[2.0; 20]), None);
    }

    proptest! {
        #[test]
        fn reversing_a_series_reverses_its_trend(values in proptest::collection::vec(-9_i32..9, 8..40)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            let back: Vec<f64> = values.iter().rev().copied().collect();
            match (mann_kendall(&values), mann_kendall(&back)) {
                (Some(there), Some(back)) => {
                    prop_assert_eq!(there.score, -back.score);
                    prop_assert!((there.p - back.p).abs() < 1e-12 && (0.0..=1.0).contains(&there.p));
                }
                (None, None) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
