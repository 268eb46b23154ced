//! The moderated t of a new value (Smyth 2004, <https://doi.org/10.2202/1544-6115.1027>): the variance of a short history
//! is drawn towards a prior one, so that a history that is constant by chance does not make every change significant.

use super::describe::{mean, sample_standard_deviation};
use super::student_t::{t_score, upper_tail};
use super::wilson::Interval;

/// What is known of the spread of any such series before the first value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Values that the prior counts as.
    pub freedom: f64,
    pub deviation: f64,
}

/// Where the next value of a series is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    pub mean: f64,
    /// Standard error of the prediction: s̃·√(1 + 1/n).
    pub error: f64,
    /// Degrees of freedom: those of the prior and n − 1.
    pub freedom: f64,
}

impl Prior {
    /// Without values `None`. s̃² = (d₀·s₀² + (n − 1)·s²)/(d₀ + n − 1).
    #[expect(clippy::cast_precision_loss, reason = "series are short")]
    pub fn expected(self, history: &[f64]) -> Option<Expected> {
        let n = history.len() as f64;
        let own = sample_standard_deviation(history).unwrap_or(0.0);
        let freedom = self.freedom + n - 1.0;
        let variance = (self.freedom * self.deviation.powi(2) + (n - 1.0) * own.powi(2)) / freedom;
        Some(Expected {
            mean: mean(history)?,
            error: (variance * (1.0 + 1.0 / n)).sqrt(),
            freedom,
        })
    }
}

impl Expected {
    /// Positive for a value above the mean.
    pub fn statistic(&self, value: f64) -> f64 {
        (value - self.mean) / self.error
    }

    /// One-sided: the probability of a statistic this large without a change, if values are normal.
    pub fn p(&self, statistic: f64) -> f64 {
        upper_tail(statistic, self.freedom)
    }

    /// 95 % prediction interval.
    pub fn interval(&self) -> Interval {
        let half = t_score(self.freedom) * self.error;
        Interval {
            low: self.mean - half,
            high: self.mean + half,
        }
    }
}

/// One-sided p of a moderated statistic for values with heavy tails, as those of a t₅ scaled to unit variance (√(5/3)).
pub fn heavy_tailed_p(statistic: f64) -> f64 {
    upper_tail(statistic * (5.0_f64 / 3.0).sqrt(), 5.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIOR: Prior = Prior {
        freedom: 10.0,
        deviation: 0.15,
    };

    /// Without a prior it is the t test of a new observation: scipy 1.17.1 by `tests/oracles/event_statistics.py`.
    #[test]
    fn figures_are_those_of_scipy() {
        let history: Vec<f64> = [5.0_f64, 6.0, 4.0, 5.0, 7.0, 5.0, 6.0, 5.0]
            .map(f64::ln)
            .into();
        let found = PRIOR.expected(&history).unwrap();
        let t = found.statistic(15.0_f64.ln());
        let range = found.interval();
        let figures = [
            t,
            found.p(t),
            heavy_tailed_p(t),
            range.low.exp(),
            range.high.exp(),
        ];
        for (found, golden) in figures.iter().zip(GOLDEN) {
            assert!((found / golden - 1.0).abs() < 1e-7, "{figures:?}");
        }
        assert_eq!(PRIOR.expected(&[]), None);
    }

    const GOLDEN: [f64; 5] = [
        6.187_819_426_894_26,
        4.963_602_531_261_703e-6,
        0.000_248_129_749_295_304_77,
        3.724_638_877_068_618_3,
        7.563_990_336_369_337,
    ];

    proptest! {
        #[test]
        fn the_statistic_shifts_with_its_values_and_grows_with_the_change(
            history in proptest::collection::vec(-3.0_f64..3.0, 1..28),
            value in -3.0_f64..3.0, shift in -9.0_f64..9.0, more in 0.001_f64..3.0
        ) {
            let expected = PRIOR.expected(&history).unwrap();
            let moved: Vec<f64> = history.iter().map(|it| it + shift).collect();
            let again = PRIOR.expected(&moved).unwrap().statistic(value + shift);
            prop_assert!((again - expected.statistic(value)).abs() < 1e-6);
            prop_assert!(expected.statistic(value + more) > expected.statistic(value));
            let range = expected.interval();
            prop_assert!(range.low < expected.mean && expected.mean < range.high);
            prop_assert!((expected.p(expected.statistic(range.high)) - 0.025).abs() < 1e-6);
        }

        #[test]
        fn heavy_tails_are_never_more_significant_than_normal_ones(statistic in 3.0_f64..30.0) {
            prop_assert!(heavy_tailed_p(statistic) >= upper_tail(statistic, 60.0));
        }
    }
}
