//! Slots of one worker process: which jobs fit into free slots, and which running job yields its
//! slot when others wait.
//!
//! Three rules keep one account from blocking the others:
//!
//! - While others wait, an account gets at most one slot fewer than the process has.
//! - Some slots take [short jobs](AnalysisKind::is_short) only.
//! - A job that has run for its time slice yields at its next checkpoint if an account that runs fewer
//!   jobs waits. So a short job that turns out to be long delays others by at most one time slice.

use super::{account_queue::AccountQueue, kind::AnalysisKind};
use crate::ids::AccountId;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    AnyJob,
    /// [Short jobs](AnalysisKind::is_short) only.
    ShortJobs,
}

impl SlotKind {
    /// Kinds that this version can run.
    pub const fn kinds(self) -> &'static [AnalysisKind] {
        match self {
            Self::AnyJob => &AnalysisKind::IMPLEMENTED,
            Self::ShortJobs => &AnalysisKind::SHORT,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slots {
    all: u32,
    for_short_jobs: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OccupiedSlot {
    pub account: AccountId,
    pub kind: AnalysisKind,
    /// Time since it was claimed.
    pub ran: TimeDelta,
    /// Whether it saved progress since then and still has a checkpoint ahead. Without either it
    /// would never finish if it yielded.
    pub can_yield: bool,
    /// Whether a yield was requested.
    pub yield_requested: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeSlots {
    pub slot_kind: SlotKind,
    pub free: u32,
    max_per_account: u32,
    occupied: BTreeMap<AccountId, u32>,
    deprioritized: Option<AccountId>,
}

impl FreeSlots {
    pub const fn of(free: u32) -> Self {
        Self {
            slot_kind: SlotKind::AnyJob,
            free,
            max_per_account: u32::MAX,
            occupied: BTreeMap::new(),
            deprioritized: None,
        }
    }

    /// Slots that the account may still take while others wait.
    pub fn share(&self, account: AccountId) -> u32 {
        if self.deprioritized == Some(account) {
            return 0;
        }
        let occupied = self.occupied.get(&account).copied().unwrap_or(0);
        self.max_per_account.saturating_sub(occupied)
    }
}

impl Slots {
    /// `for_short_jobs` of `all` slots take short jobs only; at least one takes any job.
    pub const fn new(all: u32, for_short_jobs: u32) -> Self {
        let max = all.saturating_sub(1);
        Self {
            all,
            for_short_jobs: if for_short_jobs < max {
                for_short_jobs
            } else {
                max
            },
        }
    }

    /// Free slots beside the running jobs; `None` if there is none. `behind` is an account that
    /// just yielded, which gets none while others wait.
    pub fn free_slots(
        &self,
        taken: &[OccupiedSlot],
        behind: Option<AccountId>,
    ) -> Option<FreeSlots> {
        let free = self.all.checked_sub(count(taken)).filter(|it| *it > 0)?;
        let (kind, free) = match self.free_for_long_jobs(taken) {
            0 => (SlotKind::ShortJobs, free),
            some => (SlotKind::AnyJob, some.min(free)),
        };
        Some(FreeSlots {
            slot_kind: kind,
            free,
            max_per_account: self.all.saturating_sub(1).max(1),
            occupied: by_account(taken),
            deprioritized: behind,
        })
    }

    /// Index of the running job that yields its slot if nothing more can be claimed and accounts wait: the
    /// longest-running one of the account with most slots here. The waiting account (least served first)
    /// must run fewer jobs anywhere than that. Only one job at a time yields, after it ran for a `time_slice`.
    pub fn slot_to_yield(
        &self,
        taken: &[OccupiedSlot],
        waiting: &[AccountQueue],
        time_slice: TimeDelta,
        now: DateTime<Utc>,
    ) -> Option<usize> {
        if taken.iter().any(|it| it.yield_requested && it.can_yield) {
            return None;
        }
        let occupied = by_account(taken);
        let holds = |it: &OccupiedSlot| occupied.get(&it.account).copied().unwrap_or(0);
        let is_full_of_long_jobs = self.free_for_long_jobs(taken) == 0;
        waiting.iter().find_map(|queue| {
            let has_short_job = queue.next_short_run_at.is_some_and(|at| at <= now);
            let helps =
                |it: &OccupiedSlot| has_short_job || !it.kind.is_short() || !is_full_of_long_jobs;
            let able = taken.iter().enumerate().filter(|(_, it)| {
                it.account != queue.account
                    && it.can_yield
                    && it.ran >= time_slice
                    && holds(it) > queue.running
                    && helps(it)
            });
            let (place, _) = able.max_by_key(|(_, it)| (holds(it), it.ran))?;
            Some(place)
        })
    }

    fn free_for_long_jobs(self, taken: &[OccupiedSlot]) -> u32 {
        let long = taken.iter().filter(|it| !it.kind.is_short()).count();
        let long = u32::try_from(long).unwrap_or(u32::MAX);
        (self.all - self.for_short_jobs).saturating_sub(long)
    }
}

fn count(taken: &[OccupiedSlot]) -> u32 {
    u32::try_from(taken.len()).unwrap_or(u32::MAX)
}

fn by_account(taken: &[OccupiedSlot]) -> BTreeMap<AccountId, u32> {
    let mut counts = BTreeMap::new();
    for it in taken {
        *counts.entry(it.account).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};
    use AnalysisKind::{RankCheck, SiteAudit};

    const ANN: AccountId = AccountId(1);
    const BOB: AccountId = AccountId(2);
    const EVE: AccountId = AccountId(3);
    const TIME_SLICE: TimeDelta = TimeDelta::seconds(60);

    fn runs(account: AccountId, kind: AnalysisKind, seconds: i64) -> OccupiedSlot {
        OccupiedSlot {
            account,
            kind,
            ran: TimeDelta::seconds(seconds),
            can_yield: true,
            yield_requested: false,
        }
    }

    fn waits(account: AccountId, running: u32, has_short_job: bool) -> AccountQueue {
        AccountQueue {
            account,
            waiting: 1,
            running,
            next_run_at: Some(now()),
            next_short_run_at: has_short_job.then(now),
            attention_at: None,
            virtual_time: 0.0,
        }
    }

    fn now() -> DateTime<Utc> {
        FrozenClock::default().now()
    }

    fn takes(slots: Slots, taken: &[OccupiedSlot]) -> Option<(SlotKind, u32)> {
        slots
            .free_slots(taken, None)
            .map(|it| (it.slot_kind, it.free))
    }

    #[test]
    fn long_jobs_leave_slots_to_short_ones() {
        let slots = Slots::new(4, 1);
        let mut taken = vec![];
        for free in [3, 2, 1] {
            assert_eq!(takes(slots, &taken), Some((SlotKind::AnyJob, free)));
            taken.push(runs(ANN, SiteAudit, 1));
        }
        assert_eq!(takes(slots, &taken), Some((SlotKind::ShortJobs, 1)));
        taken.push(runs(BOB, RankCheck, 1));
        assert_eq!(takes(slots, &taken), None);
    }

    #[test]
    fn short_jobs_may_take_every_slot() {
        let slots = Slots::new(3, 1);
        let taken = [runs(ANN, RankCheck, 1); 3];
        assert_eq!(takes(slots, &taken[..1]), Some((SlotKind::AnyJob, 2)));
        assert_eq!(takes(slots, &taken[..2]), Some((SlotKind::AnyJob, 1)));
        assert_eq!(takes(slots, &taken), None);
    }

    #[test]
    fn a_process_with_one_slot_takes_any_job() {
        for slots in [Slots::new(1, 1), Slots::new(1, 0), Slots::new(1, 9)] {
            assert_eq!(takes(slots, &[]), Some((SlotKind::AnyJob, 1)));
        }
        assert_eq!(takes(Slots::new(2, 9), &[]), Some((SlotKind::AnyJob, 1)));
        assert_eq!(takes(Slots::new(2, 0), &[]), Some((SlotKind::AnyJob, 2)));
    }

    #[test]
    fn an_account_gets_all_slots_but_one_while_others_wait() {
        let slots = Slots::new(4, 1);
        let taken = [runs(ANN, SiteAudit, 1), runs(ANN, SiteAudit, 1)];
        let free = slots.free_slots(&taken, None).unwrap();
        assert_eq!((free.share(ANN), free.share(BOB)), (1, 3));
        let free = slots.free_slots(&taken, Some(BOB)).unwrap();
        assert_eq!((free.share(ANN), free.share(BOB)), (1, 0));
        let one = Slots::new(1, 0).free_slots(&[], None).unwrap();
        assert_eq!(one.share(ANN), 1);
        assert_eq!(FreeSlots::of(7).share(ANN), u32::MAX);
    }

    #[test]
    fn the_longest_job_of_the_account_with_most_slots_yields() {
        let slots = Slots::new(4, 0);
        let taken = [
            runs(BOB, SiteAudit, 900),
            runs(ANN, SiteAudit, 61),
            runs(ANN, SiteAudit, 70),
            runs(ANN, SiteAudit, 59),
        ];
        let waiting = [waits(EVE, 0, false)];
        assert_eq!(
            slots.slot_to_yield(&taken, &waiting, TIME_SLICE, now()),
            Some(2)
        );
        assert_eq!(slots.slot_to_yield(&taken, &[], TIME_SLICE, now()), None);
    }

    #[test]
    fn nothing_yields_before_its_time_slice_is_over() {
        let slots = Slots::new(1, 0);
        let waiting = [waits(BOB, 0, true)];
        let yields =
            |taken: OccupiedSlot| slots.slot_to_yield(&[taken], &waiting, TIME_SLICE, now());
        assert_eq!(yields(runs(ANN, SiteAudit, 59)), None);
        assert_eq!(yields(runs(ANN, SiteAudit, 60)), Some(0));
        assert_eq!(yields(runs(ANN, RankCheck, 60)), Some(0));
    }

    #[test]
    fn nothing_yields_without_progress_or_twice() {
        let slots = Slots::new(2, 0);
        let waiting = [waits(BOB, 0, true)];
        let stuck = OccupiedSlot {
            can_yield: false,
            ..runs(ANN, SiteAudit, 900)
        };
        let yielding = OccupiedSlot {
            yield_requested: true,
            ..runs(ANN, SiteAudit, 900)
        };
        let other = runs(ANN, SiteAudit, 100);
        let of = |taken: &[OccupiedSlot]| slots.slot_to_yield(taken, &waiting, TIME_SLICE, now());
        assert_eq!(of(&[stuck, other]), Some(1));
        assert_eq!(of(&[yielding, other]), None);
        // A job without a checkpoint ahead does not block the choice of another.
        let ending = OccupiedSlot {
            can_yield: false,
            ..yielding
        };
        assert_eq!(of(&[ending, other]), Some(1));
    }

    #[test]
    fn an_account_that_runs_as_many_jobs_waits() {
        let slots = Slots::new(2, 0);
        let taken = [runs(ANN, SiteAudit, 900), runs(BOB, SiteAudit, 900)];
        let of = |waiting: &[AccountQueue]| slots.slot_to_yield(&taken, waiting, TIME_SLICE, now());
        assert_eq!(of(&[waits(ANN, 1, true)]), None);
        assert_eq!(of(&[waits(EVE, 1, true)]), None);
        assert!(of(&[waits(ANN, 1, true), waits(EVE, 0, false)]).is_some());
    }

    #[test]
    fn no_short_job_yields_for_long_ones_that_do_not_fit() {
        let slots = Slots::new(2, 1);
        let taken = [runs(ANN, SiteAudit, 10), runs(BOB, RankCheck, 900)];
        let of = |has_short_job| {
            slots.slot_to_yield(&taken, &[waits(EVE, 0, has_short_job)], TIME_SLICE, now())
        };
        assert_eq!(of(false), None);
        assert_eq!(of(true), Some(1));
    }
}
