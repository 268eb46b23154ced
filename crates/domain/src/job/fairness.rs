//! Fairness between accounts as one number, for monitoring.

/// Jain's fairness index: 1 if all shares are equal, 1/n if one of n has everything. Fewer than two
/// shares, or a sum of 0, count as fair.
#[expect(clippy::cast_precision_loss, reason = "accounts with jobs, not more")]
pub fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|it| it * it).sum();
    if shares.len() < 2 || squares <= 0.0 {
        return 1.0;
    }
    sum * sum / (shares.len() as f64 * squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shares_are_fair_and_a_monopoly_is_not() {
        let is = |shares: &[f64], index: f64| assert!((jain(shares) - index).abs() < 1e-9);
        is(&[2.0, 2.0, 2.0, 2.0], 1.0);
        is(&[5.0, 0.0, 0.0, 0.0], 0.25);
        is(&[1.0, 3.0], 0.8);
        for nothing in [&[][..], &[7.0], &[0.0, 0.0]] {
            is(nothing, 1.0);
        }
    }
}
