use super::attempt_state::AttemptState;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::AccountId;
use domain::job::Job;
use domain::job::account_queue::AccountQueue;
use domain::job::kind::AnalysisKind;
use domain::job::slots::{FreeSlots, OccupiedSlot, Slots};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long an account that yielded a slot is served after others. Claims follow each other within a second.
const YIELD_COOLDOWN: Duration = Duration::from_secs(3);

pub(super) struct WorkerSlots {
    slots: Slots,
    held: Mutex<Held>,
    freed: Notify,
}

#[derive(Default)]
struct Held {
    next: u64,
    running: BTreeMap<u64, Running>,
    yielded: Option<(AccountId, Instant)>,
}

struct Running {
    account: AccountId,
    kind: AnalysisKind,
    since: Instant,
    state: Arc<AttemptState>,
}

/// Freed when dropped.
pub(super) struct Slot {
    slots: Arc<WorkerSlots>,
    number: u64,
}

impl WorkerSlots {
    pub(super) fn new(slots: Slots) -> Self {
        Self {
            slots,
            held: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// `None` if no slot is free.
    pub(super) fn room(&self) -> Option<FreeSlots> {
        let held = self.held();
        let behind = { held.yielded }.filter(|(_, at)| at.elapsed() < YIELD_COOLDOWN);
        self.slots
            .free_slots(&held.taken(), behind.map(|(account, _)| account))
    }

    pub(super) fn take(self: &Arc<Self>, job: &Job, state: &Arc<AttemptState>) -> Slot {
        let mut held = self.held();
        let number = held.next;
        held.next += 1;
        if held
            .yielded
            .is_some_and(|(account, _)| account != job.account)
        {
            held.yielded = None;
        }
        let running = Running {
            account: job.account,
            kind: job.kind,
            since: Instant::now(),
            state: Arc::clone(state),
        };
        held.running.insert(number, running);
        Slot {
            slots: Arc::clone(self),
            number,
        }
    }

    /// Whether some job has run for a full turn; only then are waiting accounts queried.
    pub(super) fn has_expired_turn(&self, turn: TimeDelta) -> bool {
        let held = self.held();
        let taken = held.taken();
        taken.iter().any(|it| it.can_yield && it.ran >= turn)
    }

    pub(super) fn request_one_yield(
        &self,
        waiting: &[AccountQueue],
        turn: TimeDelta,
        now: DateTime<Utc>,
    ) {
        let held = self.held();
        let place = self.slots.slot_to_yield(&held.taken(), waiting, turn, now);
        let Some(running) = place.and_then(|it| held.running.values().nth(it)) else {
            return;
        };
        tracing::info!(
            accountId = running.account.0,
            kind = running.kind.name(),
            ran = running.since.elapsed().as_secs(),
            "Others wait: a job is asked to give its slot back at its next checkpoint."
        );
        running.state.request_yield(running.kind);
    }

    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn free(&self, number: u64) {
        let mut held = self.held();
        if let Some(running) = held.running.remove(&number)
            && running.state.is_asked_to_yield()
        {
            held.yielded = Some((running.account, Instant::now()));
        }
        drop(held);
        self.freed.notify_one();
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// In slot order.
    fn taken(&self) -> Vec<OccupiedSlot> {
        let taken = self.running.values().map(|it| OccupiedSlot {
            account: it.account,
            kind: it.kind,
            ran: TimeDelta::from_std(it.since.elapsed()).unwrap_or(TimeDelta::MAX),
            can_yield: it.state.can_yield(),
            yield_requested: it.state.is_asked_to_yield(),
        });
        taken.collect()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.free(self.number);
    }
}
