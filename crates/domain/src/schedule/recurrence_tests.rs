//! Schedule times compared with the oracle `tests/oracles/schedules.py`, and invariants.

use super::*;
use proptest::prelude::*;

/// Zone, days, local time, now, next.
const TIMES: &str = include_str!("../../testdata/schedule_times.csv");
/// Zones with changes at any hour, by half an hour and by two, at midnight, and never.
const ZONES: [Tz; 8] = [
    Tz::UTC,
    Tz::Europe__Berlin,
    Tz::America__Havana,
    Tz::America__Santiago,
    Tz::Australia__Lord_Howe,
    Tz::Pacific__Chatham,
    Tz::Antarctica__Troll,
    Tz::Africa__Cairo,
];

#[test]
fn every_recurrence_agrees_with_an_independent_calendar() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for row in TIMES.lines().skip(1) {
        let [zone, days, time, now, next] = row.split(',').collect::<Vec<_>>().try_into().unwrap();
        let rhythm = Recurrence::parse(days, time, zone).unwrap();
        let ours = rhythm.next(now.parse().unwrap());
        compared += 1;
        if ours != next.parse::<DateTime<Utc>>().unwrap() {
            wrong.push(format!("{row}: {ours}"));
        }
    }
    assert!(compared > 3_000, "{compared}");
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_recurrence_occurs_within_a_month() {
    let now = "2026-11-22T12:00:00Z".parse::<DateTime<Utc>>().unwrap();
    let weekly = (1..=7).map(Days::Weekly);
    let monthly = (1..=28).map(Days::Monthly);
    for days in [Days::Daily].into_iter().chain(weekly).chain(monthly) {
        for (hour, minute) in (0..24).flat_map(|it| [0, 1, 29, 59].map(|minute| (it, minute))) {
            let zone = Tz::UTC;
            let rhythm = Recurrence {
                days,
                hour,
                minute,
                zone,
            };
            assert!(rhythm.next(now) - now <= TimeDelta::days(31), "{rhythm:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_day_is_left_out_and_none_counts_twice(zone in 0..ZONES.len(), hour in 0_u8..24, minute in 0_u8..60, start in 0_i64..1_400) {
        let rhythm = Recurrence { days: Days::Daily, hour, minute, zone: ZONES[zone] };
        let mut at = "2024-01-01T00:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::days(start);
        let mut day = None;
        for _ in 0..60 {
            at = rhythm.next(at);
            let local = at.with_timezone(&rhythm.zone).naive_local();
            // A gap of at most two hours delays it on the same day, unless the gap ends at midnight.
            let today = local.date();
            if let Some(yesterday) = day {
                prop_assert_eq!(today - yesterday, TimeDelta::days(1), "{}", at);
            }
            day = Some(today);
            let wanted = local.date().and_hms_opt(u32::from(hour), u32::from(minute), 0).unwrap();
            prop_assert!(local >= wanted && local - wanted <= TimeDelta::hours(2), "{} for {}", local, wanted);
        }
    }
}
