//! History of shares and competitors, long enough to compare with a month ago.

use analysis::findings::competitors::{CompetitorRecord, EarlierCompetitor};
use analysis::findings::sov::EarlierPages;
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Minimum and maximum age: a run may be a day or two late.
type AgeRange = (Days, Days);
const A_WEEK: AgeRange = (Days::new(7), Days::new(9));
const A_MONTH: AgeRange = (Days::new(30), Days::new(37));
/// Minimum distance of days older than a week: the month-ago window is a week wide.
const MIN_SPACING: Days = Days::new(3);
/// Domains kept per day, largest first.
const MAX_DOMAINS_PER_DAY: usize = 200;
/// Domains kept as known competitors.
const MAX_KNOWN_DOMAINS: usize = 2_000;

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PageHistory(BTreeMap<NaiveDate, EarlierPages>);

impl PageHistory {
    /// The newest pages of 7 to 9 days before.
    pub(super) fn a_week_before(&self, day: NaiveDate) -> Option<&EarlierPages> {
        newest_within(&self.0, day, A_WEEK)
    }

    /// The newest pages of 30 to 37 days before.
    pub(super) fn a_month_before(&self, day: NaiveDate) -> Option<&EarlierPages> {
        newest_within(&self.0, day, A_MONTH)
    }

    /// Replaces the day's earlier entry.
    pub(super) fn remember(&mut self, day: NaiveDate, pages: EarlierPages) {
        self.0.insert(day, pages);
        forget(&mut self.0, day);
        thin(&mut self.0, day);
    }
}

analysis::json!(PageHistory);

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct CompetitorHistory {
    first_seen: BTreeMap<String, DateTime<Utc>>,
    shares: BTreeMap<NaiveDate, DayShares>,
}

analysis::json!(CompetitorHistory);

#[derive(Debug, Default, Serialize, Deserialize)]
struct DayShares {
    curve: String,
    method: String,
    shares: BTreeMap<String, f64>,
}

impl CompetitorHistory {
    /// Earlier values, where the same curve and method make them comparable.
    pub(super) fn as_of(&self, day: NaiveDate, curve: &str) -> BTreeMap<String, EarlierCompetitor> {
        let method = analysis::findings::competitors::METHOD_VERSION;
        let before = newest_within(&self.shares, day, A_MONTH)
            .filter(|it| it.curve == curve && it.method == method);
        let share = |domain: &String| before?.shares.get(domain).copied();
        let known = self.first_seen.iter().map(|(domain, first)| {
            let earlier = EarlierCompetitor {
                first_seen_at: *first,
                sov_30_days_ago: share(domain),
            };
            (domain.clone(), earlier)
        });
        known.collect()
    }

    /// Replaces the day's earlier entry.
    pub(super) fn remember(&mut self, day: NaiveDate, curve: &str, records: &[CompetitorRecord]) {
        for record in records {
            let is_known = self.first_seen.contains_key(&record.domain);
            if is_known || self.first_seen.len() < MAX_KNOWN_DOMAINS {
                self.first_seen
                    .entry(record.domain.clone())
                    .or_insert(record.first_seen_at);
            }
        }
        let shares = records
            .iter()
            .filter_map(|it| Some((it.domain.clone(), it.sov?)));
        let of_the_day = DayShares {
            curve: curve.to_owned(),
            method: analysis::findings::competitors::METHOD_VERSION.to_owned(),
            shares: shares.take(MAX_DOMAINS_PER_DAY).collect(),
        };
        self.shares.insert(day, of_the_day);
        forget(&mut self.shares, day);
    }
}

fn newest_within<T>(
    days: &BTreeMap<NaiveDate, T>,
    day: NaiveDate,
    (min_age, max_age): AgeRange,
) -> Option<&T> {
    let window = (day - max_age)..=(day - min_age);
    days.range(window).next_back().map(|(_, it)| it)
}

/// Removes days too old for any comparison.
fn forget<T>(days: &mut BTreeMap<NaiveDate, T>, today: NaiveDate) {
    days.retain(|day, _| *day >= today - A_MONTH.1);
}

/// Thins out days too old for the week-ago comparison.
fn thin<T>(days: &mut BTreeMap<NaiveDate, T>, today: NaiveDate) {
    let mut kept: Option<NaiveDate> = None;
    days.retain(|day, _| {
        let is_needed = *day >= today - A_WEEK.1 || kept.is_none_or(|it| *day >= it + MIN_SPACING);
        if is_needed {
            kept = Some(*day);
        }
        is_needed
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(n)
    }

    #[test]
    fn month_ago_is_the_newest_of_30_to_37_days_ago() {
        let days: BTreeMap<NaiveDate, u64> = [0, 2, 5, 9, 36].map(|it| (day(it), it)).into();
        let before = |n| newest_within(&days, day(n), A_MONTH).copied();
        assert_eq!(before(36), Some(5));
        assert_eq!(before(29), None);
        assert_eq!(before(30), Some(0));
        assert_eq!(before(46), Some(9));
        assert_eq!(before(47), None);
    }

    #[test]
    fn week_ago_is_7_to_9_days_ago() {
        let days: BTreeMap<NaiveDate, u64> = [0, 2].map(|it| (day(it), it)).into();
        let before = |n| newest_within(&days, day(n), A_WEEK).copied();
        assert_eq!(
            [6, 7, 9, 11, 12].map(before),
            [None, Some(0), Some(2), Some(2), None]
        );
    }

    #[test]
    fn days_too_old_to_compare_are_dropped() {
        let mut days: BTreeMap<NaiveDate, u64> = (0..60).map(|it| (day(it), it)).collect();
        forget(&mut days, day(59));
        assert_eq!((days.len(), days.keys().min()), (38, Some(&day(22))));
    }

    #[test]
    fn daily_checks_are_always_compared_with_a_week_and_a_month_ago() {
        let mut days: BTreeMap<NaiveDate, u64> = BTreeMap::new();
        for today in 0..120 {
            days.insert(day(today), today);
            forget(&mut days, day(today));
            thin(&mut days, day(today));
            assert_eq!(
                newest_within(&days, day(today), A_WEEK).is_some(),
                today >= 7
            );
            assert_eq!(
                newest_within(&days, day(today), A_MONTH).is_some(),
                today >= 30
            );
            assert!(days.len() <= 21, "{today}: {}", days.len());
        }
    }

    #[test]
    fn weekly_checks_lose_no_day() {
        let mut days: BTreeMap<NaiveDate, u64> = (0..5).map(|it| (day(7 * it), it)).collect();
        thin(&mut days, day(28));
        assert_eq!(days.len(), 5);
    }
}
