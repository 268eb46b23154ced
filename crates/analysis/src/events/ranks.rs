//! `rank.changed`, `keyword.entered`, `keyword.lost`, `keyword.url_changed`.

use super::event::{EventDraft, EventRun, Subject, dedupe_key};
use super::kind::{EventKind, EventSeverity};
use super::outcome::{TestName, TestOutcome};
use super::state::{EventState, PageUrl, RankFigure};
use super::{budget::AlarmBudget, label};
use crate::findings::rankings::{RankPoint, RankState};
use crate::statistics::moderated_t::{Prior, heavy_tailed_p};
use crate::statistics::wilson::Interval;
use crate::url_rules::page_key;
use chrono::{DateTime, Datelike, NaiveDate, Utc};

/// Expected in a month, over all keywords.
pub const FALSE_ALARMS: f64 = 0.25;
/// Measured days before the present one.
pub const MAX_HISTORY: usize = 28;
/// A shorter history decides by places alone.
pub const MIN_HISTORY: usize = 8;
/// A shorter one decides nothing.
pub const MIN_SHORT_HISTORY: usize = 3;
/// Of ln(position): that of stable keywords, which counts as ten measurements (ours).
pub const PRIOR: Prior = Prior {
    freedom: 10.0,
    deviation: 0.15,
};
/// A change in the top 20.
pub const MIN_PLACES: u32 = 3;
pub const NEAR_TOP: u32 = 20;
/// A change below.
pub const MIN_PLACES_BELOW: u32 = 10;
/// With a short history, from its worst or best position on.
pub const MIN_SHORT_PLACES: u32 = 8;
/// And the larger of these two is so many times the other.
pub const MIN_SHORT_RATIO: u32 = 2;
/// Crossing them is a change.
pub const TOPS: [u32; 2] = [3, 10];
/// A measurement that found nothing counts if it looked at so many percent of the usual number of results.
pub const MIN_DEPTH_PERCENT: u32 = 90;

/// One measurement of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankSample {
    pub day: NaiveDate,
    pub state: RankState,
    pub position: Option<u32>,
    pub depth: u32,
}

impl From<&RankPoint> for RankSample {
    fn from(point: &RankPoint) -> Self {
        Self {
            day: point.measured_at.date_naive(),
            state: point.state,
            position: point.position,
            depth: point.depth_checked,
        }
    }
}

impl RankSample {
    const fn is_measured(&self) -> bool {
        !matches!(self.state, RankState::Error)
    }

    /// Where it is, or one below what was looked at.
    const fn place(&self) -> u32 {
        match self.position {
            Some(position) => position,
            None => self.depth.saturating_add(1),
        }
    }

    const fn figure(&self) -> EventState {
        EventState::Rank(RankFigure::of(self.position, self.depth))
    }
}

/// A keyword that was measured now.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredRank<'a, H> {
    pub keyword_id: i64,
    pub keyword: &'a str,
    pub measured_at: DateTime<Utc>,
    pub now: RankSample,
    /// Earlier measurements of the same series, newest first; 28 measured days and the days of the last 28 suffice.
    pub past: H,
}

/// The event of a keyword, if its rank changed by more than chance explains: at most one. `budget` is that of the run.
pub fn rank_event<H: Iterator<Item = RankSample> + Clone>(
    run: &EventRun<'_>,
    budget: &AlarmBudget,
    rank: &MeasuredRank<'_, H>,
) -> Option<EventDraft> {
    let (now, before) = (rank.now, comparable(rank)?);
    let kind = kind(before, now)?;
    let usual = usual_depth(&rank.past);
    let past = rank.past.clone().filter(|it| is_usable(it, usual));
    let history = History::of(past, now.day);
    let is_fall = now.place() > before.place();
    let (test, is_short) = if history.n < MIN_HISTORY {
        (
            history
                .is_far(now.place(), is_fall)
                .then_some(TestOutcome::TOO_LITTLE_HISTORY)?,
            true,
        )
    } else {
        (history.test(now.place(), is_fall, budget)?, false)
    };
    let severity = severity(kind, before, now);
    Some(EventDraft {
        kind,
        severity: if is_short {
            severity.one_lower()
        } else {
            severity
        },
        dedupe_key: dedupe_key(kind, &[&rank.keyword_id, &run.job]),
        measured_at: rank.measured_at,
        subject: Subject::keyword(rank.keyword_id, rank.keyword),
        before: Some(before.figure()),
        after: Some(now.figure()),
        n: u32::try_from(history.n).ok(),
        test,
        simulated: run.simulated,
        method_version: run.method.to_owned(),
        effect: (f64::from(now.place()) / f64::from(before.place()))
            .ln()
            .abs(),
        more: 0,
    })
}

/// The newest earlier measurement, if both are measurements at all.
fn comparable<H: Iterator<Item = RankSample> + Clone>(
    rank: &MeasuredRank<'_, H>,
) -> Option<RankSample> {
    let newest = rank.past.clone().find(RankSample::is_measured)?;
    let both = (newest.position, rank.now.position);
    // The usual case costs no more.
    if rank.now.is_measured() && both.0.is_some() && both.1.is_some() {
        return Some(newest);
    }
    let usual = usual_depth(&rank.past);
    if !is_usable(&rank.now, usual) {
        return None;
    }
    rank.past.clone().find(|it| is_usable(it, usual))
}

/// The median depth of the newest 28 measurements.
fn usual_depth(past: &(impl Iterator<Item = RankSample> + Clone)) -> u32 {
    let mut depths = [0; MAX_HISTORY];
    let mut count = 0;
    for sample in past
        .clone()
        .filter(RankSample::is_measured)
        .take(MAX_HISTORY)
    {
        depths[count] = sample.depth;
        count += 1;
    }
    let depths = &mut depths[..count];
    depths.sort_unstable();
    depths.get(count / 2).copied().unwrap_or(0)
}

/// A position is a fact at any depth; not to be found needs the usual one.
const fn is_usable(sample: &RankSample, usual: u32) -> bool {
    sample.is_measured()
        && (sample.position.is_some()
            || sample.depth.saturating_mul(100) >= usual.saturating_mul(MIN_DEPTH_PERCENT))
}

/// By positions alone; `None` for changes below the thresholds, and where a depth does not include the other position.
fn kind(before: RankSample, now: RankSample) -> Option<EventKind> {
    match (before.position, now.position) {
        (Some(was), Some(is)) => {
            let (best, places) = (was.min(is), was.abs_diff(is));
            let crosses = TOPS.iter().any(|top| (was <= *top) != (is <= *top));
            let is_far = places >= MIN_PLACES_BELOW || (places >= MIN_PLACES && best <= NEAR_TOP);
            (crosses || is_far).then_some(EventKind::RankChanged)
        }
        (Some(was), None) if was <= now.depth => Some(EventKind::KeywordLost),
        (None, Some(is)) if is <= before.depth => Some(EventKind::KeywordEntered),
        _ => None,
    }
}

fn severity(kind: EventKind, before: RankSample, now: RankSample) -> EventSeverity {
    let was_in_top = before.place() <= 10;
    match kind {
        EventKind::KeywordLost if was_in_top => EventSeverity::Critical,
        EventKind::KeywordLost => EventSeverity::Warning,
        _ if now.place() < before.place() => EventSeverity::Info,
        _ if (was_in_top && now.place() > 10)
            || now.place() - before.place() >= MIN_PLACES_BELOW =>
        {
            EventSeverity::Warning
        }
        _ => EventSeverity::Notice,
    }
}

/// The last measurement of each of the last 28 measured days before a day.
struct History {
    places: [u32; MAX_HISTORY],
    n: usize,
    /// Measured days of the 28 calendar days that end with the present one.
    days_of_28: u32,
}

impl History {
    fn of(past: impl Iterator<Item = RankSample>, today: NaiveDate) -> Self {
        let mut history = Self {
            places: [0; MAX_HISTORY],
            n: 0,
            days_of_28: 1,
        };
        let mut last = today;
        for sample in past.filter(|it| it.day < today) {
            if sample.day == last {
                continue;
            }
            if history.n == MAX_HISTORY {
                break;
            }
            last = sample.day;
            history.places[history.n] = sample.place();
            history.n += 1;
            let age = today.num_days_from_ce() - sample.day.num_days_from_ce();
            history.days_of_28 += u32::from(age < 28);
        }
        history
    }

    fn places(&self) -> &[u32] {
        &self.places[..self.n]
    }

    /// Test A1, one-sided: the moderated t of ln(position), by the tails of t₅, within the budget of false alarms.
    fn test(&self, place: u32, is_fall: bool, budget: &AlarmBudget) -> Option<TestOutcome> {
        let mut logs = [0.0; MAX_HISTORY];
        for (log, place) in logs.iter_mut().zip(self.places()) {
            *log = f64::from(*place).ln();
        }
        let expected = PRIOR.expected(&logs[..self.n])?;
        let t = expected.statistic(f64::from(place).ln());
        let p = heavy_tailed_p(if is_fall { t } else { -t });
        let limit = budget.limit(self.days_of_28);
        if p > limit {
            return None;
        }
        let range = expected.interval();
        let range = Interval {
            low: range.low.exp(),
            high: range.high.exp(),
        };
        let outcome = TestOutcome::of(TestName::ModeratedT, t, p);
        Some(outcome.with_limit(limit).with_range(range))
    }

    /// Far outside of a short history.
    fn is_far(&self, place: u32, is_fall: bool) -> bool {
        if self.n < MIN_SHORT_HISTORY {
            return false;
        }
        let places = self.places().iter();
        let (worse, better) = if is_fall {
            (place, places.max().copied().unwrap_or(place))
        } else {
            (places.min().copied().unwrap_or(place), place)
        };
        worse >= better.saturating_add(MIN_SHORT_PLACES)
            && worse >= better.saturating_mul(MIN_SHORT_RATIO)
    }
}

/// The best-ranked own pages of a keyword in its newest measurements of one series.
#[derive(Debug, Clone, Copy)]
pub struct BestPages<'a> {
    pub keyword_id: i64,
    pub keyword: &'a str,
    pub measured_at: DateTime<Utc>,
    pub now: Option<&'a str>,
    pub last: Option<&'a str>,
    pub before_last: Option<&'a str>,
    /// Whether the page of the last measurement is known not to exist any more.
    pub last_is_gone: bool,
}

/// `keyword.url_changed`: another page than two measurements ago, in two measurements in a row, or at once if the
/// earlier page is gone. Pages are compared without scheme and `www.`
pub fn url_changed(run: &EventRun<'_>, pages: &BestPages<'_>) -> Option<EventDraft> {
    let (now, last) = (pages.now?, pages.last?);
    let differ = |one: &str, other: &str| one != other && page_key(one) != page_key(other);
    let before = match pages.before_last {
        _ if pages.last_is_gone && differ(now, last) => last,
        Some(before) if differ(now, before) && !differ(now, last) => before,
        _ => return None,
    };
    let url = |it: &str| {
        EventState::Page(PageUrl {
            url: label::url(it),
        })
    };
    let day = pages.measured_at.date_naive();
    let hash = label::url_hash(now);
    Some(EventDraft::fact(
        EventKind::KeywordUrlChanged,
        EventSeverity::Notice,
        Subject::keyword(pages.keyword_id, pages.keyword),
        (Some(url(before)), Some(url(now))),
        pages.measured_at,
        run,
        &[&pages.keyword_id, &hash, &day],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::{Days, NaiveTime};
    use proptest::prelude::*;

    const RUN: EventRun<'_> = EventRun {
        job: 991,
        simulated: false,
        method: "rankings/2",
    };
    const BUDGET: AlarmBudget = AlarmBudget {
        false_alarms: 0.25,
        subjects: 30,
    };

    fn day(number: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 10, 1).unwrap() + Days::new(number)
    }

    fn sample(number: u64, position: Option<u32>, depth: u32) -> RankSample {
        RankSample {
            day: day(number),
            state: match position {
                Some(_) => RankState::Ranked,
                None if depth == 0 => RankState::Error,
                None => RankState::NotRanked,
            },
            position,
            depth,
        }
    }

    /// One measurement a day, the last one now.
    fn derived(samples: &[RankSample]) -> Option<EventDraft> {
        let (now, past) = samples.split_last().unwrap();
        let rank = MeasuredRank {
            keyword_id: 42,
            keyword: "rank tracker",
            measured_at: now.day.and_time(NaiveTime::MIN).and_utc(),
            now: *now,
            past: past.iter().rev().copied(),
        };
        rank_event(&RUN, &BUDGET, &rank)
    }

    fn daily(positions: &[Option<u32>]) -> Vec<RankSample> {
        (0..)
            .zip(positions)
            .map(|(day, it)| sample(day, *it, 100))
            .collect()
    }

    fn after(n: usize, usual: Option<u32>, now: Option<u32>) -> Option<EventDraft> {
        let mut positions = vec![usual; n];
        positions.push(now);
        derived(&daily(&positions))
    }

    #[test]
    fn a_fall_from_5_to_15_is_announced_after_27_8_and_3_days() {
        for (n, severity, name) in [
            (27, EventSeverity::Warning, TestName::ModeratedT),
            (8, EventSeverity::Warning, TestName::ModeratedT),
            (3, EventSeverity::Notice, TestName::None),
        ] {
            let event = after(n, Some(5), Some(15)).unwrap();
            assert_eq!(event.kind, EventKind::RankChanged);
            assert_eq!((event.severity, event.test.name), (severity, name), "{n}");
            assert!(event.fell());
            assert_eq!(event.n, u32::try_from(n).ok());
        }
        for n in [0, 1, 2] {
            assert_eq!(after(n, Some(5), Some(15)), None, "{n}");
        }
    }

    #[test]
    fn kinds_and_severities_follow_before_and_after() {
        let found = |before, now| after(27, before, now).map(|it| (it.kind.name(), it.severity));
        assert_eq!(
            found(Some(5), None),
            Some(("keyword.lost", EventSeverity::Critical))
        );
        assert_eq!(
            found(Some(11), None),
            Some(("keyword.lost", EventSeverity::Warning))
        );
        assert_eq!(
            found(None, Some(8)),
            Some(("keyword.entered", EventSeverity::Info))
        );
        assert_eq!(
            found(Some(15), Some(5)),
            Some(("rank.changed", EventSeverity::Info))
        );
        assert_eq!(
            found(Some(1), Some(4)),
            Some(("rank.changed", EventSeverity::Notice))
        );
        // Significant, but below the thresholds: 1 to 2 crosses nothing, and 3 places count in the top 20 only.
        assert_eq!(found(Some(1), Some(2)), None);
        assert_eq!(found(Some(5), Some(5)), None);
        assert_eq!(found(None, None), None);
    }

    #[test]
    fn failures_and_shallow_measurements_are_neither_fall_nor_recovery() {
        let mut days = daily(&[Some(5); 20]);
        days.push(sample(20, None, 0));
        assert_eq!(derived(&days), None);
        days[20] = sample(20, None, 89);
        assert_eq!(derived(&days), None);
        // The recovery after it is compared with the last measurement.
        days.push(sample(21, Some(5), 100));
        assert_eq!(derived(&days), None);
        days[20] = sample(20, None, 90);
        assert_eq!(derived(&days[..21]).unwrap().kind, EventKind::KeywordLost);
        // A depth of 20 as usual, where the keyword was at 30 before, is not a loss.
        let mut shallow: Vec<_> = (0..20).map(|day| sample(day, Some(15), 20)).collect();
        shallow.push(sample(20, Some(30), 100));
        shallow.push(sample(21, None, 20));
        assert_eq!(derived(&shallow), None);
    }

    #[test]
    fn an_error_between_two_measurements_is_skipped() {
        let mut days = daily(&[Some(5); 20]);
        days.push(sample(20, None, 0));
        days.push(sample(21, Some(15), 100));
        let event = derived(&days).unwrap();
        assert_eq!(event.before, Some(sample(0, Some(5), 100).figure()));
        assert_eq!(event.n, Some(20));
    }

    #[test]
    fn only_the_last_measurement_of_a_day_counts() {
        let mut days: Vec<_> = (0..20).map(|day| sample(day / 2, Some(5), 100)).collect();
        days.push(sample(10, Some(15), 100));
        assert_eq!(derived(&days).unwrap().n, Some(10));
        // The same fall, measured again on the same day.
        days.push(sample(10, Some(15), 100));
        assert_eq!(derived(&days), None);
        days.push(sample(10, Some(16), 100));
        assert_eq!(derived(&days), None);
    }

    #[test]
    fn more_keywords_and_more_runs_share_one_budget() {
        let mut days: Vec<_> = (0..27).map(|day| sample(day, Some(5), 100)).collect();
        days.push(sample(27, Some(11), 100));
        let limit = derived(&days).unwrap().test.limit.unwrap();
        assert!((limit - 0.25 / (30.0 * 28.0)).abs() < 1e-9, "{limit}");
        // Weekly: 4 of the last 28 days.
        let mut weeks: Vec<_> = (0..12).map(|week| sample(7 * week, Some(5), 100)).collect();
        weeks.push(sample(84, Some(11), 100));
        let limit = derived(&weeks).unwrap().test.limit.unwrap();
        assert!((limit - 0.25 / (30.0 * 4.0)).abs() < 1e-7, "{limit}");
    }

    #[test]
    fn a_noisy_keyword_does_not_fall() {
        let noisy = [5, 9, 4, 12, 6, 15, 5, 8, 11, 4, 7, 14, 5, 6, 15].map(Some);
        assert_eq!(derived(&daily(&noisy)), None);
    }

    fn changed(
        now: &str,
        last: &str,
        before: Option<&str>,
        last_is_gone: bool,
    ) -> Option<EventDraft> {
        let pages = BestPages {
            keyword_id: 42,
            keyword: "rank tracker",
            measured_at: DateTime::UNIX_EPOCH,
            now: Some(now),
            last: Some(last),
            before_last: before,
            last_is_gone,
        };
        url_changed(&RUN, &pages)
    }

    #[test]
    fn another_page_counts_in_two_measurements_or_if_the_old_one_is_gone() {
        let (old, new) = ("https://a.example/old", "https://a.example/new");
        let event = changed(new, new, Some(old), false).unwrap();
        let url = |it: &str| Some(EventState::Page(PageUrl { url: it.to_owned() }));
        assert_eq!((event.before, event.after), (url(old), url(new)));
        assert!(event.dedupe_key.starts_with("keyword.url_changed:42:"));
        assert!(event.dedupe_key.ends_with(":1970-01-01"));
        assert_eq!(changed(new, old, Some(old), false), None);
        assert_eq!(changed(old, new, Some(old), false), None);
        assert!(changed(new, old, None, true).is_some());
        assert_eq!(
            changed(new, "http://www.a.example/new", Some(new), true),
            None
        );
    }

    fn history() -> impl Strategy<Value = Vec<RankSample>> {
        let one = (
            0_u64..3,
            proptest::option::weighted(0.8, 1_u32..110),
            0_u32..4,
        );
        proptest::collection::vec(one, 1..40).prop_map(|all| {
            let mut day = 0;
            let samples = all.into_iter().map(|(step, position, depth)| {
                day += step;
                sample(day, position, depth * 50)
            });
            samples.collect()
        })
    }

    proptest! {
        #[test]
        fn events_have_both_ends_and_a_direction_that_fits(samples in history()) {
            if let Some(event) = derived(&samples) {
                let (Some(EventState::Rank(before)), Some(EventState::Rank(after))) = (event.before.clone(), event.after.clone()) else {
                    panic!("{event:?}");
                };
                prop_assert_ne!(before.position, after.position);
                prop_assert!(event.n.unwrap() >= 3 && event.n.unwrap() <= 28);
                prop_assert_eq!(event.test.p.is_none(), event.n.unwrap() < 8);
                if let (Some(t), Some(p), Some(limit)) = (event.test.statistic, event.test.p, event.test.limit) {
                    prop_assert!(p <= limit && (t > 0.0) == event.fell());
                }
                prop_assert_eq!(after.position.is_none(), event.kind == EventKind::KeywordLost);
            }
        }

        #[test]
        fn failures_change_nothing(samples in history(), at in 0_usize..40) {
            let mut with = samples.clone();
            let at = at % samples.len();
            with.insert(at, sample(0, None, 0));
            with[at].day = samples[at].day;
            prop_assert_eq!(derived(&samples), derived(&with));
        }
    }
}
