//! Maintenance: creates partitions of coming months and purges what is past its retention.

use super::{
    Core, idempotency::purge_expired_records, research::keyword::settle,
    transaction_input::TransactionInput,
};
use crate::account::Account;
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::ids::{AccountId, ProjectId};
use crate::invitation::Invitation;
use crate::keyword_research::Flight;
use crate::link::PersonLink;
use crate::mail::Delivery;
use crate::ports::host_throttle::HostHash;
use crate::ports::storage::{StorageError, Transaction};
use crate::project::PurgeTerm;
use crate::session::Session;
use crate::throttle::Throttle;
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, Months, TimeDelta, Utc};
use std::ops::RangeInclusive;
use std::pin::Pin;

/// Records of these types are large and only describe one day; trends are stored elsewhere.
const SHORT_LIVED_TYPES: [ResultType; 2] = [ResultType::Serp, ResultType::Forecast];

/// Paid calls deleted per transaction.
const PAID_CALL_BATCH: u32 = 500;
/// AI answers deleted per transaction, or tallies, in whole days.
const AI_ANSWER_BATCH: u32 = 500;
/// Guess counters deleted per transaction.
const THROTTLE_BATCH: u32 = 1_000;
/// Host throttle entries deleted per transaction.
const HOST_THROTTLE_BATCH: u32 = 1_000;
/// Search Console imports deleted per transaction.
const IMPORT_BATCH: u32 = 20;
/// Research results, searches or flights deleted per transaction.
const RESEARCH_BATCH: u32 = 200;

/// Events of the audit log or of the event log deleted per transaction.
const EVENT_BATCH: u32 = 1_000;
/// Maximum audit events of an account, whatever their age; an event has at most 2 KB.
const MAX_EVENTS: u32 = 50_000;
/// Minimum time between the first run of a purging version and the first purge of deactivated
/// projects and old audit events, so that operators who upgrade can still keep them.
const NOTICE_PERIOD: TimeDelta = TimeDelta::days(30);
/// Key under which the time of that first run is stored.
const FIRST_RUN_KEY: &str = "removes-since";
/// Deactivated projects purged per query for more.
const PROJECT_BATCH: u32 = 100;

/// Retention periods; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Rank history, in months.
    pub ranks: Option<u32>,
    /// Search pages and forecasts of earlier runs, in days.
    pub pages: Option<u32>,
    /// Other records of earlier runs, in months. The newest run's are never purged.
    pub records: Option<u32>,
    /// Answers of paid calls, in days.
    pub answers: Option<u32>,
    /// AI answers, in days. Their tallies are kept as long as ranks.
    pub ai_answers: Option<u32>,
    /// Rows of Search Console, in months.
    pub console: Option<u32>,
    /// Searches of users, in months since the last one. Shared results are purged on expiry.
    pub searches: Option<u32>,
    /// Deactivated projects with all their data, in days.
    pub deactivated_projects: PurgeTerm,
    /// Audit log of accounts that set no other, in days.
    pub audit: Option<u32>,
    /// Event log, in days.
    pub events: Option<u32>,
}

impl Retention {
    /// How many days an account may store its audit log.
    pub const AUDIT_DAYS: RangeInclusive<u32> = 30..=3_650;

    /// Days of the account's audit log: its own setting if it has one, else the server's; `None` is unlimited.
    pub fn audit_days(&self, account: &Account) -> Option<u32> {
        account.audit_days.or(self.audit)
    }
}

impl Default for Retention {
    /// Ranks and records: three years and a month, to compare a year with the two before. Pages and
    /// AI answers: a quarter. Console: as long as Search Console itself. Searches: a full season.
    fn default() -> Self {
        Self {
            ranks: Some(37),
            pages: Some(92),
            records: Some(37),
            answers: Some(7),
            ai_answers: Some(92),
            console: Some(16),
            searches: Some(13),
            deactivated_projects: PurgeTerm::default(),
            audit: Some(400),
            events: Some(400),
        }
    }
}

impl Core {
    /// Idempotent, and safe to run in several workers at once. Returns the number of purged projects.
    pub async fn purge_expired(&self) -> Result<u64, StorageError> {
        let retention = &self.policies.retention;
        let now = self.clock.now();
        let noticed = now - self.first_run_at(now).await?;
        let mut purged = 0;
        let today = now.date_naive();
        let since = retention.ranks.map(|it| today - Months::new(it));
        let days_ago = |days: u32| now - Days::new(days.into());
        let pages = retention.pages.map(days_ago);
        let records = retention.records.map(|it| now - Months::new(it));
        let answers = retention.answers.map(days_ago);
        let ai_answers = retention.ai_answers.map(days_ago);
        let console = retention.console.map(|it| today - Months::new(it));
        self.storage.maintain_partitions(today, since).await?;
        self.purge_shared(now).await?;
        let searches = retention.searches.map(|it| now - Months::new(it));
        let accounts = self.storage.read().await?.accounts().list().await?;
        for (account, _) in accounts {
            let of = account.id;
            self.purge_correspondence(of, now).await?;
            self.in_batches(|work, _: Option<()>| {
                Box::pin(settle_expired_reservations(work, of, now))
            })
            .await?;
            if let Some(before) = searches {
                self.in_batches(|work, _| {
                    let purging = work.research().purge_searches(of, before, RESEARCH_BATCH);
                    continue_if_full(purging, RESEARCH_BATCH)
                })
                .await?;
            }
            self.purge_sessions_and_responses(of).await?;
            if let Some(before) = since {
                self.in_batches(|work, after| {
                    Box::pin(work.measurements().purge_points(of, before, after))
                })
                .await?;
            }
            for kind in ResultType::ALL {
                let before = if SHORT_LIVED_TYPES.contains(&kind) {
                    pages
                } else {
                    records
                };
                let Some(before) = before else { continue };
                self.in_batches(|work, after| {
                    Box::pin(work.measurements().purge_findings(of, kind, before, after))
                })
                .await?;
            }
            if let Some(before) = answers {
                self.in_batches(|work, _| {
                    let purging = work.paid_calls().purge_before(of, before, PAID_CALL_BATCH);
                    continue_if_full(purging, PAID_CALL_BATCH)
                })
                .await?;
            }
            if let Some(before) = ai_answers {
                self.in_batches(|work, _| {
                    let purging = work.answers().purge_before(of, before, AI_ANSWER_BATCH);
                    continue_if_full(purging, AI_ANSWER_BATCH)
                })
                .await?;
            }
            if let Some(before) = since {
                self.in_batches(|work, _| {
                    let purging = work.answers().purge_tallies(of, before, AI_ANSWER_BATCH);
                    continue_if_full(purging, AI_ANSWER_BATCH)
                })
                .await?;
            }
            if let Some(before) = console {
                self.in_batches(|work, _| {
                    let purging = work.console_rows().purge_before(of, before, IMPORT_BATCH);
                    continue_if_full(purging, IMPORT_BATCH)
                })
                .await?;
            }
            self.purge_audit_log(&account, now, noticed).await?;
            if let Some(before) = retention.events.map(days_ago) {
                self.in_batches(|work, _| {
                    let purging = work.events().purge_before(of, before, EVENT_BATCH);
                    continue_if_full(purging, EVENT_BATCH)
                })
                .await?;
            }
            purged += self.purge_projects(of, now, noticed).await?;
            self.in_batches(|work, after| Box::pin(work.stored_data().recount(of, after)))
                .await?;
        }
        Ok(purged)
    }

    /// Purges expired sessions and stored responses; valid sessions stay.
    async fn purge_sessions_and_responses(&self, account: AccountId) -> Result<(), StorageError> {
        let put_away = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (begun, used) = (given.now - Session::LIFETIME, given.now - Session::IDLE);
            purge_expired_records(work.as_mut(), account, given.now).await?;
            let over = work.sessions().purge_expired(account, begun, used).await?;
            if over > 0 {
                let event = AuditEvent {
                    detail: format!("{over} sessions"),
                    ..given.event(account, Actor::Service, AuditAction::SessionExpired)
                };
                work.audit().record(&event).await?;
            }
            work.commit().await
        };
        self.transaction_with_ids(put_away).await
    }

    /// Purges invitations, links and messages that ended long ago.
    async fn purge_correspondence(
        &self,
        of: AccountId,
        now: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let invited = now - Invitation::LIFETIME - Invitation::KEPT_FOR;
        let (mailed, linked) = (now - Delivery::KEPT_FOR, now - PersonLink::KEPT_FOR);
        let purge = |mut work: Box<dyn Transaction>| async move {
            work.invitations().purge_before(of, invited).await?;
            work.links().purge_before(of, linked).await?;
            work.outbox().purge_before(of, mailed).await?;
            work.commit().await
        };
        self.storage.transaction(purge).await
    }

    /// Purges audit events that are too old or too many.
    async fn purge_audit_log(
        &self,
        account: &Account,
        now: DateTime<Utc>,
        noticed: TimeDelta,
    ) -> Result<(), StorageError> {
        let of = account.id;
        let days = self.policies.retention.audit_days(account);
        let term = days.map(|it| TimeDelta::days(it.into()));
        let aged = term.filter(|it| is_due(noticed, *it)).map(|it| now - it);
        // Events at exactly that time stay.
        let mut read = self.storage.read().await?;
        let behind = read.audit().cutoff_for_newest(of, MAX_EVENTS).await?;
        drop(read);
        if let Some(before) = aged.max(behind) {
            self.in_batches(|work, _| {
                let purging = work.audit().purge_before(of, before, EVENT_BATCH);
                continue_if_full(purging, EVENT_BATCH)
            })
            .await?;
        }
        Ok(())
    }

    /// When a version that purges projects and audit events first ran on this database.
    async fn first_run_at(&self, now: DateTime<Utc>) -> Result<DateTime<Utc>, StorageError> {
        let mut mark = [0; 32];
        mark[..8].copy_from_slice(&now.timestamp_micros().to_be_bytes());
        let find_or_add = |mut work: Box<dyn Transaction>| async move {
            let mark = work.secrets().find_or_add(FIRST_RUN_KEY, mark).await?;
            work.commit().await?;
            Ok::<_, StorageError>(mark)
        };
        let mark = self.storage.transaction(find_or_add).await?;
        let micros = { mark.first_chunk() }.map(|it| i64::from_be_bytes(*it));
        let since = micros.and_then(DateTime::from_timestamp_micros);
        since.ok_or(StorageError::Corrupt {
            subject: "the mark of retention",
        })
    }

    /// Purges the account's projects past retention; returns how many.
    async fn purge_projects(
        &self,
        account: AccountId,
        now: DateTime<Utc>,
        noticed: TimeDelta,
    ) -> Result<u64, StorageError> {
        let term = self.policies.retention.deactivated_projects;
        let is_due = term.length().is_some_and(|it| is_due(noticed, it));
        let Some(until) = term.cutoff(now).filter(|_| is_due) else {
            return Ok(0);
        };
        let mut read = self.storage.read().await?;
        let over = { read.projects() }
            .deactivated_until(account, until, PROJECT_BATCH)
            .await?;
        drop(read);
        let mut purged = 0;
        for project in over {
            self.in_batches(|work, _: Option<()>| {
                Box::pin(purge_project_batch(work, account, project, term, now))
            })
            .await?;
            // A project with unfinished jobs is not purged yet.
            let mut read = self.storage.read().await?;
            purged += u64::from(read.projects().find(account, project).await?.is_none());
        }
        Ok(purged)
    }

    /// Purges data that belongs to no account.
    async fn purge_shared(&self, now: DateTime<Utc>) -> Result<(), StorageError> {
        self.in_batches(|work, _| {
            let purging = work
                .throttles()
                .purge_before(now - Throttle::RESET_AFTER, THROTTLE_BATCH);
            continue_if_full(purging, THROTTLE_BATCH)
        })
        .await?;
        self.in_batches(|work, _| {
            let purging = work
                .host_throttle()
                .purge_before(now - HostHash::PURGE_AFTER, HOST_THROTTLE_BATCH);
            continue_if_full(purging, HOST_THROTTLE_BATCH)
        })
        .await?;
        self.in_batches(|work, _| {
            let purging = work.research().purge_kept(now, RESEARCH_BATCH);
            continue_if_full(purging, RESEARCH_BATCH)
        })
        .await?;
        self.in_batches(|work, _| {
            let purging = work
                .research()
                .purge_flights(now - Flight::LEASE, RESEARCH_BATCH);
            continue_if_full(purging, RESEARCH_BATCH)
        })
        .await
    }

    /// Purges one batch per transaction, each after the end of the previous one, until nothing is left.
    async fn in_batches<P: Copy + Send + Sync>(
        &self,
        part: impl for<'w> Fn(&'w mut dyn Transaction, Option<P>) -> PurgeFuture<'w, P> + Send + Sync,
    ) -> Result<(), StorageError> {
        let part = &part;
        let mut after = None;
        loop {
            let forget = |mut work: Box<dyn Transaction>| async move {
                let last = part(work.as_mut(), after).await?;
                work.commit().await?;
                Ok::<_, StorageError>(last)
            };
            after = self.storage.transaction(forget).await?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Whether the notice period is over; a shorter retention period shortens it.
fn is_due(noticed: TimeDelta, term: TimeDelta) -> bool {
    noticed >= NOTICE_PERIOD.min(term)
}

/// Continues if a batch was full, because more may be left.
fn continue_if_full(purging: CountFuture<'_>, limit: u32) -> PurgeFuture<'_, ()> {
    Box::pin(async move { Ok((purging.await? >= limit.into()).then_some(())) })
}

/// Purges a batch of a project past retention without unfinished jobs.
async fn purge_project_batch(
    work: &mut dyn Transaction,
    account: AccountId,
    project: ProjectId,
    term: PurgeTerm,
    now: DateTime<Utc>,
) -> Result<Option<()>, StorageError> {
    let found = work.projects().lock(account, project).await?;
    if !found.is_some_and(|it| term.is_expired(&it, now)) {
        return Ok(None);
    }
    let unfinished = work.jobs().lock_unfinished(account, Some(project)).await?;
    if !unfinished.is_empty() {
        return Ok(None);
    }
    let is_left = work.projects().purge_batch(account, project).await?;
    Ok(is_left.then_some(()))
}

/// Ends expired reservations of processes that died: the units are free already, and the money
/// counts as spent, because the outcome of the calls is unknown.
async fn settle_expired_reservations(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Option<()>, StorageError> {
    let lapsed = work
        .research()
        .expired_reservations(account, now, RESEARCH_BATCH)
        .await?;
    for reservation in &lapsed {
        if work.research().release(account, reservation.flight).await? {
            settle(work, reservation, reservation.max_cost).await?;
        }
    }
    Ok((lapsed.len() >= RESEARCH_BATCH as usize).then_some(()))
}

/// Purges a batch; returns its end, or `None` if nothing is left.
type PurgeFuture<'w, P> =
    Pin<Box<dyn Future<Output = Result<Option<P>, StorageError>> + Send + 'w>>;
/// Purges a batch; returns the number of rows.
type CountFuture<'w> = Pin<Box<dyn Future<Output = Result<u64, StorageError>> + Send + 'w>>;
