//! The analyses, and the worker that runs them: it claims jobs, measures, evaluates and publishes.

mod ai_visibility;
mod attempt;
mod attempt_state;
mod console;
mod heartbeat;
pub mod job_metrics;
mod mail;
pub mod packing;
mod provider_errors;
mod publisher;
mod rank_check;
mod site_audit;
mod slots;
mod staging;
mod stoppable_ledger;
mod suggest;
mod web_vitals;

use attempt::Attempt;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::job::Job;
use domain::job::account_queue::AccountQueue;
use domain::job::clock_check::{ClockCheck, ClockFault};
use domain::job::fair_queue::CANDIDATES;
use domain::job::slots::{FreeSlots, SlotKind, Slots};
use domain::ports::clock::Clock;
use domain::ports::randomness::Randomness;
use domain::ports::search_results::SearchResults;
use domain::ports::site_access::SiteAccessProvider;
use domain::ports::site_reader::SiteReader;
use domain::ports::storage::{Storage, StorageError};
use domain::schedule::Schedule;
use domain::use_cases::Core;
use domain::use_cases::check_clock_skew::clock_fault;
use domain::use_cases::measure_page_speed::SpeedSources;
use domain::use_cases::retention_clock::PurgePostponed;
use domain::use_cases::search_console::fetch::FetchConsole;
use domain::use_cases::send_mail::SendMail;
use domain::use_cases::sweep_queue::Swept;
use heartbeat::HeartbeatTask;
use publisher::JobPublisher;
use slots::WorkerSlots;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

#[derive(Clone)]
pub struct WorkerContext {
    pub core: Arc<Core>,
    pub console: Arc<FetchConsole>,
    /// `None` where the server sends no mail.
    pub mail: Option<Arc<SendMail>>,
    pub search: Arc<dyn SearchResults>,
    pub sites: Arc<dyn SiteReader>,
    pub site_access: Arc<dyn SiteAccessProvider>,
    pub speed: SpeedSources,
    pub limits: WorkerLimits,
    /// The system clock, even where jobs run on simulated days (`sightline demo`).
    pub system_clock: Arc<dyn Clock>,
    /// How long the storage may take to reconnect after an outage.
    pub reconnects_within: Duration,
}

#[derive(Debug, Clone, Copy)]
pub struct WorkerLimits {
    pub jobs: usize,
    pub short_jobs: usize,
    pub keywords_at_once: usize,
    pub paid_keywords_at_once: usize,
    pub paid_answers_at_once: usize,
    pub depth: u32,
    pub max_pages: u32,
    pub max_depth: u32,
    pub check_external: bool,
    pub render_pages: u32,
    pub speed_pages: u32,
}

pub struct Worker {
    name: String,
    tools: WorkerContext,
    wake: Arc<Notify>,
    stop: CancellationToken,
}

/// Requeues every running job. Only for a process that has the database to itself, before it runs a job.
pub async fn requeue_running_jobs(tools: &WorkerContext) {
    match tools.core.reclaim_all().await {
        Ok(swept) => log_swept(&swept),
        Err(error) => tracing::warn!(
            error = error_chain(&error),
            "Jobs of an earlier process cannot be requeued yet; they are requeued when their leases expire."
        ),
    }
}

const PURGE_INTERVAL: Duration = Duration::from_hours(24);
/// The same while deletion is postponed or failed.
const PURGE_RETRY_INTERVAL: Duration = Duration::from_hours(1);
/// Mean poll interval of an idle worker; varied by 50 %, so that workers do not poll together.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

impl Worker {
    pub fn new(
        name: String,
        tools: WorkerContext,
        wake: Arc<Notify>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            name,
            tools,
            wake,
            stop,
        }
    }

    /// Runs until the stop token is cancelled and every job has finished or was requeued.
    pub async fn run(self) {
        let wake = Arc::clone(&self.wake);
        // Nothing is claimed before the first clock check.
        let trust = Arc::new(AtomicBool::new(false));
        let sweeper = tokio::spawn(sweep(
            self.tools.clone(),
            wake,
            Arc::clone(&trust),
            self.stop.clone(),
        ));
        let purge_core = Core {
            clock: Arc::clone(&self.tools.system_clock),
            ..Core::clone(&self.tools.core)
        };
        let purger = tokio::spawn(run_purge(purge_core, self.stop.clone()));
        let console = Arc::clone(&self.tools.console);
        let every = self.tools.core.policies.queue.sweep;
        let fetcher = tokio::spawn(console::fetch(console, every, self.stop.clone()));
        let mail = self.tools.mail.clone();
        let (mail_trust, mail_stop) = (Arc::clone(&trust), self.stop.clone());
        let mailer = tokio::spawn(async move {
            if let Some(mail) = mail {
                mail::send(mail, mail_trust, mail_stop).await;
            }
        });
        let load = &self.tools.limits;
        let slots = Slots::new(small(load.jobs.max(1)), small(load.short_jobs));
        let slots = Arc::new(WorkerSlots::new(slots));
        let heartbeats = Arc::new(HeartbeatTask::default());
        let publisher = Arc::new(JobPublisher::new(Arc::clone(&self.tools.core)));
        let heartbeat_task =
            tokio::spawn(Arc::clone(&heartbeats).run(Arc::clone(&self.tools.core)));
        let running = TaskTracker::new();
        let mut is_full = false;
        while !self.stop.is_cancelled() {
            let free_slots = slots.free_slots();
            // With a wrong clock, leases would expire at once or never.
            let is_trusted = trust.load(Ordering::SeqCst);
            let may_claim = is_trusted && self.has_disk_space(&mut is_full);
            let jobs = match &free_slots {
                Some(free_slots) if may_claim => self.claim(free_slots).await,
                _ => vec![],
            };
            let is_idle = jobs.is_empty();
            for job in jobs {
                let (tools, heartbeats) = (self.tools.clone(), Arc::clone(&heartbeats));
                let publisher = Arc::clone(&publisher);
                let attempt =
                    Attempt::new(tools, heartbeats, publisher, job, self.stop.child_token());
                let slot = slots.take(attempt.job(), attempt.state());
                running.spawn(async move {
                    attempt.run().await;
                    drop(slot);
                });
            }
            if is_idle {
                let has_room = free_slots.is_some_and(|it| it.slot_kind == SlotKind::AnyJob);
                if is_trusted && !has_room {
                    self.yield_to_waiting_accounts(&slots).await;
                }
                self.wait_for_next_poll(&slots, has_room).await;
            }
        }
        running.close();
        running.wait().await;
        heartbeat_task.abort();
        for (name, beside) in [
            ("sweeper", sweeper),
            ("housekeeper", purger),
            ("fetcher", fetcher),
            ("mailer", mailer),
        ] {
            if let Err(error) = beside.await {
                tracing::error!(%error, name, "A task beside the jobs ended badly.");
            }
        }
    }

    async fn claim(&self, free_slots: &FreeSlots) -> Vec<Job> {
        match self.tools.core.claim_jobs(&self.name, free_slots).await {
            Ok(jobs) => jobs,
            Err(error) => {
                tracing::warn!(
                    error = error_chain(&error),
                    "The queue cannot be read; the worker tries again."
                );
                vec![]
            }
        }
    }

    /// Without disk space an attempt would fail and count.
    fn has_disk_space(&self, was_full: &mut bool) -> bool {
        let is_full = !self.tools.core.storage.has_room();
        if is_full && !*was_full {
            tracing::error!(
                "The disk of the database is full: no job is begun until there is room."
            );
        } else if *was_full && !is_full {
            tracing::warn!("There is room on the disk again; jobs are begun.");
        }
        *was_full = is_full;
        !is_full
    }

    async fn yield_to_waiting_accounts(&self, slots: &WorkerSlots) {
        let policy = &self.tools.core.policies.queue;
        if !slots.has_expired_time_slice(policy.time_slice) {
            return;
        }
        let now = self.tools.core.clock.now();
        match self.waiting_accounts(now).await {
            Ok(waiting) => slots.request_one_yield(&waiting, policy.time_slice, now),
            Err(error) => tracing::warn!(
                error = error_chain(&error),
                "Waiting accounts cannot be read; the worker tries again."
            ),
        }
    }

    async fn waiting_accounts(
        &self,
        now: DateTime<Utc>,
    ) -> Result<Vec<AccountQueue>, StorageError> {
        let cap = self.tools.core.policies.queue.running_per_account;
        let mut read = self.tools.core.storage.read().await?;
        let jobs = read.jobs();
        let waiting = jobs.accounts_with_due_jobs(SlotKind::AnyJob, now, cap, CANDIDATES[0]);
        waiting.await
    }

    /// Waits for the next poll. A worker that cannot take every job also wakes when a slot becomes free.
    async fn wait_for_next_poll(&self, slots: &WorkerSlots, has_room: bool) {
        let rest = POLL_INTERVAL.mul_f64(0.5 + fraction(self.tools.core.randomness.as_ref()));
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = self.wake.notified() => {}
            () = slots.freed(), if !has_room => {}
            () = tokio::time::sleep(rest) => {}
        }
    }
}

fn small(number: usize) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

async fn sweep(
    tools: WorkerContext,
    wake: Arc<Notify>,
    trust: Arc<AtomicBool>,
    stop: CancellationToken,
) {
    let WorkerContext {
        core,
        system_clock: machine,
        ..
    } = &tools;
    let policy = core.policies.queue;
    let mut seen = ClockCheck::default();
    let mut known = None;
    // Leases expire during a database outage although their workers live: let these renew first.
    let heartbeat = as_std(policy.heartbeat);
    let to_renew = heartbeat * 2 + tools.reconnects_within;
    let mut renewed_at = Instant::now();
    loop {
        let before = known;
        let started_at = Instant::now();
        let looked = check_clock(core, machine.as_ref(), &mut seen, WORKER_CONSEQUENCE).await;
        // A single call may block through an outage.
        if looked.is_none() || started_at.elapsed() > heartbeat {
            renewed_at = Instant::now() + to_renew;
        }
        known = looked.or(before);
        let is_trusted = known == Some(true);
        trust.store(is_trusted, Ordering::SeqCst);
        if is_trusted && before == Some(false) {
            tracing::warn!("The clock is trusted again; jobs are claimed.");
        }
        if is_trusted && before != known {
            wake.notify_one();
        }
        if is_trusted {
            end_stalled(core.storage.as_ref(), policy.lease).await;
            if Instant::now() >= renewed_at {
                requeue_expired_jobs(core).await;
            }
            fire(core, &wake).await;
        }
        // Nothing is claimed before the first check, so it is retried soon.
        let pause = known.map_or(POLL_INTERVAL, |_| as_std(policy.sweep));
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

const WORKER_CONSEQUENCE: &str =
    "no job is claimed or requeued, and no schedule started, until it is right";
const SERVER_CONSEQUENCE: &str =
    "the expiry of tokens and sessions, and the day of a budget, depend on it";

/// Logs clock errors in a process without jobs, until the token is cancelled.
pub async fn run_clock_checks(core: Arc<Core>, machine: Arc<dyn Clock>, stop: CancellationToken) {
    let mut seen = ClockCheck::default();
    loop {
        check_clock(&core, machine.as_ref(), &mut seen, SERVER_CONSEQUENCE).await;
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(as_std(core.policies.queue.sweep)) => {}
        }
    }
}

/// Logs the reason if not; `None` if the database does not answer.
async fn check_clock(
    core: &Core,
    machine: &dyn Clock,
    seen: &mut ClockCheck,
    consequence: &str,
) -> Option<bool> {
    let (storage, policy) = (core.storage.as_ref(), &core.policies.queue);
    match clock_fault(storage, machine, policy, seen).await {
        Ok(None) => Some(true),
        Ok(Some(fault)) => {
            let (description, by) = match fault {
                ClockFault::Skewed(by) => ("is apart from the database's", by),
                ClockFault::Stepped(by) => ("was set", by),
            };
            tracing::warn!(
                seconds = by.num_seconds(),
                "The clock {description}: {consequence}. Look at the time service of this machine."
            );
            Some(false)
        }
        Err(error) => {
            tracing::warn!(
                error = error_chain(&error),
                "The database's clock cannot be read."
            );
            None
        }
    }
}

/// A frozen worker may lock its jobs' rows, so that they cannot be requeued.
async fn end_stalled(storage: &dyn Storage, silent_for: TimeDelta) {
    match storage.end_stalled(silent_for).await {
        Ok(0) => {}
        Ok(connections) => tracing::warn!(
            connections,
            "Connections of processes that stalled inside a transaction were ended."
        ),
        Err(error) => tracing::warn!(
            error = error_chain(&error),
            "Stalled connections cannot be ended; the next sweep tries again."
        ),
    }
}

async fn requeue_expired_jobs(core: &Core) {
    match core.sweep_queue().await {
        Ok(swept) => log_swept(&swept),
        Err(error) => tracing::warn!(
            error = error_chain(&error),
            "The queue cannot be swept; the next sweep tries again."
        ),
    }
}

async fn fire(core: &Core, wake: &Notify) {
    match core.fire_schedules().await {
        Ok(fired) => {
            for schedule in &fired {
                note_fired(schedule);
            }
            if !fired.is_empty() {
                wake.notify_one();
            }
        }
        Err(error) => tracing::warn!(
            error = error_chain(&error),
            "What is due cannot be started; the next sweep tries again."
        ),
    }
}

fn log_swept(swept: &Swept) {
    for job in &swept.moved {
        job_metrics::swept(job);
        tracing::warn!(
            jobId = job.id.0,
            accountId = job.account.0,
            state = job.state.name(),
            "A job was taken back."
        );
    }
    for (account, error) in &swept.failures {
        tracing::warn!(
            accountId = account.0,
            error = error_chain(error),
            "An account's jobs cannot be swept; the next sweep tries again."
        );
    }
}

fn note_fired(schedule: &Schedule) {
    let (account, project) = (schedule.account.0, schedule.project.0);
    let (kind, refusal) = (schedule.kind.name(), schedule.last_refusal.as_deref());
    match refusal {
        None => {
            job_metrics::enqueued(schedule.kind);
            tracing::info!(
                accountId = account,
                project,
                kind,
                "A schedule was due: a job is queued."
            );
        }
        Some(refusal) => tracing::warn!(
            accountId = account,
            project,
            kind,
            refusal,
            "A schedule was due, and no job was queued."
        ),
    }
}

/// At start, for installations that had no worker for months, then daily.
async fn run_purge(core: Core, stop: CancellationToken) {
    loop {
        let mut pause = PURGE_INTERVAL;
        let kept = match core.check_retention_clock().await {
            Ok(None) => core.purge_expired().await,
            Ok(Some(postponed)) => {
                note_postponed(postponed);
                pause = PURGE_RETRY_INTERVAL;
                let today = core.clock.now().date_naive();
                core.storage
                    .maintain_partitions(today, None)
                    .await
                    .map(|()| 0)
            }
            Err(error) => Err(error),
        };
        match kept {
            Ok(0) => {}
            Ok(projects) => tracing::info!(
                projects,
                "Deactivated projects were removed: their term (retention.deactivated_project_days) is over."
            ),
            Err(error) => {
                tracing::warn!(
                    error = error_chain(&error),
                    "What is too old could not be deleted; it is tried again in an hour."
                );
                pause = PURGE_RETRY_INTERVAL;
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

fn note_postponed(postponed: PurgePostponed) {
    let until = postponed.until.to_rfc3339_opts(SecondsFormat::Secs, true);
    if let Some(apart) = postponed.deviation {
        tracing::warn!(
            hours = apart.num_hours(),
            until,
            "The clock differs from the expected time: retention deletes nothing for a day. Correct the clock if it is wrong."
        );
    } else {
        tracing::info!(
            until,
            "Retention deletes nothing before this time: the clock is checked for a day first."
        );
    }
}

pub fn error_chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

fn as_std(delta: TimeDelta) -> Duration {
    delta.to_std().unwrap_or(Duration::ZERO)
}

fn fraction(randomness: &dyn Randomness) -> f64 {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
}
