//! At most 500 events of a kind and run: the largest effects first, then one that counts the others.

use super::event::{EventDraft, EventRun, Subject, SubjectKind, dedupe_key};
use super::kind::EventKind;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// Of a kind and run.
pub const MAX_EVENTS: usize = 500;

/// Collects the events of a run in bounded memory.
#[derive(Debug, Default)]
pub struct EventLimit {
    kinds: BTreeMap<EventKind, Largest>,
}

#[derive(Debug, Default)]
struct Largest {
    /// The least important one is on top.
    kept: BinaryHeap<Ranked>,
    left_out: u64,
}

#[derive(Debug)]
struct Ranked(EventDraft);

impl Ranked {
    /// Less for what comes first: the larger effect, then by dedupe key.
    fn order(&self, other: &Self) -> Ordering {
        { other.0.effect.total_cmp(&self.0.effect) }
            .then_with(|| self.0.dedupe_key.cmp(&other.0.dedupe_key))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

impl EventLimit {
    pub fn add(&mut self, event: EventDraft) {
        let largest = self.kinds.entry(event.kind).or_default();
        largest.kept.push(Ranked(event));
        if largest.kept.len() > MAX_EVENTS {
            largest.kept.pop();
            largest.left_out += 1;
        }
    }

    /// By kind, largest effect first; the last of a kind counts those that are left out.
    pub fn finish(self, run: &EventRun<'_>) -> Vec<EventDraft> {
        let mut events = Vec::new();
        for (kind, largest) in self.kinds {
            let kept = largest.kept.into_sorted_vec();
            events.extend(kept.into_iter().map(|it| it.0));
            if largest.left_out > 0
                && let Some(smallest) = events.last()
            {
                let counted = EventDraft {
                    dedupe_key: dedupe_key(kind, &[&"more", &run.job]),
                    subject: Subject::new(SubjectKind::Site, None, "", None),
                    before: None,
                    after: None,
                    n: None,
                    test: super::TestOutcome::NOT_APPLICABLE,
                    effect: 0.0,
                    more: largest.left_out,
                    ..smallest.clone()
                };
                events.push(counted);
            }
        }
        events
    }
}

impl Extend<EventDraft> for EventLimit {
    fn extend<I: IntoIterator<Item = EventDraft>>(&mut self, events: I) {
        events.into_iter().for_each(|it| self.add(it));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::kind::EventSeverity;
    use chrono::DateTime;

    const RUN: EventRun<'_> = EventRun {
        job: 9,
        simulated: false,
        method: "rankings/2",
    };

    fn event(kind: EventKind, id: i64, effect: f64) -> EventDraft {
        let fact = EventDraft::fact(
            kind,
            EventSeverity::Info,
            Subject::keyword(id, "k"),
            (None, None),
            DateTime::UNIX_EPOCH,
            &RUN,
            &[&id, &9],
        );
        EventDraft { effect, ..fact }
    }

    #[test]
    fn the_largest_500_are_kept_and_the_others_counted() {
        let mut limit = EventLimit::default();
        for id in 0..10_000_u32 {
            // 7,919 is coprime to 10,000: every effect occurs once, in no order.
            let effect = f64::from(id * 7_919 % 10_000);
            limit.add(event(EventKind::RankChanged, id.into(), effect));
            assert!(limit.kinds[&EventKind::RankChanged].kept.len() <= MAX_EVENTS);
        }
        limit.add(event(EventKind::KeywordLost, 1, 1.0));
        let events = limit.finish(&RUN);
        assert_eq!(events.len(), MAX_EVENTS + 2);
        let effects: Vec<f64> = events[..MAX_EVENTS].iter().map(|it| it.effect).collect();
        let largest: Vec<f64> = (0..500).map(|it| 9_999.0 - f64::from(it)).collect();
        assert_eq!(effects, largest);
        let counted = &events[MAX_EVENTS];
        assert_eq!(
            (counted.more, counted.dedupe_key.as_str()),
            (9_500, "rank.changed:more:9")
        );
        assert_eq!(
            (events[501].kind, events[501].more),
            (EventKind::KeywordLost, 0)
        );
    }

    #[test]
    fn exactly_500_have_no_remainder_and_ties_are_ordered_by_key() {
        let mut limit = EventLimit::default();
        limit.extend(
            (0..500)
                .rev()
                .map(|id| event(EventKind::RankChanged, id, 2.0)),
        );
        let events = limit.finish(&RUN);
        assert_eq!(events.len(), 500);
        assert!(events.is_sorted_by(|one, other| one.dedupe_key < other.dedupe_key));
    }
}
