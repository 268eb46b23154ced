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
    jobs: Mutex<RunningJobs>,
    freed: Notify,
}

#[derive(Default)]
struct RunningJobs {
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
            jobs: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// `None` if no slot is free.
    pub(super) fn free_slots(&self) -> Option<FreeSlots> {
        let jobs = self.lock();
        let behind = { jobs.yielded }.filter(|(_, at)| at.elapsed() < YIELD_COOLDOWN);
        self.slots
            .free_slots(&jobs.taken(), behind.map(|(account, _)| account))
    }

    pub(super) fn take(self: &Arc<Self>, job: &Job, state: &Arc<AttemptState>) -> Slot {
        let mut jobs = self.lock();
        let number = jobs.next;
        jobs.next += 1;
        if jobs
            .yielded
            .is_some_and(|(account, _)| account != job.account)
        {
            jobs.yielded = None;
        }
        let running = Running {
            account: job.account,
            kind: job.kind,
            since: Instant::now(),
            state: Arc::clone(state),
        };
        jobs.running.insert(number, running);
        Slot {
            slots: Arc::clone(self),
            number,
        }
    }

    /// Whether some job has run for a full time slice; only then are waiting accounts queried.
    pub(super) fn has_expired_time_slice(&self, time_slice: TimeDelta) -> bool {
        let jobs = self.lock();
        let taken = jobs.taken();
        taken.iter().any(|it| it.can_yield && it.ran >= time_slice)
    }

    pub(super) fn request_one_yield(
        &self,
        waiting: &[AccountQueue],
        time_slice: TimeDelta,
        now: DateTime<Utc>,
    ) {
        let jobs = self.lock();
        let place = self
            .slots
            .slot_to_yield(&jobs.taken(), waiting, time_slice, now);
        let Some(running) = place.and_then(|it| jobs.running.values().nth(it)) else {
            return;
        };
        tracing::info!(
            accountId = running.account.0,
            kind = running.kind.name(),
            ran = running.since.elapsed().as_secs(),
            "Other accounts wait: a job is to release its slot at its next checkpoint."
        );
        running.state.request_yield(running.kind);
    }

    pub(super) async fn freed(&self) {
        self.freed.notified().await;
    }

    fn free(&self, number: u64) {
        let mut jobs = self.lock();
        if let Some(running) = jobs.running.remove(&number)
            && running.state.is_yield_requested()
        {
            jobs.yielded = Some((running.account, Instant::now()));
        }
        drop(jobs);
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, RunningJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningJobs {
    /// In slot order.
    fn taken(&self) -> Vec<OccupiedSlot> {
        let taken = self.running.values().map(|it| OccupiedSlot {
            account: it.account,
            kind: it.kind,
            ran: TimeDelta::from_std(it.since.elapsed()).unwrap_or(TimeDelta::MAX),
            can_yield: it.state.can_yield(),
            yield_requested: it.state.is_yield_requested(),
        });
        taken.collect()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.free(self.number);
    }
}
