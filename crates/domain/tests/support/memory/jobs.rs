//! Jobs, and queue rows of accounts.

use super::paging::{BY_ID, Place, moment, page};
use super::state::{State, add, remove_oldest};
use super::{Session, Stored, conflict};
use crate::{
    account::Account,
    ids::{AccountId, JobId, ProjectId},
    job::{Job, JobState, account_queue::AccountQueue, policy::QueuePolicy, slots::SlotKind},
    page::{Page, PageRequest},
    ports::jobs::{JobFilter, JobRepository, JobSort, QueueFigures, QueueSummary},
    ports::storage::StorageError,
    project::Project,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::cmp::Reverse;

/// Order in which an account's waiting jobs are claimed.
fn claim_order(job: &Job) -> impl Ord + use<> {
    (Reverse(job.priority), job.run_at, job.id)
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

impl State {
    fn jobs_of(&self, account: AccountId) -> impl Iterator<Item = &Job> {
        let jobs = self.jobs.values();
        jobs.filter(move |it| it.account == account)
    }

    fn unfinished_with_key(&self, account: AccountId, key: &str) -> Option<&Job> {
        let unfinished = self.jobs_of(account).filter(|it| it.state.is_unfinished());
        unfinished.into_iter().find(|it| it.dedupe_key == key)
    }

    /// Dedupe keys are unique among unfinished jobs.
    fn is_only_one(&self, job: &Job) -> Stored<()> {
        let other = self.unfinished_with_key(job.account, &job.dedupe_key);
        if job.state.is_unfinished() && other.is_some_and(|it| it.id != job.id) {
            return conflict("jobs_unfinished_key");
        }
        Ok(())
    }

    /// Fields of the request stay.
    fn save_job(&mut self, job: &Job) -> Stored<()> {
        let key = (job.account, job.id);
        let Some(known) = self.jobs.get(&key) else {
            return Ok(());
        };
        let saved = Job {
            project: known.project,
            kind: known.kind,
            keywords: known.keywords.clone(),
            models: known.models.clone(),
            trigger: known.trigger,
            dedupe_key: known.dedupe_key.clone(),
            day: known.day,
            created_at: known.created_at,
            ..job.clone()
        };
        self.is_only_one(&saved)?;
        self.jobs.insert(key, saved);
        Ok(())
    }

    fn line(&mut self, account: AccountId) -> AccountQueue {
        *self
            .queues
            .entry(account)
            .or_insert(AccountQueue::new(account))
    }

    /// Queue rows of accounts with unfinished jobs.
    fn busy_lines(&self) -> impl Iterator<Item = &AccountQueue> {
        let lines = self.queues.values();
        lines.filter(|it| it.attention_at.is_some())
    }

    fn queue_figures(&self) -> QueueFigures {
        QueueFigures {
            waiting: self.busy_lines().map(|it| u64::from(it.waiting)).sum(),
            running: self.busy_lines().map(|it| u64::from(it.running)).sum(),
            next_run_at: self.busy_lines().filter_map(|it| it.next_run_at).min(),
            attention_at: self.busy_lines().filter_map(|it| it.attention_at).min(),
            min_virtual_time: { self.busy_lines().map(|it| it.virtual_time) }
                .min_by(f64::total_cmp)
                .unwrap_or_default(),
        }
    }

    fn account_with_project(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Option<(Account, Project)> {
        let project = self.projects.get(&(account, project)).cloned();
        self.accounts.get(&account).cloned().zip(project)
    }

    fn some_jobs(&self, account: AccountId, ids: &[JobId]) -> Vec<Job> {
        let some = self.jobs_of(account).filter(|it| ids.contains(&it.id));
        some.cloned().collect()
    }

    fn sorted_jobs<K: Ord>(
        &self,
        account: AccountId,
        is_wanted: impl Fn(&Job) -> bool,
        order: impl Fn(&Job) -> K,
        limit: u32,
    ) -> Vec<Job> {
        let wanted = self.jobs_of(account).filter(|it| is_wanted(it));
        let mut wanted: Vec<Job> = wanted.cloned().collect();
        wanted.sort_by_key(order);
        wanted.truncate(limit as usize);
        wanted
    }
}

fn by_state(job: &Job) -> impl Ord + use<> {
    (job.state.name(), job.run_at, job.id)
}

/// A queue row recounted from the account's jobs.
fn counted<'j>(jobs: impl Iterator<Item = &'j Job>, line: AccountQueue) -> AccountQueue {
    let unfinished = jobs.filter(|it| it.state.is_unfinished());
    unfinished.fold(line, |line, it| line.after_change(None, it))
}

#[async_trait]
impl JobRepository for Session {
    async fn add(&mut self, job: &Job) -> Stored<bool> {
        self.change(|state| {
            let is_only_one = state.is_only_one(job).is_ok();
            let key = (job.account, job.id);
            Ok(is_only_one && add(&mut state.jobs, key, job.clone()).is_ok())
        })
    }

    async fn find(&mut self, account: AccountId, job: JobId) -> Stored<Option<Job>> {
        self.query(|state| state.jobs.get(&(account, job)).cloned())
    }

    async fn lock(&mut self, account: AccountId, job: JobId) -> Stored<Option<Job>> {
        self.change(|state| Ok(state.jobs.get(&(account, job)).cloned()))
    }

    async fn unfinished_with_key(&mut self, account: AccountId, key: &str) -> Stored<Option<Job>> {
        self.query(|state| state.unfinished_with_key(account, key).cloned())
    }

    async fn lock_all(&mut self, account: AccountId, jobs: &[JobId]) -> Stored<Vec<Job>> {
        self.change(|state| Ok(state.some_jobs(account, jobs)))
    }

    async fn save(&mut self, job: &Job) -> Stored<()> {
        self.change(|state| state.save_job(job))
    }

    async fn save_all(&mut self, jobs: &[Job]) -> Stored<()> {
        self.change(|state| jobs.iter().try_for_each(|it| state.save_job(it)))
    }

    async fn list(
        &mut self,
        account: AccountId,
        filter: &JobFilter,
        request: &PageRequest<JobSort>,
    ) -> Stored<Page<Job>> {
        self.try_query(|state| {
            let wanted = state.jobs_of(account).filter(|it| {
                filter.project.is_none_or(|project| project == it.project)
                    && filter.kind.is_none_or(|kind| kind == it.kind)
                    && filter
                        .status
                        .is_none_or(|status| status == it.state.status())
            });
            let place = |it: &Job| Place {
                value: moment(it.created_at),
                id: it.id.0,
            };
            page(wanted, request, &BY_ID, place, |_| 0)
        })
    }

    async fn lock_unfinished(
        &mut self,
        account: AccountId,
        project: Option<ProjectId>,
    ) -> Stored<Vec<Job>> {
        self.change(|state| {
            let is_wanted = |it: &Job| {
                it.state.is_unfinished() && project.is_none_or(|project| project == it.project)
            };
            Ok(state.sorted_jobs(account, is_wanted, by_state, u32::MAX))
        })
    }

    async fn summary(&mut self, account: AccountId) -> Stored<QueueSummary> {
        self.query(|state| {
            let waiting = || state.jobs_of(account).filter(|it| it.state.is_waiting());
            let running = state
                .jobs_of(account)
                .filter(|it| it.state == JobState::Running);
            QueueSummary {
                queued: number(waiting().count()),
                running: number(running.count()),
                oldest_queued_at: waiting().map(|it| it.created_at).min(),
            }
        })
    }

    async fn position(&mut self, account: AccountId, job: JobId) -> Stored<Option<u32>> {
        self.query(|state| {
            let own = state.jobs.get(&(account, job))?;
            let waiting = state.jobs_of(account).filter(|it| it.state.is_waiting());
            let before = waiting
                .filter(|it| claim_order(it) < claim_order(own))
                .count();
            own.state.is_waiting().then(|| number(before))
        })
    }

    async fn lock_queue(&mut self, account: AccountId) -> Stored<AccountQueue> {
        self.change(|state| Ok(state.line(account)))
    }

    async fn try_lock_queue(&mut self, account: AccountId) -> Stored<Option<AccountQueue>> {
        self.change(|state| Ok(state.queues.get(&account).copied()))
    }

    async fn lock_queue_and_jobs(
        &mut self,
        account: AccountId,
        jobs: &[JobId],
    ) -> Stored<(AccountQueue, Vec<Job>)> {
        self.change(|state| Ok((state.line(account), state.some_jobs(account, jobs))))
    }

    async fn lock_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Option<(Account, AccountQueue, Project)>> {
        self.change(|state| {
            let line = state.queues.get(&account).copied();
            let both = state.account_with_project(account, project);
            Ok({ both.zip(line) }.map(|((found, project), line)| (found, line, project)))
        })
    }

    async fn lock_newcomer_with_project(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Stored<Option<(Account, Project)>> {
        self.change(|state| Ok(state.account_with_project(account, project)))
    }

    async fn save_queue(&mut self, line: &AccountQueue) -> Stored<()> {
        self.change(|state| {
            state.queues.insert(line.account, *line);
            Ok(())
        })
    }

    async fn add_queue(&mut self, line: &AccountQueue) -> Stored<()> {
        self.change(|state| {
            let made_meanwhile =
                |_| StorageError::Interrupted("its line was made meanwhile".into());
            add(&mut state.queues, line.account, *line).map_err(made_meanwhile)
        })
    }

    async fn refresh_queue(
        &mut self,
        account: AccountId,
        virtual_time: f64,
    ) -> Stored<AccountQueue> {
        self.change(|state| {
            let begun = AccountQueue {
                virtual_time,
                ..AccountQueue::new(account)
            };
            let line = counted(state.jobs_of(account), begun);
            state.queues.insert(account, line);
            Ok(line)
        })
    }

    async fn lock_due(
        &mut self,
        account: AccountId,
        takes: SlotKind,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Job>> {
        self.change(|state| {
            let is_due = |it: &Job| {
                it.is_due(now) && !it.cancel_requested && takes.kinds().contains(&it.kind)
            };
            Ok(state.sorted_jobs(account, is_due, claim_order, limit))
        })
    }

    async fn lock_needing_attention(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Job>> {
        self.change(|state| {
            Ok(state.sorted_jobs(account, |it| it.needs_attention(now), by_state, limit))
        })
    }

    async fn purge_finished(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        policy: &QueuePolicy,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |_: &_, it: &Job| it.account == account && it.is_purgeable(now, policy);
            let age = |it: &Job| it.created_at;
            Ok(remove_oldest(&mut state.jobs, limit, is_over, age))
        })
    }

    async fn accounts_with_due_jobs(
        &mut self,
        takes: SlotKind,
        now: DateTime<Utc>,
        cap: u32,
        limit: u32,
    ) -> Stored<Vec<AccountQueue>> {
        self.query(|state| {
            let next = |it: &AccountQueue| match takes {
                SlotKind::AnyJob => it.next_run_at,
                SlotKind::ShortJobs => it.next_short_run_at,
            };
            let is_due = |it: &&AccountQueue| next(it).is_some_and(|at| at <= now);
            let due = state.busy_lines().filter(is_due);
            let mut due: Vec<AccountQueue> = due.filter(|it| it.running < cap).copied().collect();
            due.sort_by(|one, other| one.virtual_time.total_cmp(&other.virtual_time));
            due.truncate(limit as usize);
            due
        })
    }

    async fn accounts_needing_attention(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let lines = state.busy_lines().map(|it| (it.attention_at, it.account));
            let mut lines: Vec<_> = lines.filter(|(at, _)| *at <= Some(now)).collect();
            lines.sort_unstable();
            let accounts = lines.into_iter().map(|(_, account)| account);
            accounts.take(limit as usize).collect()
        })
    }

    async fn accounts_with_running_jobs(
        &mut self,
        behind: Option<AccountId>,
        limit: u32,
    ) -> Stored<Vec<AccountId>> {
        self.query(|state| {
            let running = state.busy_lines().filter(|it| it.running > 0);
            let accounts = running.map(|it| it.account).filter(|it| Some(*it) > behind);
            accounts.take(limit as usize).collect()
        })
    }

    async fn has_live_workers(&mut self, since: DateTime<Utc>) -> Stored<bool> {
        self.query(|state| {
            let mut lines = state.busy_lines();
            lines.any(|it| it.running > 0 && it.attention_at > Some(since))
        })
    }

    async fn queue_figures(&mut self) -> Stored<QueueFigures> {
        self.query(State::queue_figures)
    }

    async fn queue_figures_for(&mut self, account: AccountId) -> Stored<(QueueFigures, bool)> {
        self.query(|state| (state.queue_figures(), state.queues.contains_key(&account)))
    }

    async fn waiting_accounts(&mut self, limit: u32) -> Stored<Vec<AccountQueue>> {
        self.query(|state| {
            let waiting = state.busy_lines().filter(|it| it.waiting > 0);
            waiting.take(limit as usize).copied().collect()
        })
    }

    async fn next_run_at(&mut self) -> Stored<Option<DateTime<Utc>>> {
        self.query(|state| state.queues.values().filter_map(|it| it.next_run_at).min())
    }
}
