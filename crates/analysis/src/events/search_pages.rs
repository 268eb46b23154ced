//! `feature.won`, `feature.lost`, `competitor.overtook`.

use super::event::{EventDraft, EventRun, Subject, dedupe_key};
use super::kind::{EventKind, EventSeverity};
use super::outcome::{TestName, TestOutcome};
use super::state::{CompetitorRank, EventState, OwnedFeatures};
use crate::observation::search_page::Feature;
use crate::statistics::sign_test::sign_test;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// The newest days, in which the competitor has to be above.
pub const NEWEST_DAYS: u32 = 8;
/// Of these, days on which it is.
pub const MIN_BEHIND: u32 = 7;
/// Days before these, on all of which it was below.
pub const MIN_AHEAD: u32 = 8;
/// The project's position when it was last above.
pub const MAX_OWN_POSITION: u32 = 20;
/// Days that a pair remembers; one event in as many days.
const MAX_DAYS: u32 = 28;

/// Features of a keyword's search page that lead to the project, in its newest three measurements of one series. All
/// three know the same features.
#[derive(Debug, Clone, Copy)]
pub struct FeatureHistory<'a> {
    pub keyword_id: i64,
    pub keyword: &'a str,
    pub measured_at: DateTime<Utc>,
    pub now: &'a [Feature],
    pub last: &'a [Feature],
    pub before_last: &'a [Feature],
}

/// Features that differ from two measurements ago, in two measurements in a row.
pub fn feature_events(run: &EventRun<'_>, of: &FeatureHistory<'_>) -> Vec<EventDraft> {
    let has = |features: &[Feature], one: Feature| features.contains(&one);
    let won = Feature::ALL
        .into_iter()
        .filter(|it| has(of.now, *it) && has(of.last, *it) && !has(of.before_last, *it));
    let lost = Feature::ALL
        .into_iter()
        .filter(|it| !has(of.now, *it) && !has(of.last, *it) && has(of.before_last, *it));
    let won = won.map(|it| feature_event(run, of, EventKind::FeatureWon, it));
    won.chain(lost.map(|it| feature_event(run, of, EventKind::FeatureLost, it)))
        .collect()
}

fn feature_event(
    run: &EventRun<'_>,
    of: &FeatureHistory<'_>,
    kind: EventKind,
    feature: Feature,
) -> EventDraft {
    let is_won = kind == EventKind::FeatureWon;
    let owned = |is_owned: bool| {
        let features = is_owned.then_some(feature).into_iter().collect();
        Some(EventState::Features(OwnedFeatures { features }))
    };
    EventDraft::fact(
        kind,
        if is_won {
            EventSeverity::Info
        } else {
            EventSeverity::Notice
        },
        Subject::keyword(of.keyword_id, of.keyword),
        (owned(!is_won), owned(is_won)),
        of.measured_at,
        run,
        &[&of.keyword_id, &feature.name(), &run.job],
    )
}

/// Who was above on a keyword's search page, the project or a followed competitor: the last measurement of each of up to
/// 28 days of one series. Stored between runs, in some 20 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct OrderHistory {
    /// A bit for each day, the newest lowest: whether the competitor was above.
    window: u32,
    /// Number of known bits.
    days: u32,
    newest: NaiveDate,
    /// Both positions when the project was last above; 0 is not found.
    ahead: (u32, u32),
}

/// Days since the first of the common era, for short text.
type Stored = (u32, u32, i32, u32, u32);

impl From<Stored> for OrderHistory {
    fn from((window, days, newest, own, theirs): Stored) -> Self {
        Self {
            window,
            days: days.min(MAX_DAYS),
            newest: NaiveDate::from_num_days_from_ce_opt(newest).unwrap_or_default(),
            ahead: (own, theirs),
        }
    }
}

impl From<OrderHistory> for Stored {
    fn from(it: OrderHistory) -> Self {
        let newest = it.newest.num_days_from_ce();
        (it.window, it.days, newest, it.ahead.0, it.ahead.1)
    }
}

impl OrderHistory {
    /// Positions on one page, `None` if not found. A page that has neither says nothing.
    pub fn add(&mut self, day: NaiveDate, own: Option<u32>, theirs: Option<u32>) {
        let is_behind = match (own, theirs) {
            (None, None) => return,
            (Some(own), Some(theirs)) => theirs < own,
            (own, _) => own.is_none(),
        };
        if self.days > 0 && self.newest == day {
            self.window >>= 1;
            self.days -= 1;
        }
        self.window = (self.window << 1) | u32::from(is_behind);
        self.days = (self.days + 1).min(MAX_DAYS);
        self.newest = day;
        if !is_behind {
            self.ahead = (own.unwrap_or(0), theirs.unwrap_or(0));
        }
    }

    /// Days among the newest on which the competitor was above, if that is new.
    fn overtaken(self) -> Option<u32> {
        let newest = (1 << NEWEST_DAYS) - 1;
        let behind = (self.window & newest).count_ones();
        let earlier = self.days.checked_sub(NEWEST_DAYS)?;
        let all = (1_u32 << earlier) - 1;
        let was_ahead = (self.window >> NEWEST_DAYS) & all == 0;
        let is_behind_now = self.window & 1 == 1;
        let is_near_top = (1..=MAX_OWN_POSITION).contains(&self.ahead.0);
        (earlier >= MIN_AHEAD && was_ahead && behind >= MIN_BEHIND && is_behind_now && is_near_top)
            .then_some(behind)
    }
}

/// A keyword's page that has just been added to the history of a followed competitor.
#[derive(Debug, Clone, Copy)]
pub struct CompetitorOrder<'a> {
    pub keyword_id: i64,
    pub keyword: &'a str,
    pub domain: &'a str,
    pub measured_at: DateTime<Utc>,
    pub own: Option<u32>,
    pub theirs: Option<u32>,
    pub history: OrderHistory,
}

/// `competitor.overtook`: above on at least 7 of the newest 8 days, and below on all of the 8 to 20 days before.
pub fn overtook(run: &EventRun<'_>, of: &CompetitorOrder<'_>) -> Option<EventDraft> {
    let behind = of.history.overtaken()?;
    let found = |position: u32| (position > 0).then_some(position);
    let state = |position, own_position| {
        Some(EventState::Competitor(CompetitorRank {
            domain: super::label::label(of.domain),
            position,
            own_position,
        }))
    };
    let (own, theirs) = of.history.ahead;
    let kind = EventKind::CompetitorOvertook;
    let window = of.measured_at.num_days_from_ce() / i32::try_from(MAX_DAYS).unwrap_or(i32::MAX);
    let place = |it: Option<u32>| f64::from(it.unwrap_or(1_000));
    Some(EventDraft {
        kind,
        severity: EventSeverity::Notice,
        dedupe_key: dedupe_key(kind, &[&of.keyword_id, &of.domain, &window]),
        measured_at: of.measured_at,
        subject: Subject::keyword(of.keyword_id, of.keyword),
        before: state(found(theirs), found(own)),
        after: state(of.theirs, of.own),
        n: Some(of.history.days - 1),
        test: TestOutcome::of(
            TestName::SignTest,
            f64::from(behind),
            sign_test(behind, NEWEST_DAYS),
        ),
        simulated: run.simulated,
        method_version: run.method.to_owned(),
        effect: (place(of.own) / place(of.theirs)).ln(),
        more: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Days;
    use proptest::prelude::*;

    const RUN: EventRun<'_> = EventRun {
        job: 991,
        simulated: false,
        method: "serp/3",
    };

    fn features(now: &[Feature], last: &[Feature], before_last: &[Feature]) -> Vec<String> {
        let of = FeatureHistory {
            keyword_id: 42,
            keyword: "rank tracker",
            measured_at: DateTime::UNIX_EPOCH,
            now,
            last,
            before_last,
        };
        let events = feature_events(&RUN, &of);
        events.into_iter().map(|it| it.dedupe_key).collect()
    }

    #[test]
    fn features_count_when_two_measurements_agree() {
        let (video, images) = (Feature::Video, Feature::Images);
        assert_eq!(
            features(&[video, images], &[video, images], &[images]),
            ["feature.won:42:video:991"]
        );
        assert_eq!(
            features(&[video], &[video], &[images]),
            ["feature.won:42:video:991", "feature.lost:42:images:991"]
        );
        assert!(features(&[video], &[], &[]).is_empty());
        assert!(features(&[video], &[], &[video]).is_empty());
        assert!(features(&[], &[video], &[]).is_empty());
    }

    fn order(days: &[(Option<u32>, Option<u32>)]) -> Option<EventDraft> {
        let first = NaiveDate::from_ymd_opt(2026, 10, 1).unwrap();
        let mut history = OrderHistory::default();
        for (number, (own, theirs)) in (0..).zip(days) {
            history.add(first + Days::new(number), *own, *theirs);
            // As read back from the storage.
            let json = serde_json::to_string(&history).unwrap();
            history = serde_json::from_str(&json).unwrap();
        }
        let (own, theirs) = *days.last().unwrap();
        let of = CompetitorOrder {
            keyword_id: 42,
            keyword: "rank tracker",
            domain: "b.example",
            measured_at: DateTime::UNIX_EPOCH,
            own,
            theirs,
            history,
        };
        overtook(&RUN, &of)
    }

    fn days(ahead: usize, behind: usize) -> Vec<(Option<u32>, Option<u32>)> {
        let ahead = vec![(Some(4), Some(6)); ahead];
        let behind = vec![(Some(9), Some(5)); behind];
        [ahead, behind].concat()
    }

    #[test]
    fn a_competitor_overtakes_after_7_of_8_days() {
        let event = order(&days(20, 7)).unwrap();
        let state = |position, own| {
            Some(EventState::Competitor(CompetitorRank {
                domain: "b.example".to_owned(),
                position: Some(position),
                own_position: Some(own),
            }))
        };
        assert_eq!((event.before, event.after), (state(6, 4), state(5, 9)));
        assert_eq!(event.test.statistic, Some(7.0));
        assert_eq!(event.test.p, Some(0.035_156_2));
        assert_eq!(event.n, Some(26));
        assert!(order(&days(20, 6)).is_none());
        // From the ninth day on it is not new.
        assert!(order(&days(20, 9)).is_none());
        assert!(order(&days(8, 7)).is_none() && order(&days(9, 7)).is_some());
    }

    #[test]
    fn only_keywords_in_the_top_20_count_and_unseen_pages_do_not() {
        let mut all = days(20, 7);
        all.insert(22, (None, None));
        assert!(order(&all).is_some());
        for day in &mut all[..20] {
            *day = (Some(21), Some(30));
        }
        assert!(order(&all).is_none());
        // Not found while the competitor is: it is above.
        let lost = [vec![(Some(4), None); 20], vec![(None, Some(5)); 8]].concat();
        assert!(order(&lost).is_some());
    }

    #[test]
    fn only_the_last_measurement_of_a_day_counts() {
        let day = NaiveDate::from_ymd_opt(2026, 10, 1).unwrap();
        let mut history = OrderHistory::default();
        history.add(day, Some(1), Some(2));
        history.add(day, Some(3), Some(2));
        assert_eq!((history.days, history.window), (1, 1));
    }

    proptest! {
        #[test]
        fn an_order_without_a_clean_lead_is_never_overtaken(behind in proptest::collection::vec(proptest::bool::weighted(0.4), 1..40)) {
            let all: Vec<_> = behind.iter().map(|it| if *it { (Some(5), Some(4)) } else { (Some(4), Some(5)) }).collect();
            let found = order(&all).is_some();
            let from = behind.len().saturating_sub(28);
            let (earlier, newest) = behind[from..].split_at(behind[from..].len().saturating_sub(8));
            let expected = earlier.len() >= 8 && earlier.iter().all(|it| !it)
                && newest.iter().filter(|it| **it).count() >= 7 && newest[7];
            prop_assert_eq!(found, expected);
        }
    }
}
