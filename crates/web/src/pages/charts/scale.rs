use super::{super::components::format_number, HEIGHT};

/// Position axes reach at least to here: the first page of results.
const MIN_AXIS_POSITION: f64 = 10.0;

#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    step: f64,
    inverted: bool,
}

impl Scale {
    /// `inverted` puts small values, such as good positions, at the top.
    pub fn around(values: impl Iterator<Item = f64>, floor: Option<f64>, inverted: bool) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|it| it.is_finite()).chain(floor) {
            low = low.min(value);
            high = high.max(value);
        }
        if !low.is_finite() {
            (low, high) = (0.0, 1.0);
        }
        // A stable good position is drawn near the top.
        if inverted {
            high = high.max(MIN_AXIS_POSITION);
        }
        if high - low < 1e-9 {
            let margin = if high.abs() < 1e-9 {
                1.0
            } else {
                high.abs() / 2.0
            };
            high += margin;
            low = if low >= 0.0 {
                (low - margin).max(0.0)
            } else {
                low - margin
            };
        }
        let step = nice((high - low) / 4.0);
        let step = if inverted { step.max(1.0).ceil() } else { step };
        let low = (low / step).floor() * step;
        // Positions begin at 1, so ticks are whole numbers from there.
        let low = if inverted { low.max(1.0) } else { low };
        let high = low + ((high - low) / step).ceil() * step;
        Self {
            low,
            high,
            step,
            inverted,
        }
    }

    /// From the top, within `HEIGHT`.
    pub fn y(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        let share = if self.inverted { share } else { 1.0 - share };
        (share * HEIGHT).clamp(0.0, HEIGHT)
    }

    fn count(&self) -> u32 {
        let steps = ((self.high - self.low) / self.step).round();
        let mut count = 1;
        while f64::from(count) + 0.5 < steps {
            count += 1;
        }
        count.min(8)
    }

    /// From the top down.
    pub fn ticks(&self) -> Vec<f64> {
        let count = self.count();
        let ticks = (0..=count).map(|at| {
            let share = f64::from(at) / f64::from(count);
            let share = if self.inverted { share } else { 1.0 - share };
            self.low + share * (self.high - self.low)
        });
        ticks.collect()
    }

    /// `times` is 100 if fractions are shown in percent.
    pub fn labels(&self, times: f64, after: &str) -> Vec<String> {
        let digits = match self.step * times {
            step if step >= 1.0 => 0,
            step if step >= 0.1 => 1,
            step if step >= 0.01 => 2,
            _ => 3,
        };
        let ticks = self.ticks().into_iter();
        ticks
            .map(|it| format!("{}{after}", format_number(it * times, digits)))
            .collect()
    }
}

/// The next larger of 1, 2, 2.5, 5 and 10 times a power of ten.
fn nice(step: f64) -> f64 {
    let size = 10_f64.powf(step.log10().floor());
    let found = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .find(|it| it * size >= step - 1e-12);
    found.unwrap_or(10.0) * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_values_that_enclose_the_data() {
        let scale = Scale::around([3.2, 41.0].into_iter(), Some(0.0), false);
        assert_eq!(scale.labels(1.0, ""), ["60", "40", "20", "0"]);
        assert_eq!(
            (scale.y(0.0), scale.y(60.0), scale.y(30.0)),
            (HEIGHT, 0.0, HEIGHT / 2.0)
        );
    }

    #[test]
    fn best_position_is_at_the_top() {
        let scale = Scale::around([2.0, 30.0].into_iter(), None, true);
        assert!(scale.y(2.0) < scale.y(30.0));
        assert_eq!(scale.labels(1.0, ""), ["1", "11", "21", "31"]);
        assert!(scale.y(1.0).abs() < 1e-9);
        let scale = Scale::around([62.0, 90.0].into_iter(), None, true);
        assert_eq!(scale.labels(1.0, ""), ["60", "70", "80", "90"]);
    }

    #[test]
    fn a_constant_position_3_is_near_the_top() {
        let scale = Scale::around([3.0, 3.0].into_iter(), Some(1.0), true);
        assert_eq!(scale.labels(1.0, ""), ["1", "4", "7", "10"]);
        assert!(scale.y(3.0) < HEIGHT / 3.0);
    }

    #[test]
    fn equal_or_missing_values_have_a_finite_scale() {
        for values in [vec![], vec![0.0], vec![5.0, 5.0], vec![f64::NAN]] {
            let scale = Scale::around(values.into_iter(), None, false);
            assert!(scale.ticks().iter().all(|it| it.is_finite()));
            assert!(scale.ticks().len() >= 2);
        }
    }
}
