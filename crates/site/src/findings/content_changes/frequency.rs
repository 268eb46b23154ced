use super::record::ChangeFrequency;
use chrono::TimeDelta;

const DAYS: f64 = 30.0;
/// Minimum observation for a monthly rate: each weekday once, since many sites have a weekly rhythm. Our choice: two
/// visits minutes apart would give thousands of changes a month.
const MIN_SPAN: TimeDelta = TimeDelta::days(7);
const MILLISECONDS_A_DAY: f64 = 86_400_000.0;

/// Changes per interval between two visits, if X = `changed` of n = `intervals` showed one:
/// λ = −ln((n − X + 0.5)/(n + 0.5)), the estimator of Cho and Garcia-Molina ("Estimating frequency
/// of change", 2003, section 4.2) for a regularly sampled Poisson process. The naive X/n misses
/// repeated changes within one interval. `None` without an interval.
pub fn rate_per_interval(intervals: u32, changed: u32) -> Option<f64> {
    let (all, changed) = (f64::from(intervals), f64::from(changed.min(intervals)));
    // ln(1) must not become −0.
    (intervals > 0).then(|| -((all - changed + 0.5) / (all + 0.5)).ln() + 0.0)
}

pub fn frequency(intervals: u32, changed: u32, span: TimeDelta) -> ChangeFrequency {
    let rate = rate_per_interval(intervals, changed);
    #[expect(clippy::cast_precision_loss, reason = "centuries are below 2^52 ms")]
    let days = span.num_milliseconds() as f64 / MILLISECONDS_A_DAY / f64::from(intervals);
    ChangeFrequency {
        changes_per_30d: { rate.filter(|_| span >= MIN_SPAN) }.map(|it| it * DAYS / days),
        estimator_lambda: rate,
        intervals,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_published_estimator() {
        // −ln(24.5/30.5)
        let rate = rate_per_interval(30, 6).unwrap();
        assert!((rate - 0.219_054).abs() < 5e-7, "{rate}");
        assert_eq!(rate_per_interval(0, 0), None);
        assert_eq!(rate_per_interval(4, 0), Some(0.0));
        // All changed: finite, unlike −ln(1 − X/n).
        assert!((rate_per_interval(5, 5).unwrap() - 11_f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn monthly_rates_scale_with_the_visit_interval() {
        let weekly = frequency(30, 6, TimeDelta::days(210));
        let expected = 0.219_053_8 * 30.0 / 7.0;
        assert!((weekly.changes_per_30d.unwrap() - expected).abs() < 1e-5);
        assert_eq!(frequency(3, 1, TimeDelta::zero()).changes_per_30d, None);
        assert_eq!(frequency(0, 0, TimeDelta::zero()).changes_per_30d, None);
    }

    #[test]
    fn monthly_rates_need_a_week_of_observation() {
        let watched = |span| frequency(1, 1, span);
        let early = watched(TimeDelta::minutes(10));
        assert_eq!(early.changes_per_30d, None);
        assert!((early.estimator_lambda.unwrap() - 3_f64.ln()).abs() < 1e-12);
        let short = TimeDelta::days(7) - TimeDelta::seconds(1);
        assert_eq!(watched(short).changes_per_30d, None);
        let week = watched(TimeDelta::days(7)).changes_per_30d.unwrap();
        assert!((week - 3_f64.ln() * 30.0 / 7.0).abs() < 1e-12);
    }
}
