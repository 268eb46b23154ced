//! `search_console.clicks_fell`.

use super::event::{EventDraft, EventRun, Subject, SubjectKind, dedupe_key};
use super::kind::{EventKind, EventSeverity};
use super::outcome::{TestName, TestOutcome};
use super::state::{EventState, WeeklyClicks};
use crate::statistics::moderated_t::Prior;
use crate::statistics::wilson::Interval;
use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};
use std::collections::BTreeMap;

/// Full weeks before the last one.
const MAX_WEEKS: u64 = 8;
/// A shorter history decides nothing.
pub const MIN_WEEKS: usize = 4;
/// The newest days of the search console are incomplete.
pub const INCOMPLETE_DAYS: u64 = 3;
/// Of ln(clicks a week + 1), which counts as four weeks (ours).
pub const PRIOR: Prior = Prior {
    freedom: 4.0,
    deviation: 0.20,
};
pub const MAX_P: f64 = 0.01;
/// A week before.
pub const MIN_CLICKS: f64 = 50.0;
/// Share of the clicks before.
pub const MIN_FALL: f64 = 0.20;

/// Clicks of a property.
#[derive(Debug, Clone, Copy)]
pub struct PropertyClicks<'a> {
    pub property: &'a str,
    /// Each known day once, in any order; a day without clicks is 0, an unknown day is missing.
    pub days: &'a [(NaiveDate, u64)],
    /// When the rows arrived.
    pub measured_at: DateTime<Utc>,
}

/// The last full week, Monday to Sunday and at least three days older than the newest day, against the eight before it.
pub fn clicks_fell(run: &EventRun<'_>, of: &PropertyClicks<'_>) -> Option<EventDraft> {
    let newest = of.days.iter().map(|it| it.0).max()?;
    let last_day = newest.checked_sub_days(Days::new(INCOMPLETE_DAYS))?;
    let monday = monday_of(last_day.succ_opt()?).checked_sub_days(Days::new(7))?;
    let weeks = full_weeks(of.days);
    let fall = Fall::of(&weeks, monday)?;
    // After a fall every week is below those before: only the first is reported.
    if Fall::of(&weeks, monday.checked_sub_days(Days::new(7))?).is_some() {
        return None;
    }
    let kind = EventKind::ClicksFell;
    let state = |clicks, weeks| Some(EventState::Clicks(WeeklyClicks { clicks, weeks }));
    let weeks_before = u32::try_from(fall.n).unwrap_or(u32::MAX);
    Some(EventDraft {
        dedupe_key: dedupe_key(kind, &[&of.property, &monday]),
        n: Some(weeks_before),
        test: fall.test,
        effect: 1.0 - fall.clicks / fall.usual,
        ..EventDraft::fact(
            kind,
            EventSeverity::Warning,
            Subject::new(SubjectKind::Property, None, of.property, None),
            (state(fall.usual, weeks_before), state(fall.clicks, 1)),
            of.measured_at,
            run,
            &[],
        )
    })
}

fn monday_of(day: NaiveDate) -> NaiveDate {
    day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into()))
        .unwrap_or(day)
}

/// Clicks by the Monday of weeks with all seven days.
fn full_weeks(days: &[(NaiveDate, u64)]) -> BTreeMap<NaiveDate, f64> {
    let mut weeks: BTreeMap<NaiveDate, (u32, u64)> = BTreeMap::new();
    for (day, clicks) in days {
        let week = weeks.entry(monday_of(*day)).or_default();
        *week = (week.0 + 1, week.1.saturating_add(*clicks));
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let full = weeks
        .into_iter()
        .filter(|(_, it)| it.0 == 7)
        .map(|(day, it)| (day, it.1 as f64));
    full.collect()
}

struct Fall {
    clicks: f64,
    /// Geometric mean of the weeks before.
    usual: f64,
    n: usize,
    test: TestOutcome,
}

impl Fall {
    fn of(weeks: &BTreeMap<NaiveDate, f64>, monday: NaiveDate) -> Option<Self> {
        let clicks = *weeks.get(&monday)?;
        let first = monday.checked_sub_days(Days::new(7 * MAX_WEEKS))?;
        let logs: Vec<f64> = weeks.range(first..monday).map(|it| it.1.ln_1p()).collect();
        if logs.len() < MIN_WEEKS {
            return None;
        }
        let expected = PRIOR.expected(&logs)?;
        let usual = expected.mean.exp_m1();
        let t = expected.statistic(clicks.ln_1p());
        let p = expected.p(-t);
        if usual < MIN_CLICKS || clicks > usual * (1.0 - MIN_FALL) || p > MAX_P {
            return None;
        }
        let range = expected.interval();
        let range = Interval {
            low: range.low.exp_m1().max(0.0),
            high: range.high.exp_m1(),
        };
        let test = TestOutcome::of(TestName::ModeratedT, t, p);
        Some(Self {
            clicks,
            usual,
            n: logs.len(),
            test: test.with_limit(MAX_P).with_range(range),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ToJson;

    const RUN: EventRun<'_> = EventRun {
        job: 1,
        simulated: false,
        method: "",
    };

    /// Full weeks of so many clicks a day, and Monday to Wednesday of the next.
    fn fell(weeks: &[u64]) -> Option<EventDraft> {
        let monday = NaiveDate::from_ymd_opt(2026, 6, 1).unwrap();
        let clicks = weeks.iter().flat_map(|it| [*it; 7]).chain([0; 3]);
        let days: Vec<_> = (0..).map(|it| monday + Days::new(it)).zip(clicks).collect();
        let of = PropertyClicks {
            property: "sc-domain:a.example",
            days: &days,
            measured_at: DateTime::UNIX_EPOCH,
        };
        clicks_fell(&RUN, &of)
    }

    #[test]
    fn half_of_the_clicks_is_a_fall_and_is_reported_once() {
        let event = fell(&[100, 100, 100, 100, 100, 100, 100, 100, 50]).unwrap();
        assert_eq!(
            event.dedupe_key,
            "search_console.clicks_fell:sc-domain:a.example:2026-07-27"
        );
        assert_eq!(event.n, Some(8));
        let text = event.published(None, DateTime::UNIX_EPOCH).to_json();
        assert!(
            text.contains(
                r#""before":{"clicks":700.0,"weeks":8},"after":{"clicks":350.0,"weeks":1}"#
            ),
            "{text}"
        );
        assert_eq!(fell(&[100, 100, 100, 100, 100, 100, 100, 50, 50]), None);
    }

    #[test]
    fn small_falls_few_clicks_and_short_histories_are_none() {
        assert_eq!(fell(&[100, 100, 100, 100, 100, 100, 100, 100, 81]), None);
        assert_eq!(fell(&[7, 7, 7, 7, 7, 7, 7, 7, 0]), None);
        assert_eq!(fell(&[100, 100, 100, 50]), None);
        assert!(fell(&[100, 100, 100, 100, 30]).is_some());
        assert_eq!(fell(&[]), None);
    }

    #[test]
    fn weeks_with_an_unknown_day_or_that_are_too_new_do_not_count() {
        let monday = NaiveDate::from_ymd_opt(2026, 6, 1).unwrap();
        let days = |last: u64, without: Option<u64>| -> Vec<(NaiveDate, u64)> {
            let clicks = |day| if day < 56 { 100 } else { 40 };
            let known = (0..last).filter(|it| Some(*it) != without);
            known
                .map(|it| (monday + Days::new(it), clicks(it)))
                .collect()
        };
        let found = |days: &[(NaiveDate, u64)]| {
            let measured_at = DateTime::UNIX_EPOCH;
            clicks_fell(
                &RUN,
                &PropertyClicks {
                    property: "p",
                    days,
                    measured_at,
                },
            )
        };
        assert!(found(&days(66, None)).is_some());
        // The week ends two days before the newest day.
        assert!(found(&days(65, None)).is_none());
        assert!(found(&days(66, Some(60))).is_none());
        assert_eq!(found(&days(66, Some(3))).unwrap().n, Some(7));
    }
}
