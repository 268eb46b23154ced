//! Effects of fixes.

use super::mutations::link;
use super::project::*;
use super::*;
use chrono::TimeDelta;
use proptest::prelude::*;

fn fixed(rule: &str, variant: Option<&str>) -> SuggestionRecord {
    let mut project = Project::clean();
    project
        .links
        .push(link(1, "https://example.com/gone", "notFound", true));
    let mut record = project.suggestions().remove(0);
    record.rule_id = rule.to_owned();
    record.variant = variant.map(str::to_owned);
    record.state = State::Fixed;
    record.fixed_at = Some(now() + TimeDelta::days(1));
    record
}

/// One value a day from 28 days before to `days` after.
fn daily(days: i64, of: impl Fn(i64) -> f64) -> Vec<Observation> {
    (-28..days)
        .map(|day| Observation {
            at: now() + TimeDelta::days(day),
            value: of(day),
        })
        .collect()
}

/// Positions around 9 before and 4 after, with weekly fluctuation.
fn better(day: i64) -> f64 {
    let wobble = [0.0, 0.5, -0.5, 0.25][usize::try_from((day + 28) / 7 % 4).unwrap()];
    if day <= 0 { 9.0 + wobble } else { 4.0 + wobble }
}

#[test]
fn better_positions_and_more_clicks_are_improvements() {
    let after = now() + TimeDelta::days(60);
    let series = daily(60, better);
    let positions = fixed("strikingDistance", None);
    let found = positions
        .effect(&EffectSeries::Values(&series), after)
        .unwrap();
    assert_eq!(
        (found.metric, found.verdict),
        (EffectMetric::Position, Verdict::Improved)
    );
    assert_eq!((found.before.weeks, found.after.weeks), (4, 4));
    assert!((found.before.value.unwrap() - 9.0).abs() < 0.2, "{found:?}");
    let (low, high) = (found.low.unwrap(), found.high.unwrap());
    assert!(low < found.difference.unwrap() && found.difference.unwrap() < high && high < 0.0);
    // The same figures as clicks are a loss.
    let clicks = fixed("titleMissing", None);
    let found = clicks
        .effect(&EffectSeries::Values(&series), after)
        .unwrap();
    assert_eq!(
        (found.metric, found.verdict),
        (EffectMetric::Clicks, Verdict::Worse)
    );
}

#[test]
fn verdict_is_too_early_for_four_weeks() {
    let positions = fixed("strikingDistance", None);
    // Fixed on day 1, settled on day 8, over on day 36.
    for (days, verdict) in [
        (9, Verdict::TooEarly),
        (35, Verdict::TooEarly),
        (36, Verdict::Improved),
    ] {
        let series = daily(days, better);
        let at = now() + TimeDelta::days(days);
        let found = positions
            .effect(&EffectSeries::Values(&series), at)
            .unwrap();
        assert_eq!(found.verdict, verdict, "{days}");
    }
    // Too few values after the fix.
    let at = now() + TimeDelta::days(60);
    let found = positions
        .effect(&EffectSeries::Values(&daily(10, better)), at)
        .unwrap();
    assert_eq!((found.verdict, found.low), (Verdict::TooEarly, None));
    // Field data take 28 days more.
    let vitals = fixed("lcpPoor", Some("field"));
    let series = daily(80, |day| if day < 20 { 4_000.0 } else { 2_000.0 });
    for (days, verdict) in [(56, Verdict::TooEarly), (57, Verdict::Improved)] {
        let at = now() + TimeDelta::days(days);
        let found = vitals.effect(&EffectSeries::Values(&series), at).unwrap();
        assert_eq!(found.verdict, verdict, "{days}");
    }
}

#[test]
fn rates_are_compared_by_their_counts() {
    let ctr = fixed("ctrGap", None);
    let days = |after: u64| -> Vec<Trials> {
        (-28..60)
            .map(|day| Trials {
                at: now() + TimeDelta::days(day),
                successes: if day <= 0 { 2 } else { after },
                trials: 100,
            })
            .collect()
    };
    let at = now() + TimeDelta::days(60);
    let of = |after| ctr.effect(&EffectSeries::Rates(&days(after)), at).unwrap();
    assert_eq!(of(5).verdict, Verdict::Improved);
    assert_eq!(of(2).verdict, Verdict::Unchanged);
    assert_eq!(of(0).verdict, Verdict::Worse);
    let found = of(5);
    // 29 days from the first to the last moment; Newcombe of 145/2900 and 58/2900 is in its own tests.
    assert_eq!((found.before.n, found.after.n), (2_900, 2_900));
    assert!((found.difference.unwrap() - 0.03).abs() < 1e-9);
    let interval = crate::statistics::newcombe::newcombe((145, 2_900), (58, 2_900)).unwrap();
    assert_eq!(
        (found.low, found.high),
        (Some(interval.low), Some(interval.high))
    );
}

#[test]
fn no_effect_without_fix_series_or_earlier_values() {
    let at = now() + TimeDelta::days(60);
    let series = daily(60, better);
    let mut open = fixed("strikingDistance", None);
    let later: Vec<Observation> = series.iter().copied().filter(|it| it.at > now()).collect();
    assert_eq!(open.effect(&EffectSeries::Values(&later), at), None);
    assert_eq!(open.effect(&EffectSeries::Rates(&[]), at), None);
    open.state = State::Open;
    assert_eq!(open.effect(&EffectSeries::Values(&series), at), None);
    let unmeasured = fixed("eeatSiteSignal", None);
    assert_eq!(unmeasured.effect(&EffectSeries::Values(&series), at), None);
}

proptest! {
    #[test]
    fn verdict_ignores_order_and_flips_with_the_sign(
        values in proptest::collection::vec(1.0_f64..50.0, 88)
    ) {
        let positions = fixed("strikingDistance", None);
        let clicks = fixed("titleMissing", None);
        let at = now() + TimeDelta::days(60);
        let series = daily(60, |day| values[usize::try_from(day + 28).unwrap()]);
        let mut turned = series.clone();
        turned.reverse();
        let one = positions.effect(&EffectSeries::Values(&series), at);
        prop_assert_eq!(&one, &positions.effect(&EffectSeries::Values(&turned), at));
        let other = clicks.effect(&EffectSeries::Values(&series), at).unwrap().verdict;
        let opposite = match one.unwrap().verdict {
            Verdict::Improved => Verdict::Worse,
            Verdict::Worse => Verdict::Improved,
            same => same,
        };
        prop_assert_eq!(other, opposite);
    }
}
