//! Figures and checks of the whole server, for operators. None is about one account, project, keyword or person.

use super::Core;
use crate::job::policy::QueuePolicy;
use crate::ports::jobs::QueueFigures;
use crate::ports::server_figures::{LimitFigures, MailFigures, QueueLimitFigures, WorkerFigures};
use crate::ports::server_notes::{ServerNote, Topic};
use crate::ports::spending::{Counter, Spending};
use crate::ports::storage::{Storage, StorageError};
use crate::server_status::{Check, Source, SourceState};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use std::collections::BTreeMap;

/// Longer than a job waits for the sweep of a live worker, and than a due job waits for an idle worker.
const MAX_SWEEP_DELAY: TimeDelta = TimeDelta::minutes(1);
const MAX_START_DELAY: TimeDelta = TimeDelta::minutes(5);

/// A day and a half: a daily backup may be late. As in `docs/deploy/prometheus/rules.yml`.
const MAX_BACKUP_AGE: TimeDelta = TimeDelta::hours(36);

/// How far failures of jobs and messages are looked back for.
const LOOKED_BACK: TimeDelta = TimeDelta::hours(24);
/// Failed jobs that are counted by code.
pub const MAX_FAILURES: u32 = 1_000;
const MAX_WORKERS: u32 = 100;

#[derive(Debug, Clone, PartialEq)]
pub struct ServerStatus {
    pub at: DateTime<Utc>,
    pub queue: QueueFigures,
    pub queue_limits: QueueLimitFigures,
    pub workers: Vec<WorkerFigures>,
    /// Jobs that failed in the last 24 hours by code, most frequent first.
    pub failures: Vec<(String, u64)>,
    /// Whether more jobs failed than are counted.
    pub has_more_failures: bool,
    pub limits: LimitFigures,
    pub mail: MailFigures,
    /// Of all accounts, today (UTC).
    pub spending: Spending,
    pub notes: Vec<ServerNote>,
}

/// A supplier refuses the operator's account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal<'n> {
    pub supplier: &'n str,
    pub operation: &'n str,
    pub code: &'n str,
    pub at: DateTime<Utc>,
}

/// Takes nine statements, whatever is stored.
async fn server_status(
    storage: &dyn Storage,
    policy: &QueuePolicy,
    at: DateTime<Utc>,
) -> Result<ServerStatus, StorageError> {
    let (since, today) = (at - LOOKED_BACK, at.date_naive());
    let mut read = storage.read().await?;
    let queue = read.jobs().queue_figures().await?;
    let notes = read.server_notes().all().await?;
    let spending = read.spending().find(Counter::ServerDay(today)).await?;
    let figures = read.server_figures();
    let mut codes = figures.failures_since(since, MAX_FAILURES + 1).await?;
    let has_more_failures = codes.len() > MAX_FAILURES as usize;
    codes.truncate(MAX_FAILURES as usize);
    Ok(ServerStatus {
        at,
        queue,
        queue_limits: figures
            .queue_limits_reached(policy.running_per_account, policy.queued_per_account)
            .await?,
        workers: figures.workers(MAX_WORKERS).await?,
        failures: by_frequency(codes),
        has_more_failures,
        limits: figures.limits_reached(today).await?,
        mail: figures.mail_since(since).await?,
        spending,
        notes,
    })
}

impl Core {
    /// For operators.
    pub async fn server_status(&self) -> Result<ServerStatus, StorageError> {
        let (policy, now) = (&self.policies.queue, self.clock.now());
        server_status(self.storage.as_ref(), policy, now).await
    }
}

fn by_frequency(codes: Vec<String>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for code in codes {
        *counts.entry(code).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

impl QueueFigures {
    /// How long the oldest due job has waited at most; zero if none is due.
    pub fn oldest_wait(&self, now: DateTime<Utc>) -> TimeDelta {
        age(self.next_run_at, now)
    }

    /// How long a sweep has been due; zero if none is.
    pub fn sweep_overdue(&self, now: DateTime<Utc>) -> TimeDelta {
        age(self.attention_at, now)
    }

    /// Whether no worker processes the queue.
    pub fn is_unattended(&self, now: DateTime<Utc>) -> bool {
        self.sweep_overdue(now) > MAX_SWEEP_DELAY
            || self.running == 0 && self.oldest_wait(now) > MAX_START_DELAY
    }
}

fn age(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> TimeDelta {
    at.map_or(TimeDelta::zero(), |at| (now - at).max(TimeDelta::zero()))
}

pub fn queue_check(figures: &QueueFigures, now: DateTime<Utc>) -> Check {
    let subject = "queue";
    let message = format!(
        "{} analyses waiting, {} running",
        figures.waiting, figures.running
    );
    if figures.is_unattended(now) {
        return Check::bad(
            subject,
            format!("{message}, and no worker is processing them"),
            "Start `sightline worker`, or `sightline serve` without --no-worker. If a worker is running, check its log.",
        );
    }
    Check::good(subject, message)
}

/// When the last backup of this database began.
pub fn last_backup(notes: &[ServerNote]) -> Option<DateTime<Utc>> {
    let note = notes.iter().find(|it| it.topic == Topic::Backup);
    note.map(|it| it.noted_at)
}

pub fn backup_check(notes: &[ServerNote], now: DateTime<Utc>) -> Check {
    let subject = "last backup";
    let todo = "Run `sightline backup FILE` at least once a day.";
    let Some(at) = last_backup(notes) else {
        return Check::notice(subject, "no backup of this database is recorded", todo);
    };
    let age = now - at;
    let message = format!("{} ({} hours ago)", moment(at), age.num_hours());
    if age > MAX_BACKUP_AGE {
        return Check::notice(subject, message, todo);
    }
    Check::good(subject, message)
}

/// Refusals of the operator's account, as recorded by servers and workers.
pub fn refusals(notes: &[ServerNote]) -> impl Iterator<Item = Refusal<'_>> {
    notes.iter().filter_map(|it| match &it.topic {
        Topic::Refusal {
            provider,
            operation,
        } => Some(Refusal {
            supplier: provider,
            operation,
            code: &it.note,
            at: it.noted_at,
        }),
        Topic::Backup | Topic::Retention => None,
    })
}

pub fn refusal_check(notes: &[ServerNote]) -> Check {
    let subject = "suppliers' accounts";
    let refusals: Vec<String> = refusals(notes).map(|it| it.message()).collect();
    if refusals.is_empty() {
        return Check::good(subject, "no refusals");
    }
    Check::bad(subject, refusals.join("; "), Refusal::TODO)
}

impl Refusal<'_> {
    pub const TODO: &'static str = "Check the API key in the settings and the balance of the account at the supplier. The next successful call clears this.";

    pub fn message(&self) -> String {
        format!(
            "{} refused the account at {} ({})",
            self.supplier,
            moment(self.at),
            self.code
        )
    }
}

impl Source {
    /// Refusals of its suppliers.
    pub fn refusals<'n>(&self, notes: &'n [ServerNote]) -> Vec<Refusal<'n>> {
        let operations = self.kind.operations();
        let own = refusals(notes).filter(|it| operations.contains(&it.operation));
        own.collect()
    }

    /// The state, with its suppliers' refusals.
    pub fn state_with(&self, notes: &[ServerNote]) -> SourceState {
        if self.refusals(notes).is_empty() {
            self.state
        } else {
            SourceState::Refused
        }
    }
}

pub fn mail_check(is_set_up: bool, figures: &MailFigures) -> Check {
    let subject = "mail";
    if !is_set_up {
        return Check::notice(
            subject,
            "off: links are shown to be copied",
            "Set mail.host to send invitations, password resets and notices.",
        );
    }
    let lost = figures.failed + figures.expired;
    let message = format!(
        "{} messages queued; in the last 24 hours {} failed, {} expired, {} of unknown outcome",
        figures.queued, figures.failed, figures.expired, figures.unknown
    );
    if lost + figures.unknown > 0 {
        return Check::notice(
            subject,
            message,
            "Run `sightline doctor` to try the mail server, and read the replies in the log. Members find their messages under Settings, Mail, and can send them again.",
        );
    }
    Check::good(subject, message)
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_status::CheckState;
    use crate::test_support::fixtures::now;

    fn backup(hours: i64) -> Vec<ServerNote> {
        vec![ServerNote {
            topic: Topic::Backup,
            note: String::new(),
            noted_at: now() - TimeDelta::hours(hours),
        }]
    }

    #[test]
    fn a_missing_or_old_backup_is_noticed() {
        for (notes, state) in [
            (vec![], CheckState::Notice),
            (backup(36), CheckState::Good),
            (backup(37), CheckState::Notice),
        ] {
            assert_eq!(backup_check(&notes, now()).state, state, "{notes:?}");
        }
    }

    #[test]
    fn a_queue_without_worker_is_bad() {
        let due = |minutes| Some(now() - TimeDelta::minutes(minutes));
        let waiting = |minutes, running| QueueFigures {
            waiting: 1,
            running,
            next_run_at: due(minutes),
            ..QueueFigures::default()
        };
        let unswept = QueueFigures {
            attention_at: due(2),
            ..QueueFigures::default()
        };
        for (figures, state) in [
            (QueueFigures::default(), CheckState::Good),
            (waiting(-5, 0), CheckState::Good),
            (waiting(5, 0), CheckState::Good),
            (waiting(6, 0), CheckState::Bad),
            (waiting(6, 1), CheckState::Good),
            (unswept, CheckState::Bad),
        ] {
            assert_eq!(queue_check(&figures, now()).state, state, "{figures:?}");
        }
        assert_eq!(waiting(-5, 0).oldest_wait(now()), TimeDelta::zero());
        assert_eq!(waiting(6, 0).oldest_wait(now()), TimeDelta::minutes(6));
    }

    #[test]
    fn codes_are_counted_most_frequent_first() {
        let codes = ["b", "a", "c", "c"].map(str::to_owned);
        let counted = [("c", 2), ("a", 1), ("b", 1)];
        let counted = counted.map(|(code, count)| (code.to_owned(), count));
        assert_eq!(by_frequency(codes.into()), counted);
    }
}
