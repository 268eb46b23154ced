//! Maintenance: creates partitions of coming months and purges what is past its retention.

use super::{Core, given::Given, repeats::forget_old, research::keyword::settle};
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::ids::{AccountId, ProjectId};
use crate::keyword_research::Flight;
use crate::ports::site_turns::SiteHash;
use crate::ports::storage::{StorageError, Transaction};
use crate::project::PurgeTerm;
use crate::session::Session;
use crate::throttle::Throttle;
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, Months, TimeDelta, Utc};
use std::pin::Pin;

/// Records of these types are large and only describe one day; trends are stored elsewhere.
const OF_A_DAY: [ResultType; 2] = [ResultType::Serp, ResultType::Forecast];

/// Paid calls deleted per transaction.
const TOGETHER: u32 = 500;
/// AI answers deleted per transaction, or tallies, in whole days.
const AI_ANSWERS: u32 = 500;
/// Guess counters deleted per transaction.
const GUESSES: u32 = 1_000;
/// Host throttle entries deleted per transaction.
const TURNS: u32 = 1_000;
/// Search Console imports deleted per transaction.
const IMPORTS: u32 = 20;
/// Research results, searches or flights deleted per transaction.
const SEARCHES: u32 = 200;

/// Audit events deleted per transaction.
const EVENTS: u32 = 1_000;
/// Maximum audit events of an account, whatever their age; an event has at most 2 KB.
const MAX_EVENTS: u32 = 50_000;
/// Minimum time between the first run of a purging version and the first purge of deactivated
/// projects and old audit events, so that operators who upgrade can still keep them.
const NOTICE: TimeDelta = TimeDelta::days(30);
/// Key under which the time of that first run is stored.
const SINCE: &str = "removes-since";
/// Deactivated projects purged per query for more.
const PROJECTS: u32 = 100;

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
    /// Audit log, in days.
    pub audit: Option<u32>,
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
        }
    }
}

impl Core {
    /// Idempotent, and safe to run in several workers at once. Returns the number of purged projects.
    pub async fn keep_house(&self) -> Result<u64, StorageError> {
        let retention = &self.policies.retention;
        let now = self.clock.now();
        let noticed = now - self.removes_since(now).await?;
        let mut purged = 0;
        let today = now.date_naive();
        let since = retention.ranks.map(|it| today - Months::new(it));
        let days_ago = |days: u32| now - Days::new(days.into());
        let pages = retention.pages.map(days_ago);
        let records = retention.records.map(|it| now - Months::new(it));
        let answers = retention.answers.map(days_ago);
        let ai_answers = retention.ai_answers.map(days_ago);
        let console = retention.console.map(|it| today - Months::new(it));
        self.storage.tend(today, since).await?;
        self.forget_what_is_nobodys(now).await?;
        let searches = retention.searches.map(|it| now - Months::new(it));
        let accounts = self.storage.read().await?.accounts().list().await?;
        for (account, _) in accounts {
            let of = account.id;
            self.in_parts(|work, _: Option<()>| Box::pin(end_lapsed(work, of, now)))
                .await?;
            if let Some(before) = searches {
                self.in_parts(|work, _| {
                    let forgetting = work.research().forget_searches(of, before, SEARCHES);
                    unless_few(forgetting, SEARCHES)
                })
                .await?;
            }
            self.put_away_what_is_over(of).await?;
            if let Some(before) = since {
                self.in_parts(|work, after| {
                    Box::pin(work.measurements().forget_points(of, before, after))
                })
                .await?;
            }
            for kind in ResultType::ALL {
                let before = if OF_A_DAY.contains(&kind) {
                    pages
                } else {
                    records
                };
                let Some(before) = before else { continue };
                self.in_parts(|work, after| {
                    Box::pin(work.measurements().forget_findings(of, kind, before, after))
                })
                .await?;
            }
            if let Some(before) = answers {
                self.in_parts(|work, _| {
                    let forgetting = work.paid_calls().forget(of, before, TOGETHER);
                    unless_few(forgetting, TOGETHER)
                })
                .await?;
            }
            if let Some(before) = ai_answers {
                self.in_parts(|work, _| {
                    let forgetting = work.answers().forget(of, before, AI_ANSWERS);
                    unless_few(forgetting, AI_ANSWERS)
                })
                .await?;
            }
            if let Some(before) = since {
                self.in_parts(|work, _| {
                    let forgetting = work.answers().forget_tallies(of, before, AI_ANSWERS);
                    unless_few(forgetting, AI_ANSWERS)
                })
                .await?;
            }
            if let Some(before) = console {
                self.in_parts(|work, _| {
                    let forgetting = work.console_rows().forget(of, before, IMPORTS);
                    unless_few(forgetting, IMPORTS)
                })
                .await?;
            }
            self.forget_events(of, now, noticed).await?;
            purged += self.purge_projects(of, now, noticed).await?;
            self.in_parts(|work, after| Box::pin(work.stored_data().recount(of, after)))
                .await?;
        }
        Ok(purged)
    }

    /// Purges expired sessions and stored responses; valid sessions stay.
    async fn put_away_what_is_over(&self, account: AccountId) -> Result<(), StorageError> {
        let put_away = |mut work: Box<dyn Transaction>, mut given: Given| async move {
            let (begun, used) = (given.now - Session::LIFETIME, given.now - Session::IDLE);
            forget_old(work.as_mut(), account, given.now).await?;
            let over = work.sessions().forget(account, begun, used).await?;
            if over > 0 {
                let event = AuditEvent {
                    detail: format!("{over} sessions"),
                    ..given.event(account, Actor::Service, AuditAction::SessionExpired)
                };
                work.audit().record(&event).await?;
            }
            work.commit().await
        };
        self.transaction_given(put_away).await
    }

    /// Purges audit events that are too old or too many.
    async fn forget_events(
        &self,
        of: AccountId,
        now: DateTime<Utc>,
        noticed: TimeDelta,
    ) -> Result<(), StorageError> {
        let term = { self.policies.retention.audit }.map(|it| TimeDelta::days(it.into()));
        let aged = term.filter(|it| is_due(noticed, *it)).map(|it| now - it);
        // Events at exactly that time stay.
        let mut read = self.storage.read().await?;
        let behind = read.audit().at_behind(of, MAX_EVENTS).await?;
        drop(read);
        if let Some(before) = aged.max(behind) {
            self.in_parts(|work, _| {
                let forgetting = work.audit().forget_before(of, before, EVENTS);
                unless_few(forgetting, EVENTS)
            })
            .await?;
        }
        Ok(())
    }

    /// When a version that purges projects and audit events first ran on this database.
    async fn removes_since(&self, now: DateTime<Utc>) -> Result<DateTime<Utc>, StorageError> {
        let mut mark = [0; 32];
        mark[..8].copy_from_slice(&now.timestamp_micros().to_be_bytes());
        let find_or_add = |mut work: Box<dyn Transaction>| async move {
            let mark = work.secrets().find_or_add(SINCE, mark).await?;
            work.commit().await?;
            Ok::<_, StorageError>(mark)
        };
        let mark = self.storage.transaction(find_or_add).await?;
        let micros = { mark.first_chunk() }.map(|it| i64::from_be_bytes(*it));
        let since = micros.and_then(DateTime::from_timestamp_micros);
        since.ok_or(StorageError::Corrupt {
            what: "the mark of retention",
        })
    }

    /// Purges the account's projects whose term is over; returns how many.
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
            .deactivated_until(account, until, PROJECTS)
            .await?;
        drop(read);
        let mut purged = 0;
        for project in over {
            self.in_parts(|work, _: Option<()>| Box::pin(purge(work, account, project, term, now)))
                .await?;
            // A project with unfinished jobs is not purged yet.
            let mut read = self.storage.read().await?;
            purged += u64::from(read.projects().find(account, project).await?.is_none());
        }
        Ok(purged)
    }

    /// Purges data that belongs to no account.
    async fn forget_what_is_nobodys(&self, now: DateTime<Utc>) -> Result<(), StorageError> {
        self.in_parts(|work, _| {
            let forgetting = work
                .throttles()
                .forget_before(now - Throttle::FORGOTTEN_AFTER, GUESSES);
            unless_few(forgetting, GUESSES)
        })
        .await?;
        self.in_parts(|work, _| {
            let forgetting = work
                .site_turns()
                .forget_before(now - SiteHash::FORGOTTEN_AFTER, TURNS);
            unless_few(forgetting, TURNS)
        })
        .await?;
        self.in_parts(|work, _| {
            let forgetting = work.research().forget_kept(now, SEARCHES);
            unless_few(forgetting, SEARCHES)
        })
        .await?;
        self.in_parts(|work, _| {
            let forgetting = work
                .research()
                .forget_flights(now - Flight::LEASE, SEARCHES);
            unless_few(forgetting, SEARCHES)
        })
        .await
    }

    /// Purges one batch per transaction, each after the end of the previous one, until nothing is left.
    async fn in_parts<P: Copy + Send + Sync>(
        &self,
        part: impl for<'w> Fn(&'w mut dyn Transaction, Option<P>) -> Forgetting<'w, P> + Send + Sync,
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
    noticed >= NOTICE.min(term)
}

/// Continues if a batch was full, because more may be left.
fn unless_few(forgetting: Forgotten<'_>, most: u32) -> Forgetting<'_, ()> {
    Box::pin(async move { Ok((forgetting.await? >= most.into()).then_some(())) })
}

/// Purges a batch of a project whose term is over and that has no unfinished jobs.
async fn purge(
    work: &mut dyn Transaction,
    account: AccountId,
    project: ProjectId,
    term: PurgeTerm,
    now: DateTime<Utc>,
) -> Result<Option<()>, StorageError> {
    let found = work.projects().lock(account, project).await?;
    if !found.is_some_and(|it| term.is_over(&it, now)) {
        return Ok(None);
    }
    let unfinished = work.jobs().lock_unfinished(account, Some(project)).await?;
    if !unfinished.is_empty() {
        return Ok(None);
    }
    let is_left = work.projects().purge_part(account, project).await?;
    Ok(is_left.then_some(()))
}

/// Ends expired reservations, whose processes died: the units are free already, and the money
/// counts as spent, because the outcome of the calls is unknown.
async fn end_lapsed(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Option<()>, StorageError> {
    let lapsed = work.research().lapsed(account, now, SEARCHES).await?;
    for reservation in &lapsed {
        if work.research().release(account, reservation.flight).await? {
            settle(work, reservation, reservation.most).await?;
        }
    }
    Ok((lapsed.len() >= SEARCHES as usize).then_some(()))
}

/// Purges a batch; returns its end, or `None` if nothing is left.
type Forgetting<'w, P> = Pin<Box<dyn Future<Output = Result<Option<P>, StorageError>> + Send + 'w>>;
/// Purges a batch; returns the number of rows.
type Forgotten<'w> = Pin<Box<dyn Future<Output = Result<u64, StorageError>> + Send + 'w>>;
