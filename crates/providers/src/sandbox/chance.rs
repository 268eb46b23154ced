//! Stateless randomness: numbers derived by hashing names.

use chrono::{Datelike, NaiveDate};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(mix(seed ^ 0x5167_4874_6c69_6e65))
    }

    pub(super) fn derive(self, name: &str) -> Self {
        let folded = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        self.nth(folded)
    }

    pub(super) fn nth(self, number: u64) -> Self {
        Self(mix(self.0 ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// In [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(super) fn fraction(self) -> f64 {
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In [0, limit).
    pub(super) fn below(self, limit: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "it is below the limit")]
        let number = ((u128::from(self.0) * limit as u128) >> 64) as usize;
        number
    }

    /// Walk from −1 to 1 in small daily steps: the sum of three waves between hashed points.
    pub(super) fn walk(self, day: NaiveDate) -> f64 {
        const WAVES: [(i32, f64); 3] = [(2, 0.15), (9, 0.35), (40, 0.5)];
        let day = day.num_days_from_ce();
        WAVES
            .iter()
            .map(|(period, weight)| weight * self.wave(day, *period))
            .sum()
    }

    fn wave(self, day: i32, period: i32) -> f64 {
        let index = i64::from(day.div_euclid(period));
        let way = f64::from(day.rem_euclid(period)) / f64::from(period);
        let wave = self.nth(u64::from(period.unsigned_abs()));
        let at = |index: i64| wave.nth(index.unsigned_abs()).fraction() * 2.0 - 1.0;
        at(index) + (at(index + 1) - at(index)) * way
    }
}

/// The finalizer of `SplitMix64`.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_is_bounded_and_takes_small_steps() {
        let walk = Chance::seeded(1).derive("keyword");
        let days = NaiveDate::from_ymd_opt(2026, 1, 1)
            .unwrap()
            .iter_days()
            .take(500);
        let path: Vec<f64> = days.map(|day| walk.walk(day)).collect();
        assert!(path.iter().all(|it| it.abs() <= 1.0));
        assert!(path.windows(2).all(|step| (step[0] - step[1]).abs() < 0.3));
        let (low, high) = path.iter().fold((1.0_f64, -1.0_f64), |(low, high), it| {
            (low.min(*it), high.max(*it))
        });
        assert!(high - low > 0.5, "it moves: {low} to {high}");
    }

    #[test]
    fn shares_are_spread_evenly() {
        let shares = (0..10_000).map(|number| Chance::seeded(7).nth(number).fraction());
        let mean = shares.sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02);
    }
}
