//! Unbounded scales for forecasts of bounded quantities.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Up to ±1e100.
    Unbounded,
    /// 1 to `depth`: z = ln((r − ½)/(depth + ½ − r)).
    Position { depth: u32 },
    /// 0 to 1: z = ln((x + ε)/(1 − x + ε)), ε = 1/(2·trials).
    Share {
        /// Observations behind each value.
        trials: u32,
    },
    /// The same from 0 to 100.
    Index { trials: u32 },
    /// From 0 on: z = ln(1 + x).
    Count,
}

/// Sums of larger squares would overflow.
const MAX_UNBOUNDED: f64 = 1e100;
/// Larger exponentials overflow.
const MAX_EXPONENT: f64 = 700.0;

impl Scale {
    /// Non-decreasing; finite for finite values. Values out of range are clamped. Scaled logit: Hyndman and
    /// Athanasopoulos, "Forecasting: Principles and Practice", section 13.3.
    pub fn forward(self, value: f64) -> f64 {
        let value = self.clamp(value);
        match self {
            Self::Unbounded => value,
            Self::Position { depth } => {
                ((value - 0.5) / (f64::from(depth.max(1)) + 0.5 - value)).ln()
            }
            Self::Share { .. } | Self::Index { .. } => {
                let share = value / self.upper_limit();
                let e = self.offset();
                ((share + e) / (1.0 - share + e)).ln()
            }
            Self::Count => value.ln_1p(),
        }
    }

    /// Non-decreasing.
    pub fn back(self, z: f64) -> f64 {
        let value = match self {
            Self::Unbounded => z,
            Self::Position { depth } => 0.5 + f64::from(depth.max(1)) * logistic(z),
            Self::Share { .. } | Self::Index { .. } => {
                let e = self.offset();
                self.upper_limit() * ((1.0 + 2.0 * e) * logistic(z) - e)
            }
            Self::Count => z.min(MAX_EXPONENT).exp_m1(),
        };
        self.clamp(value)
    }

    pub fn clamp(self, value: f64) -> f64 {
        match self {
            Self::Unbounded => value.clamp(-MAX_UNBOUNDED, MAX_UNBOUNDED),
            Self::Position { depth } => value.clamp(1.0, f64::from(depth.max(1))),
            Self::Share { .. } | Self::Index { .. } => value.clamp(0.0, self.upper_limit()),
            Self::Count => value.max(0.0),
        }
    }

    /// The smallest measurable difference: a position, a trial, one; 0 if unbounded.
    pub fn resolution(self) -> f64 {
        match self {
            Self::Unbounded => 0.0,
            Self::Position { .. } | Self::Count => 1.0,
            Self::Share { .. } | Self::Index { .. } => self.upper_limit() * 2.0 * self.offset(),
        }
    }

    const fn upper_limit(self) -> f64 {
        match self {
            Self::Index { .. } => 100.0,
            _ => 1.0,
        }
    }

    fn offset(self) -> f64 {
        match self {
            Self::Share { trials } | Self::Index { trials } => 0.5 / f64::from(trials.max(1)),
            _ => 0.0,
        }
    }
}

fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scales() -> impl Strategy<Value = Scale> {
        prop_oneof![
            Just(Scale::Unbounded),
            (1_u32..200).prop_map(|depth| Scale::Position { depth }),
            (0_u32..500).prop_map(|trials| Scale::Share { trials }),
            (0_u32..500).prop_map(|trials| Scale::Index { trials }),
            Just(Scale::Count),
        ]
    }

    #[test]
    fn ranks_become_logits() {
        let golden = [
            (1.0, -5.2933),
            (2.0, -4.1846),
            (3.0, -3.6636),
            (10.0, -2.2541),
            (50.0, -0.0200),
            (100.0, 5.2933),
        ];
        for (rank, z) in golden {
            let found = Scale::Position { depth: 100 }.forward(rank);
            assert!((found - z).abs() < 5e-5, "{rank}: {found}");
        }
    }

    #[test]
    fn shares_zero_and_one_are_finite_and_symmetric() {
        let scale = Scale::Share { trials: 20 };
        assert!((scale.forward(0.0) + scale.forward(1.0)).abs() < 1e-12);
        assert!((scale.forward(0.0) - (0.025_f64 / 1.025).ln()).abs() < 1e-12);
        assert!((scale.resolution() - 0.05).abs() < 1e-12);
        assert!((Scale::Index { trials: 20 }.resolution() - 5.0).abs() < 1e-12);
    }

    #[test]
    fn depth_zero_counts_as_one_position() {
        let scale = Scale::Position { depth: 0 };
        assert!(scale.forward(7.0).abs() < 1e-12 && (scale.back(3.0) - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn possible_values_come_back(scale in scales(), share in 0.0_f64..=1.0) {
            let value = match scale {
                Scale::Position { depth } => 1.0 + share * (f64::from(depth) - 1.0),
                Scale::Share { .. } => share,
                Scale::Index { .. } => 100.0 * share,
                Scale::Unbounded | Scale::Count => 1e6 * share,
            };
            let back = scale.back(scale.forward(value));
            prop_assert!((back - value).abs() <= 1e-9 * (1.0 + value), "{value} {back}");
        }

        #[test]
        fn outputs_are_finite_and_in_range(
            scale in scales(), value in -1e300_f64..1e300, z in -1e300_f64..1e300,
        ) {
            prop_assert!(scale.forward(value).is_finite());
            let back = scale.back(z);
            prop_assert!(back.is_finite());
            prop_assert!((scale.clamp(back) - back).abs() == 0.0);
        }

        #[test]
        fn order_is_kept(scale in scales(), one in -50.0_f64..150.0, other in -50.0_f64..150.0) {
            let (low, high) = (one.min(other), one.max(other));
            prop_assert!(scale.forward(low) <= scale.forward(high));
            prop_assert!(scale.back(low) <= scale.back(high));
        }
    }
}
