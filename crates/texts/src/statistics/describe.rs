//! Descriptive statistics; `None` for an empty slice.

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// For an even count the mean of the middle two.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// Divisor n − 1; `None` below two values.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn sample_standard_deviation(values: &[f64]) -> Option<f64> {
    // Relative to the first value, since the mean of equal values may differ from them by rounding.
    let first = *values.first()?;
    let shifted: Vec<f64> = values.iter().map(|value| value - first).collect();
    let mean = mean(&shifted)?;
    let squares: f64 = shifted.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (values.len() - 1) as f64).sqrt())
}

/// `share` 0 to 1, linear interpolation (Hyndman and Fan 1996, type 7: the default of R and NumPy).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are far below 2^52, and the place is inside of them"
)]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let lower = *sorted.get(place.floor() as usize)?;
    let upper = *sorted.get(place.ceil() as usize)?;
    Some(lower + (upper - lower) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_slices_have_no_statistics() {
        assert_eq!(
            (mean(&[]), median(&[]), sample_standard_deviation(&[3.0])),
            (None, None, None)
        );
    }

    #[test]
    fn equal_values_have_zero_deviation() {
        for position in 1..=100_u32 {
            for count in 2..=28 {
                let values = vec![f64::from(position).ln(); count];
                assert_eq!(
                    sample_standard_deviation(&values),
                    Some(0.0),
                    "{position}, {count}"
                );
            }
        }
    }

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        assert_eq!(median(&[9.0, 1.0, 4.0, 2.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 4.0]), Some(4.0));
    }

    /// Python 3.11 `statistics.stdev`.
    #[test]
    fn the_standard_deviation_is_that_of_a_sample() {
        let spread = sample_standard_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((spread - 2.138_089_935_299_395).abs() < 1e-12);
    }

    /// Python 3.11 `statistics.quantiles(method="inclusive")`.
    #[test]
    fn quartiles_are_interpolated() {
        let values = [1_535.4, 1_676.9, 1_602.0, 1_589.5, 1_900.25, 1_610.0];
        let quartiles = [0.25, 0.5, 0.75].map(|it| quantile(&values, it).unwrap());
        for (found, golden) in quartiles.into_iter().zip([1_592.625, 1_606.0, 1_660.175]) {
            assert!((found - golden).abs() < 1e-9, "{found} {golden}");
        }
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
    }
}
