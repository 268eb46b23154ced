use super::kind::AnalysisKind;
use chrono::TimeDelta;

/// Time limits and maximum numbers of the queue. The defaults are documented in `docs/reference/settings.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePolicy {
    /// Lease time without a heartbeat.
    pub lease: TimeDelta,
    pub heartbeat: TimeDelta,
    /// How often leases, deadlines and expiry are checked.
    pub sweep: TimeDelta,
    /// Time limit of one attempt of a rank check.
    pub rank_check_deadline: TimeDelta,
    /// Time limit of one attempt of an analysis that waits for a site or for AI engines.
    pub site_audit_deadline: TimeDelta,
    /// Maximum wait for a worker.
    pub expires_after: TimeDelta,
    pub max_attempts: u32,
    /// Maximum lost leases: a job that kills its workers is a poison job.
    pub max_crashes: u32,
    /// First delay between attempts; doubles each time.
    pub first_delay: TimeDelta,
    pub max_delay: TimeDelta,
    /// Maximum delay that a supplier can request.
    pub max_requested_delay: TimeDelta,
    /// Minimum run time of a job before it yields its slot to others.
    pub time_slice: TimeDelta,
    /// Running jobs of one account, over all worker processes.
    pub running_per_account: u32,
    /// Unfinished jobs of one account.
    pub queued_per_account: u32,
    /// Unfinished jobs of the server.
    pub queued_total: u64,
    /// How long jobs that succeeded or were canceled are stored. Their results stay.
    pub done_kept_for: TimeDelta,
    pub failed_kept_for: TimeDelta,
}

impl Default for QueuePolicy {
    fn default() -> Self {
        Self {
            lease: TimeDelta::seconds(45),
            heartbeat: TimeDelta::seconds(10),
            sweep: TimeDelta::seconds(10),
            rank_check_deadline: TimeDelta::hours(2),
            site_audit_deadline: TimeDelta::hours(6),
            expires_after: TimeDelta::hours(24),
            max_attempts: 5,
            max_crashes: 3,
            first_delay: TimeDelta::seconds(15),
            max_delay: TimeDelta::minutes(30),
            max_requested_delay: TimeDelta::hours(6),
            time_slice: TimeDelta::seconds(60),
            running_per_account: 4,
            queued_per_account: 200,
            queued_total: 10_000,
            done_kept_for: TimeDelta::days(30),
            failed_kept_for: TimeDelta::days(90),
        }
    }
}

impl QueuePolicy {
    pub fn deadline(&self, kind: AnalysisKind) -> TimeDelta {
        match kind {
            AnalysisKind::RankCheck => self.rank_check_deadline,
            AnalysisKind::AiVisibility
            | AnalysisKind::SiteAudit
            | AnalysisKind::WebVitals
            | AnalysisKind::Full => self.site_audit_deadline,
        }
    }

    /// Delay after a failed attempt: exponential, with random jitter in its upper half, so that
    /// jobs that failed together do not retry together. `jitter` is in 0..=1.
    pub fn delay_after(&self, attempt: u32, jitter: f64) -> TimeDelta {
        let doublings = attempt.saturating_sub(1).min(20);
        let whole = self
            .first_delay
            .checked_mul(1 << doublings)
            .unwrap_or(self.max_delay)
            .min(self.max_delay);
        let half = whole / 2;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "delays are far below 2^53 ms"
        )]
        let part = (half.num_milliseconds() as f64 * jitter.clamp(0.0, 1.0)) as i64;
        half + TimeDelta::milliseconds(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_cap_and_stay_above_half() {
        let policy = QueuePolicy::default();
        for (attempt, whole) in [(1, 15), (2, 30), (3, 60), (4, 120), (30, 1_800)] {
            let whole = TimeDelta::seconds(whole);
            assert_eq!(policy.delay_after(attempt, 0.0), whole / 2);
            assert_eq!(policy.delay_after(attempt, 1.0), whole);
            assert_eq!(policy.delay_after(attempt, 0.5), whole * 3 / 4);
            // Jitter out of range is clamped.
            assert_eq!(policy.delay_after(attempt, -1.0), whole / 2);
            assert_eq!(policy.delay_after(attempt, 7.0), whole);
        }
    }

    #[test]
    fn many_attempts_do_not_overflow() {
        let policy = QueuePolicy {
            first_delay: TimeDelta::MAX,
            ..QueuePolicy::default()
        };
        for attempt in [2, 21, 22, u32::MAX] {
            assert_eq!(policy.delay_after(attempt, 1.0), policy.max_delay);
        }
    }

    #[test]
    fn jobs_that_wait_for_sites_or_engines_have_longer_deadlines() {
        let policy = QueuePolicy::default();
        for kind in AnalysisKind::ALL {
            let hours = if kind == AnalysisKind::RankCheck {
                2
            } else {
                6
            };
            assert_eq!(policy.deadline(kind), TimeDelta::hours(hours), "{kind:?}");
        }
    }

    /// A worker may miss three heartbeats before its job goes to another.
    #[test]
    fn a_lease_outlasts_four_heartbeats() {
        let policy = QueuePolicy::default();
        assert!(policy.heartbeat * 4 < policy.lease);
        assert!(policy.lease < policy.rank_check_deadline);
    }
}
