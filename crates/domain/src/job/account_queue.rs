//! Effect of a job's change on its account's queue row.
//!
//! A change locks the queue row and knows the job before and after, so nothing is recounted.
//! Counts are exact. Times are lower bounds: if nothing is due at such a time, the row is refreshed
//! ([`crate::ports::jobs::JobRepository::refresh_queue`]).

use super::Job;
use crate::ids::AccountId;
use chrono::{DateTime, Utc};

/// An account's queue row, by which the scheduler chooses the next account.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccountQueue {
    pub account: AccountId,
    pub waiting: u32,
    pub running: u32,
    /// Lower bound of the first waiting job's `run_at`; `None` if none waits.
    pub next_run_at: Option<DateTime<Utc>>,
    /// The same for short jobs ([`super::kind::AnalysisKind::is_short`]).
    pub next_short_run_at: Option<DateTime<Utc>>,
    /// Lower bound of the next sweep: the first end of a lease, deadline or waiting time.
    pub attention_at: Option<DateTime<Utc>>,
    /// Service received, in units of start-time fair queuing: the account with the least is served next.
    pub virtual_time: f64,
}

impl AccountQueue {
    /// Of an account without jobs.
    pub const fn new(account: AccountId) -> Self {
        Self {
            account,
            waiting: 0,
            running: 0,
            next_run_at: None,
            next_short_run_at: None,
            attention_at: None,
            virtual_time: 0.0,
        }
    }

    /// The row after one of its jobs changed; `before` is `None` for a new job.
    #[must_use]
    pub fn after_change(self, before: Option<&Job>, after: &Job) -> Self {
        let mut queue = self;
        if let Some(before) = before {
            queue.remove(before);
        }
        queue.add(after);
        if queue.waiting == 0 {
            queue.next_run_at = None;
            queue.next_short_run_at = None;
        }
        if queue.waiting + queue.running == 0 {
            queue.attention_at = None;
        }
        queue
    }

    fn remove(&mut self, job: &Job) {
        if job.state.is_waiting() {
            self.waiting = self.waiting.saturating_sub(1);
        } else if job.state.is_unfinished() {
            self.running = self.running.saturating_sub(1);
        }
    }

    fn add(&mut self, job: &Job) {
        if job.state.is_waiting() {
            self.waiting += 1;
            self.attention_at = earlier(self.attention_at, Some(job.expires_at));
            // A job to be canceled must not wake workers.
            if !job.cancel_requested {
                self.next_run_at = earlier(self.next_run_at, Some(job.run_at));
                if job.kind.is_short() {
                    self.next_short_run_at = earlier(self.next_short_run_at, Some(job.run_at));
                }
            }
        } else if job.state.is_unfinished() {
            self.running += 1;
            let lease = job.lease.as_ref().map(|it| it.until);
            self.attention_at = earlier(self.attention_at, earlier(lease, job.deadline_at));
        }
    }
}

fn earlier(one: Option<DateTime<Utc>>, other: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    one.into_iter().chain(other).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AccountId;
    use crate::job::kind::AnalysisKind;
    use crate::job::policy::QueuePolicy;
    use crate::test_support::a_job;
    use chrono::TimeDelta;

    fn empty() -> AccountQueue {
        AccountQueue {
            account: AccountId(1),
            waiting: 0,
            running: 0,
            next_run_at: None,
            next_short_run_at: None,
            attention_at: None,
            virtual_time: 7.0,
        }
    }

    #[test]
    fn the_queue_counts_a_job_from_start_to_end() {
        let policy = QueuePolicy::default();
        let job = a_job();
        let now = job.run_at;
        let waits = empty().after_change(None, &job);
        assert_eq!((waits.waiting, waits.running), (1, 0));
        assert_eq!(waits.next_run_at, Some(job.run_at));
        assert_eq!(waits.attention_at, Some(job.expires_at));

        let claimed = job.claimed("w", now, &policy).unwrap();
        let runs = waits.after_change(Some(&job), &claimed);
        assert_eq!((runs.waiting, runs.running), (0, 1));
        assert_eq!(runs.next_run_at, None);
        assert_eq!(runs.attention_at, Some(now + policy.lease));

        let released = claimed.released(claimed.epoch, now).unwrap();
        let again = runs.after_change(Some(&claimed), &released);
        assert_eq!((again.waiting, again.running), (1, 0));
        assert_eq!(again.next_run_at, Some(released.run_at));

        let finished = claimed.finished(claimed.epoch, false, now).unwrap();
        assert_eq!(runs.after_change(Some(&claimed), &finished), empty());
    }

    #[test]
    fn the_queue_keeps_the_earliest_times() {
        let (early, mut late) = (a_job(), a_job());
        late.run_at += TimeDelta::hours(1);
        late.expires_at += TimeDelta::hours(1);
        for jobs in [[&early, &late], [&late, &early]] {
            let line = jobs
                .into_iter()
                .fold(empty(), |it, job| it.after_change(None, job));
            assert_eq!(line.waiting, 2);
            assert_eq!(line.next_run_at, Some(early.run_at));
            assert_eq!(line.attention_at, Some(early.expires_at));
        }
    }

    #[test]
    fn the_earliest_short_job_is_tracked_separately() {
        let long = Job {
            kind: AnalysisKind::SiteAudit,
            ..a_job()
        };
        let mut short = a_job();
        short.run_at += TimeDelta::hours(1);
        assert_eq!(short.kind, AnalysisKind::RankCheck);
        let line = empty().after_change(None, &long);
        assert_eq!((line.waiting, line.next_short_run_at), (1, None));
        let both = line.after_change(None, &short);
        assert_eq!(both.next_run_at, Some(long.run_at));
        assert_eq!(both.next_short_run_at, Some(short.run_at));
        let policy = QueuePolicy::default();
        let claimed = short.claimed("w", short.run_at, &policy).unwrap();
        let alone = empty()
            .after_change(None, &short)
            .after_change(Some(&short), &claimed);
        assert_eq!(alone.next_short_run_at, None);
    }

    #[test]
    fn a_canceled_job_does_not_make_the_queue_due() {
        let mut job = a_job();
        job.cancel_requested = true;
        let line = empty().after_change(None, &job);
        assert_eq!((line.waiting, line.next_run_at), (1, None));
    }
}
