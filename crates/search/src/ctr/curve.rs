use crate::statistics::isotonic::non_increasing;
use std::sync::LazyLock;

/// Positions covered; further down the rate is 0.
const DEPTH: usize = 100;

/// Positions with fewer impressions are ignored.
pub const MIN_IMPRESSIONS: u64 = 1_000;

/// Positions 1 to 10: SISTRIX 2020, 80 million keywords.
const TOP_TEN: [f64; 10] = [
    0.285, 0.157, 0.110, 0.080, 0.072, 0.051, 0.040, 0.032, 0.028, 0.025,
];

pub const PUBLISHED_CURVE: &str = "ctr-v1";

/// Click-through rates by position; non-increasing.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickCurve {
    name: String,
    rates: [f64; DEPTH],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositionClicks {
    /// Rank among organic results, from 1.
    pub position: u32,
    pub impressions: u64,
    pub clicks: u64,
}

impl ClickCurve {
    /// Prefix of the name, followed by the last day of the data.
    pub const OWN_PREFIX: &str = "own-";

    pub fn published() -> &'static Self {
        static CURVE: LazyLock<ClickCurve> = LazyLock::new(|| ClickCurve {
            name: PUBLISHED_CURVE.to_owned(),
            rates: std::array::from_fn(|index| published_rate(index + 1)),
        });
        &CURVE
    }

    /// Isotonic regression of measured rates (published below [`MIN_IMPRESSIONS`]). `None` if no position has enough.
    pub fn measured(name: &str, observed: &[PositionClicks]) -> Option<Self> {
        let mut sums = [(0_u64, 0_u64); DEPTH];
        for row in observed {
            let index = (row.position as usize).checked_sub(1);
            if let Some((impressions, clicks)) = index.and_then(|index| sums.get_mut(index)) {
                *impressions = impressions.saturating_add(row.impressions);
                *clicks = clicks.saturating_add(row.clicks.min(row.impressions));
            }
        }
        if sums.iter().all(|(seen, _)| *seen < MIN_IMPRESSIONS) {
            return None;
        }
        let points: Vec<(f64, f64)> = sums
            .iter()
            .zip(&Self::published().rates)
            .map(|(sum, published)| rate_and_weight(*sum, *published))
            .collect();
        let mut rates = [0.0; DEPTH];
        rates.copy_from_slice(&non_increasing(&points));
        Some(Self {
            name: name.to_owned(),
            rates,
        })
    }

    /// Converts a rate of this curve into one of the published curve; `None` where this curve is 0.
    pub fn as_published(&self, position: u32, expected: f64) -> Option<f64> {
        let own = self.at(position);
        (own > 0.0).then(|| (expected / own * Self::published().at(position)).min(super::MAX_CTR))
    }

    /// Own curves of different days are comparable with each other, not with the published one.
    pub fn is_own(name: &str) -> bool {
        name.starts_with(Self::OWN_PREFIX)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn at(&self, position: u32) -> f64 {
        (position as usize)
            .checked_sub(1)
            .and_then(|index| self.rates.get(index))
            .copied()
            .unwrap_or(0.0)
    }
}

/// A published rate weighs as much as [`MIN_IMPRESSIONS`].
#[expect(clippy::cast_precision_loss, reason = "impressions are far below 2^52")]
fn rate_and_weight((impressions, clicks): (u64, u64), published: f64) -> (f64, f64) {
    if impressions < MIN_IMPRESSIONS {
        (published, MIN_IMPRESSIONS as f64)
    } else {
        (clicks as f64 / impressions as f64, impressions as f64)
    }
}

/// SISTRIX to position 10; our extrapolation below.
#[expect(clippy::cast_precision_loss, reason = "at most a hundred")]
fn published_rate(position: usize) -> f64 {
    let p = position as f64;
    match position {
        1..=10 => TOP_TEN[position - 1],
        11..=20 => 0.009 * (-(0.009_f64 / 0.0028).ln() / 9.0 * (p - 11.0)).exp(),
        21..=30 => 0.0028 * (-(0.0028_f64 / 0.0005).ln() / 10.0 * (p - 20.0)).exp(),
        31..=100 => 0.0001,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(position: u32, impressions: u64, clicks: u64) -> PositionClicks {
        PositionClicks {
            position,
            impressions,
            clicks,
        }
    }

    #[test]
    fn a_position_with_too_few_impressions_keeps_the_published_rate() {
        let rows = [
            row(1, 2_000, 800),
            row(2, 999, 900),
            row(3, 600, 60),
            row(3, 400, 40),
        ];
        let curve = ClickCurve::measured("own-1", &rows).unwrap();
        assert_eq!(curve.name(), "own-1");
        assert!((curve.at(1) - 0.4).abs() < 1e-12);
        assert!((curve.at(2) - 0.157).abs() < 1e-12);
        assert!((curve.at(3) - 0.1).abs() < 1e-12);
        assert!((curve.at(4) - 0.08).abs() < 1e-12);
        assert_eq!(ClickCurve::measured("own-1", &rows[1..2]), None);
    }

    #[test]
    fn own_curve_rates_convert_to_the_published_curve() {
        let curve = ClickCurve::measured("own-2026-11-19", &[row(1, 2_000, 800)]).unwrap();
        assert!(ClickCurve::is_own(curve.name()) && !ClickCurve::is_own(PUBLISHED_CURVE));
        let published = curve.as_published(1, 0.2).unwrap();
        assert!((published - 0.2 / 0.4 * 0.285).abs() < 1e-12);
        assert_eq!(curve.as_published(101, 0.2), None);
    }

    #[test]
    fn a_measured_curve_is_made_non_increasing() {
        let rows = [row(1, 1_000, 100), row(2, 3_000, 600), row(3, 1_000, 10)];
        let curve = ClickCurve::measured("own-1", &rows).unwrap();
        assert!((curve.at(1) - 0.175).abs() < 1e-12 && (curve.at(2) - 0.175).abs() < 1e-12);
        // Position 3 has 0.010, position 4 the published 0.080: adjacent positions are pooled.
        assert!(curve.at(3) <= 0.175 && curve.at(4) <= curve.at(3));
    }

    proptest! {
        #[test]
        fn no_curve_rises_or_leaves_its_bounds(
            rows in proptest::collection::vec((0_u32..120, 0_u64..50_000, 0_u64..60_000), 0..40)
        ) {
            let rows: Vec<_> = rows.into_iter().map(|(at, seen, clicked)| row(at, seen, clicked)).collect();
            if let Some(curve) = ClickCurve::measured("own-1", &rows) {
                prop_assert!((1..110).all(|at| curve.at(at + 1) <= curve.at(at) + 1e-12));
                prop_assert!((0.0..=1.0).contains(&curve.at(1)));
            }
        }
    }
}
