#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Concentration {
    /// The Herfindahl–Hirschman index Σ s², 1/n to 1.
    pub hhi: f64,
    /// Effective number of equal holders: 1 / HHI.
    pub effective: f64,
    /// Entropy −Σ s ln s, divided by ln n: 0 (one has all) to 1 (all alike); 0 for a single holder.
    pub entropy: f64,
}

/// `weights` must not be negative, in any unit; `None` if they sum to 0. Weights of 0 count in n.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn concentration(weights: &[f64]) -> Option<Concentration> {
    let total: f64 = weights.iter().sum();
    if !total.is_finite() || total <= 0.0 {
        return None;
    }
    let shares = || weights.iter().map(|weight| weight / total);
    let hhi: f64 = shares().map(|share| share * share).sum();
    let disorder: f64 = shares()
        .filter(|share| *share > 0.0)
        .map(|share| -share * share.ln())
        .sum();
    let max_entropy = (weights.len() as f64).ln();
    Some(Concentration {
        hhi,
        effective: 1.0 / hhi,
        entropy: if max_entropy > 0.0 {
            disorder / max_entropy
        } else {
            0.0
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// scipy 1.17.1 `stats.entropy(shares) / ln n`, and squares; `tests/oracles/search_intelligence.py`.
    #[test]
    fn figures_are_those_of_scipy() {
        for (shares, hhi, effective, entropy) in [
            (&[0.95, 0.05][..], 0.905, 1.1050, 0.2864),
            (&[0.5, 0.5], 0.5, 2.0, 1.0),
            (&[0.35, 0.35, 0.30], 0.335, 2.9851, 0.9977),
        ] {
            let found = concentration(shares).unwrap();
            assert!((found.hhi - hhi).abs() < 5e-5, "{found:?}");
            assert!((found.effective - effective).abs() < 5e-5, "{found:?}");
            assert!((found.entropy - entropy).abs() < 5e-5, "{found:?}");
        }
        assert_eq!(concentration(&[0.0, 0.0]), None);
        assert_eq!(concentration(&[3.0]).unwrap().entropy.to_bits(), 0);
    }

    proptest! {
        #[test]
        fn concentration_is_bounded_and_scale_free(
            weights in proptest::collection::vec(0.01_f64..1000.0, 1..30), unit in 0.01_f64..1000.0
        ) {
            let found = concentration(&weights).unwrap();
            let scaled: Vec<f64> = weights.iter().map(|it| it * unit).collect();
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let n = weights.len() as f64;
            prop_assert!(found.hhi >= 1.0 / n - 1e-12 && found.hhi <= 1.0 + 1e-12);
            prop_assert!((-1e-12..=1.0 + 1e-12).contains(&found.entropy));
            prop_assert!((concentration(&scaled).unwrap().hhi - found.hhi).abs() < 1e-9);
        }
    }
}
