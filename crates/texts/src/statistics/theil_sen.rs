//! Robust slope: the median of the slopes of all pairs (Theil 1950, Sen 1968).

use super::describe::median;

/// Per step of equidistant values; missing ones are skipped. `None` below two values.
#[expect(clippy::cast_precision_loss, reason = "series are short")]
pub fn slope(values: &[Option<f64>]) -> Option<f64> {
    let known: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(at, value)| Some((at as f64, (*value)?)))
        .collect();
    let mut slopes = Vec::with_capacity(known.len() * known.len() / 2);
    for (index, (at, value)) in known.iter().enumerate() {
        slopes.extend(
            known[index + 1..]
                .iter()
                .map(|(later, other)| (other - value) / (later - at)),
        );
    }
    median(&slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy 1.17.1 `stats.theilslopes`.
    #[test]
    fn the_slope_is_robust_to_one_outlier() {
        let found = slope(&[
            Some(10.0),
            Some(12.0),
            Some(13.5),
            Some(300.0),
            Some(18.0),
            None,
            Some(22.0),
        ]);
        assert!((found.unwrap() - 2.0).abs() < 1e-12, "{found:?}");
        assert_eq!(slope(&[Some(1.0), None]), None);
        assert_eq!(slope(&[Some(3.0), Some(3.0)]), Some(0.0));
    }
}
