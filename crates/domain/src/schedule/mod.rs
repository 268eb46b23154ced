//! Schedules: analyses that start automatically.

use crate::ids::{AccountId, ProjectId};
use crate::job::kind::AnalysisKind;
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use sha2::{Digest, Sha256};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Start times are spread over this time after the hour, to avoid a stampede at midnight.
const SPREAD: TimeDelta = TimeDelta::minutes(30);

/// An analysis of a project that starts automatically. A project has at most one of each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub account: AccountId,
    pub project: ProjectId,
    pub kind: AnalysisKind,
    pub recurrence: Recurrence,
    pub next_at: DateTime<Utc>,
    /// When it was last due.
    pub last_at: Option<DateTime<Utc>>,
    /// Why no job was started then; `None` if one was.
    pub last_refusal: Option<String>,
}

/// How often, and at what local time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurrence {
    pub days: Days,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    pub zone: Tz,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    Daily,
    /// Day of the week, 1 (Monday) to 7.
    Weekly(u8),
    /// Day of the month, 1 to 28.
    Monthly(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecurrenceRefusal {
    #[error("must be `daily`, `weekly:monday` to `weekly:sunday`, or `monthly:1` to `monthly:28`")]
    Days,
    #[error("must be a time of the day such as 02:30")]
    Time,
    #[error("must be a time zone of the IANA database such as Europe/Berlin or UTC")]
    Zone,
}

const WEEK: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

impl Recurrence {
    /// `daily`, `weekly:monday`, `monthly:1`; `02:30`; `Europe/Berlin`.
    pub fn parse(days: &str, time: &str, zone: &str) -> Result<Self, RecurrenceRefusal> {
        let (hour, minute) = time.split_once(':').ok_or(RecurrenceRefusal::Time)?;
        let number = |text: &str, below: u8| {
            let number = digits(text).filter(|it| *it < below);
            number
                .filter(|_| text.len() == 2)
                .ok_or(RecurrenceRefusal::Time)
        };
        Ok(Self {
            days: Days::from_str(days)?,
            hour: number(hour, 24)?,
            minute: number(minute, 60)?,
            zone: zone.parse().map_err(|_| RecurrenceRefusal::Zone)?,
        })
    }

    pub fn time(self) -> String {
        format!("{:02}:{:02}", self.hour, self.minute)
    }

    /// The first time after `now`. A local time skipped by daylight saving moves to the end of the
    /// gap; a repeated one counts once, the first time.
    pub fn next(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&self.zone).date_naive();
        let mut times = { today.iter_days() }
            .filter(|day| self.days.include(*day))
            .map(|day| self.on(day));
        let found = times.find(|it| *it > now);
        found.unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    fn on(self, day: NaiveDate) -> DateTime<Utc> {
        let midnight = day.and_time(NaiveTime::MIN);
        let wanted = i64::from(self.hour) * 60 + i64::from(self.minute);
        // No time zone has ever skipped more than a day.
        let mut minutes = (wanted..=wanted + 24 * 60).map(TimeDelta::minutes);
        let there = minutes.find_map(|it| {
            let time = midnight.checked_add_signed(it)?;
            self.zone.from_local_datetime(&time).earliest()
        });
        there.map_or(midnight.and_utc(), |it| it.with_timezone(&Utc))
    }

    /// Occurrences within 30 days.
    pub fn times_in_30_days(self, now: DateTime<Utc>) -> u32 {
        let end = now + TimeDelta::days(30);
        let mut at = self.next(now);
        let mut times = 0;
        while at <= end {
            times += 1;
            at = self.next(at);
        }
        times
    }
}

/// Digits only: Rust also parses a sign.
fn digits(text: &str) -> Option<u8> {
    let is_plain = text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

impl Days {
    fn include(self, day: NaiveDate) -> bool {
        match self {
            Self::Daily => true,
            Self::Weekly(weekday) => day.weekday().number_from_monday() == u32::from(weekday),
            Self::Monthly(number) => day.day() == u32::from(number),
        }
    }
}

impl FromStr for Days {
    type Err = RecurrenceRefusal;

    fn from_str(text: &str) -> Result<Self, RecurrenceRefusal> {
        if text == "daily" {
            return Ok(Self::Daily);
        }
        if let Some(day) = text.strip_prefix("weekly:") {
            let day = (1..).zip(WEEK).find_map(|(n, it)| (it == day).then_some(n));
            return day.map(Self::Weekly).ok_or(RecurrenceRefusal::Days);
        }
        let day = text.strip_prefix("monthly:").and_then(digits);
        day.filter(|it| (1..=28).contains(it))
            .map(Self::Monthly)
            .ok_or(RecurrenceRefusal::Days)
    }
}

/// The name of a day of [`Days::Weekly`], in lowercase.
pub fn weekday(day: u8) -> &'static str {
    WEEK.get(usize::from(day).wrapping_sub(1))
        .unwrap_or(&WEEK[0])
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Daily => f.write_str("daily"),
            Self::Weekly(day) => write!(f, "weekly:{}", weekday(*day)),
            Self::Monthly(day) => write!(f, "monthly:{day}"),
        }
    }
}

impl Schedule {
    pub fn new(
        account: AccountId,
        project: ProjectId,
        kind: AnalysisKind,
        rhythm: Recurrence,
        now: DateTime<Utc>,
    ) -> Self {
        let mut schedule = Self {
            account,
            project,
            kind,
            recurrence: rhythm,
            next_at: now,
            last_at: None,
            last_refusal: None,
        };
        schedule.next_at = schedule.next_firing(now);
        schedule
    }

    /// State after it was due; missed times run once, not each.
    #[must_use]
    pub fn fired(&self, now: DateTime<Utc>, refusal: Option<String>) -> Self {
        Self {
            next_at: self.next_firing(now),
            last_at: Some(self.next_at),
            last_refusal: refusal,
            ..self.clone()
        }
    }

    /// The first firing after `now`, moved by this schedule's own offset.
    fn next_firing(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let own = self.stable_offset();
        self.recurrence.next(now - own) + own
    }

    /// Constant offset after the hour that differs between most schedules.
    fn stable_offset(&self) -> TimeDelta {
        let mut hash = Sha256::new();
        hash.update(self.account.0.to_be_bytes());
        hash.update(self.project.0.to_be_bytes());
        hash.update(self.kind.name());
        let digest: [u8; 32] = hash.finalize().into();
        let number = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        TimeDelta::seconds(i64::from(number) % SPREAD.num_seconds())
    }
}

#[cfg(test)]
mod recurrence_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn rhythm(days: &str, time: &str, zone: &str) -> Recurrence {
        Recurrence::parse(days, time, zone).unwrap()
    }

    #[test]
    fn recurrences_occur_at_their_local_time() {
        for (days, time, zone, now, next) in [
            (
                "daily",
                "02:30",
                "UTC",
                "2026-11-22T02:29:59Z",
                "2026-11-22T02:30:00Z",
            ),
            (
                "daily",
                "02:30",
                "UTC",
                "2026-11-22T02:30:00Z",
                "2026-11-23T02:30:00Z",
            ),
            (
                "daily",
                "06:00",
                "Asia/Tokyo",
                "2026-11-22T00:00:00Z",
                "2026-11-22T21:00:00Z",
            ),
            (
                "weekly:sunday",
                "23:59",
                "UTC",
                "2026-11-23T00:00:00Z",
                "2026-11-29T23:59:00Z",
            ),
            (
                "weekly:monday",
                "00:00",
                "UTC",
                "2026-11-22T12:00:00Z",
                "2026-11-23T00:00:00Z",
            ),
            (
                "monthly:28",
                "12:00",
                "UTC",
                "2026-02-28T12:00:00Z",
                "2026-03-28T12:00:00Z",
            ),
            // Daylight saving skips this hour on that day, …
            (
                "daily",
                "02:30",
                "Europe/Berlin",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:00:00Z",
            ),
            // … and repeats it on this one.
            (
                "daily",
                "02:30",
                "Europe/Berlin",
                "2026-10-24T12:00:00Z",
                "2026-10-25T00:30:00Z",
            ),
            (
                "daily",
                "02:30",
                "Europe/Berlin",
                "2026-10-25T00:30:00Z",
                "2026-10-26T01:30:00Z",
            ),
        ] {
            assert_eq!(
                rhythm(days, time, zone).next(at(now)),
                at(next),
                "{days} {time} {zone}"
            );
        }
    }

    #[test]
    fn an_invalid_recurrence_is_refused_with_its_valid_forms() {
        for (days, time, zone, refusal) in [
            ("hourly", "02:30", "UTC", RecurrenceRefusal::Days),
            ("weekly", "02:30", "UTC", RecurrenceRefusal::Days),
            ("monthly:29", "02:30", "UTC", RecurrenceRefusal::Days),
            ("monthly:0", "02:30", "UTC", RecurrenceRefusal::Days),
            ("monthly:+5", "02:30", "UTC", RecurrenceRefusal::Days),
            ("weekly:", "02:30", "UTC", RecurrenceRefusal::Days),
            ("daily", "24:00", "UTC", RecurrenceRefusal::Time),
            ("daily", "02:60", "UTC", RecurrenceRefusal::Time),
            ("daily", "+2:30", "UTC", RecurrenceRefusal::Time),
            ("daily", "02:+5", "UTC", RecurrenceRefusal::Time),
            ("daily", "2:30", "UTC", RecurrenceRefusal::Time),
            ("daily", "noon", "UTC", RecurrenceRefusal::Time),
            ("daily", "02:30", "Berlin", RecurrenceRefusal::Zone),
        ] {
            assert_eq!(
                Recurrence::parse(days, time, zone),
                Err(refusal),
                "{days} {time} {zone}"
            );
        }
    }

    #[test]
    fn recurrences_survive_a_round_trip() {
        for days in [
            "daily",
            "weekly:monday",
            "weekly:sunday",
            "monthly:1",
            "monthly:28",
        ] {
            assert_eq!(rhythm(days, "02:05", "UTC").days.to_string(), days);
        }
        assert_eq!(rhythm("daily", "02:05", "UTC").time(), "02:05");
    }

    #[test]
    fn runs_in_30_days_are_counted() {
        let now = at("2026-11-22T12:00:00Z");
        let times = |days| rhythm(days, "02:30", "UTC").times_in_30_days(now);
        assert_eq!(
            (times("daily"), times("weekly:monday"), times("monthly:1")),
            (30, 5, 1)
        );
    }

    fn schedule(project: i64, now: DateTime<Utc>) -> Schedule {
        let rhythm = rhythm("daily", "02:30", "UTC");
        Schedule::new(
            AccountId(1),
            ProjectId(project),
            AnalysisKind::RankCheck,
            rhythm,
            now,
        )
    }

    #[test]
    fn missed_firings_are_caught_up_once() {
        let begun = schedule(1, at("2026-11-01T00:00:00Z"));
        let late = at("2026-11-22T12:00:00Z");
        let fired = begun.fired(late, None);
        assert_eq!(fired.last_at, Some(begun.next_at));
        assert!(fired.next_at > late);
        assert!(fired.next_at < late + TimeDelta::days(1));
        // The refusal stays until the next firing.
        let refused = fired.fired(late, Some("no".to_owned()));
        assert_eq!(refused.last_refusal.as_deref(), Some("no"));
        assert_eq!(refused.fired(late, None).last_refusal, None);
    }

    #[test]
    fn schedules_of_the_same_hour_are_spread() {
        let now = at("2026-11-22T00:00:00Z");
        let mut by_minute = [0; 30];
        for project in 1..=3_000 {
            let minute =
                (schedule(project, now).next_at - at("2026-11-22T02:30:00Z")).num_minutes();
            by_minute[usize::try_from(minute).unwrap()] += 1;
        }
        // Mean 100, standard deviation 10.
        for count in by_minute {
            assert!((60..140).contains(&count), "{by_minute:?}");
        }
    }

    proptest! {
        #[test]
        fn firings_lie_within_the_spread_and_advance(project in 1_i64..1_000_000, days in 0_i64..400, seconds in 0_i64..86_400) {
            let now = at("2026-01-01T00:00:00Z") + TimeDelta::days(days) + TimeDelta::seconds(seconds);
            let begun = schedule(project, now);
            prop_assert!(begun.next_at > now);
            prop_assert!(begun.next_at <= now + TimeDelta::days(1));
            let behind = begun.next_at - begun.recurrence.next(begun.next_at - SPREAD);
            prop_assert!(behind >= TimeDelta::zero() && behind < SPREAD);
            // Fired on time, it is due again exactly a day later.
            let fired = begun.fired(begun.next_at, None);
            prop_assert_eq!(fired.next_at - begun.next_at, TimeDelta::days(1));
        }
    }
}
