//! The property that is fetched for a project, and the progress of fetching.

use super::Property;
use crate::ids::{AccountId, ProjectId};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// Lease of a fetch, renewed after each stored day.
pub const FETCH_LEASE: TimeDelta = TimeDelta::minutes(30);
/// In UTC; days become final some time after midnight in California.
const HOUR: u32 = 11;
/// Spreads the fetches of projects, in seconds.
const SPREAD: i64 = 2 * 60 * 60;
/// First delay after a failure; doubles with each, up to a day.
const FIRST_PAUSE: TimeDelta = TimeDelta::hours(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    pub account: AccountId,
    pub project: ProjectId,
    pub property: Property,
    pub bound_at: DateTime<Utc>,
    pub next_at: DateTime<Utc>,
    /// End of the lease while a fetch runs.
    pub leased_until: Option<DateTime<Utc>>,
    /// The last fetched day; all earlier days were fetched too.
    pub fetched_through: Option<NaiveDate>,
    /// End of the last fetch, successful or not.
    pub last_at: Option<DateTime<Utc>>,
    /// Why the last fetch failed; `None` if it succeeded.
    pub last_failure: Option<String>,
    /// Consecutive failures.
    pub failures: u32,
}

impl Binding {
    /// A new binding, due at once.
    pub fn new(
        account: AccountId,
        project: ProjectId,
        property: Property,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            account,
            project,
            property,
            bound_at: now,
            next_at: now,
            leased_until: None,
            fetched_through: None,
            last_at: None,
            last_failure: None,
            failures: 0,
        }
    }

    pub fn is_leased(&self, now: DateTime<Utc>) -> bool {
        self.leased_until.is_some_and(|until| until > now)
    }

    /// Leased to a fetch; no other fetch begins until the lease ends.
    #[must_use]
    pub fn leased(&self, now: DateTime<Utc>) -> Self {
        Self {
            next_at: now + FETCH_LEASE,
            leased_until: Some(now + FETCH_LEASE),
            ..self.clone()
        }
    }

    /// After a day was stored.
    #[must_use]
    pub fn advanced_to(&self, day: NaiveDate, now: DateTime<Utc>) -> Self {
        Self {
            fetched_through: self.fetched_through.max(Some(day)),
            ..self.leased(now)
        }
    }

    /// After all final days were fetched.
    #[must_use]
    pub fn completed(&self, now: DateTime<Utc>) -> Self {
        Self {
            next_at: self.next_fetch(now),
            leased_until: None,
            last_at: Some(now),
            last_failure: None,
            failures: 0,
            ..self.clone()
        }
    }

    #[must_use]
    pub fn failed(&self, reason: String, now: DateTime<Utc>) -> Self {
        let doublings = self.failures.min(5);
        let pause = (FIRST_PAUSE * (1 << doublings)).min(TimeDelta::days(1));
        Self {
            next_at: now + pause,
            leased_until: None,
            last_at: Some(now),
            last_failure: Some(reason),
            failures: self.failures.saturating_add(1),
            ..self.clone()
        }
    }

    fn next_fetch(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let mut hash = Sha256::new();
        hash.update(self.account.0.to_be_bytes());
        hash.update(self.project.0.to_be_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let number = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
        let own = TimeDelta::seconds(i64::from(number) % SPREAD);
        let time = NaiveTime::from_hms_opt(HOUR, 0, 0).unwrap_or_default();
        let today = now.date_naive().and_time(time).and_utc() + own;
        if today > now {
            today
        } else {
            today + TimeDelta::days(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn binding() -> Binding {
        let property = Property::accepted("sc-domain:acme.com".to_owned());
        Binding::new(
            AccountId(1),
            ProjectId(2),
            property,
            at("2026-11-22T06:00:00Z"),
        )
    }

    #[test]
    fn a_binding_is_fetched_daily_at_its_own_time() {
        let first = binding();
        assert_eq!(first.next_at, first.bound_at);
        let done = first.leased(first.next_at).completed(first.next_at);
        assert!(
            done.next_at > at("2026-11-22T11:00:00Z") && done.next_at < at("2026-11-22T13:00:00Z")
        );
        let again = done.completed(done.next_at);
        assert_eq!(again.next_at - done.next_at, TimeDelta::days(1));
    }

    #[test]
    fn failures_are_recorded_and_retried_with_backoff() {
        let now = at("2026-11-22T06:00:00Z");
        let mut binding = binding();
        let mut pauses = Vec::new();
        for _ in 0..7 {
            binding = binding.failed("no".to_owned(), now);
            pauses.push((binding.next_at - now).num_hours());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 24, 24]);
        assert_eq!(
            (binding.failures, binding.last_failure.as_deref()),
            (7, Some("no"))
        );
        let done = binding.completed(now);
        assert_eq!((done.failures, done.last_failure), (0, None));
    }

    #[test]
    fn a_fetch_leases_the_binding_and_progress_never_goes_back() {
        let now = at("2026-11-22T06:00:00Z");
        let leased = binding().leased(now);
        assert!(leased.is_leased(now) && !leased.is_leased(now + FETCH_LEASE));
        let day = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();
        let reached = leased
            .advanced_to(day, now)
            .advanced_to(day.pred_opt().unwrap(), now);
        assert_eq!(reached.fetched_through, Some(day));
    }
}
