//! Keeps house: makes room for the months to come, and forgets what is too old to be kept.

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

/// Records of these types are large and tell of one day alone; trends are stored elsewhere.
const OF_A_DAY: [ResultType; 2] = [ResultType::Serp, ResultType::Forecast];

/// How many answers of suppliers are forgotten in one transaction.
const TOGETHER: u32 = 500;
/// How many answers of AI engines, and how many days' counts of them at the least.
const AI_ANSWERS: u32 = 500;
/// How many counts of guesses are forgotten in one transaction.
const GUESSES: u32 = 1_000;
/// How many turns at sites are forgotten in one transaction.
const TURNS: u32 = 1_000;
/// How many imports of Search Console are forgotten in one transaction.
const IMPORTS: u32 = 20;
/// How many results of keyword research, searches, or questions under way are forgotten in one transaction.
const SEARCHES: u32 = 200;

/// How many events of the audit log are forgotten in one transaction.
const EVENTS: u32 = 1_000;
/// How many events of an account are kept, however new they are: an event has 2 KB at the most.
const MAX_EVENTS: u32 = 50_000;
/// Deactivated projects and old events of the audit log are removed this long after the first run of a version
/// that removes them, at the earliest: operators who upgrade have time to keep them.
const NOTICE: TimeDelta = TimeDelta::days(30);
/// The name of the mark that says when that was.
const SINCE: &str = "removes-since";
/// How many deactivated projects are purged after one another before others are looked for.
const PROJECTS: u32 = 100;

/// How long things are kept; `None` keeps them for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Where keywords stood, in months.
    pub ranks: Option<u32>,
    /// Search pages and forecasts of earlier runs, in days.
    pub pages: Option<u32>,
    /// All other records of earlier runs, in months. The newest run's are kept for ever.
    pub records: Option<u32>,
    /// What suppliers that cost money answered, in days.
    pub answers: Option<u32>,
    /// Answers of AI engines, in days. What was counted of them is kept as long as ranks.
    pub ai_answers: Option<u32>,
    /// Rows of Search Console, in months.
    pub console: Option<u32>,
    /// What people researched, in months since they last did. What is kept for everyone goes when it
    /// is not good any more.
    pub searches: Option<u32>,
    /// Deactivated projects with everything that is stored of them, in days.
    pub deactivated_projects: PurgeTerm,
    /// The audit log, in days.
    pub audit: Option<u32>,
}

impl Default for Retention {
    /// Three years and a month, so that a year can be told beside the two before; a quarter; as long as
    /// ranks; a week; a quarter; as long as Search Console itself; a year and a month, so that a season comes round;
    /// a year; a year and a month.
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
    /// Any number of workers may do it at the same time, as often as they like. Returns how many projects were
    /// purged.
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

    /// Sessions, of which none that opens anything ends here, and answers kept for repeats.
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

    /// Removes events of the audit log that are too old or too many.
    async fn forget_events(
        &self,
        of: AccountId,
        now: DateTime<Utc>,
        noticed: TimeDelta,
    ) -> Result<(), StorageError> {
        let term = { self.policies.retention.audit }.map(|it| TimeDelta::days(it.into()));
        let aged = term.filter(|it| is_due(noticed, *it)).map(|it| now - it);
        // Those of the same moment stay.
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

    /// Since when a version runs on this database that removes projects and old events of the audit log.
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

    /// Purges the account's projects whose term is over; how many.
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
            // One that has something under way waits.
            let mut read = self.storage.read().await?;
            purged += u64::from(read.projects().find(account, project).await?.is_none());
        }
        Ok(purged)
    }

    /// What belongs to no account.
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

    /// Forgets a part in each transaction, from where the last one ended, until one was the last.
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

/// Whether the notice is over for what is kept so long: a shorter term is its own notice.
fn is_due(noticed: TimeDelta, term: TimeDelta) -> bool {
    noticed >= NOTICE.min(term)
}

/// Forgets by number: where as many were forgotten as one transaction may, more may be left.
fn unless_few(forgetting: Forgotten<'_>, most: u32) -> Forgetting<'_, ()> {
    Box::pin(async move { Ok((forgetting.await? >= most.into()).then_some(())) })
}

/// Removes a part of a project whose term is over and that has nothing under way.
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

/// Ends what is set aside for questions whose askers died: the units are free already, and the money
/// counts as spent, since nobody knows what became of the calls.
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

/// What is being forgotten; where it ended, unless nothing is left.
type Forgetting<'w, P> = Pin<Box<dyn Future<Output = Result<Option<P>, StorageError>> + Send + 'w>>;
/// How many are being forgotten.
type Forgotten<'w> = Pin<Box<dyn Future<Output = Result<u64, StorageError>> + Send + 'w>>;
