//! Rate limits: GCRA (crate `governor`), and the fields `RateLimit-Policy` and `RateLimit`
//! (draft-ietf-httpapi-ratelimit-headers-11).

use super::networks::{IPV6, networks};
use domain::ports::clock::Clock;
use governor::{
    Quota, RateLimiter, clock, middleware::StateInformationMiddleware, nanos::Nanos,
    state::keyed::DashMapStateStore,
};
use ipnet::IpNet;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Requests between two removals of full buckets.
const SWEEP_INTERVAL: u32 = 4_096;
const MINUTE: u64 = 60;

/// Sustained requests per minute, and burst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    pub per_minute: NonZeroU32,
    pub burst: NonZeroU32,
}

impl Rate {
    /// Zero becomes one.
    pub const fn of(per_minute: u32, burst: u32) -> Self {
        const fn at_least_one(number: u32) -> NonZeroU32 {
            match NonZeroU32::new(number) {
                Some(number) => number,
                None => NonZeroU32::MIN,
            }
        }
        Self {
            per_minute: at_least_one(per_minute),
            burst: at_least_one(burst),
        }
    }

    /// In whole seconds, rounded up.
    fn seconds_for(self, requests: u32) -> u64 {
        (u64::from(requests) * MINUTE).div_ceil(u64::from(self.per_minute.get()))
    }

    const fn times(self, multiple: u32) -> Self {
        Self::of(
            self.per_minute.get().saturating_mul(multiple),
            self.burst.get().saturating_mul(multiple),
        )
    }

    fn quota(self) -> Quota {
        Quota::per_minute(self.per_minute).allow_burst(self.burst)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitState {
    pub policy: &'static str,
    pub rate: Rate,
    pub remaining: u32,
}

impl RateLimitState {
    /// `RateLimit-Policy` item: quota, and seconds to fill it.
    pub fn policy(&self) -> String {
        let quota = self.rate.burst.get();
        let window = self.rate.seconds_for(quota);
        format!("\"{}\";q={quota};w={window}", self.policy)
    }

    /// `RateLimit` item: remaining requests, and seconds until the quota is full.
    pub fn state(&self) -> String {
        let used = self.rate.burst.get().saturating_sub(self.remaining);
        let reset = self.rate.seconds_for(used);
        format!("\"{}\";r={};t={reset}", self.policy, self.remaining)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitExceeded {
    /// The exhausted policy is last.
    pub rate_limits: Vec<RateLimitState>,
    pub policy: &'static str,
    /// Until the next request is accepted.
    pub wait: Duration,
}

#[derive(Clone)]
struct GovernorClock(Arc<dyn Clock>);

impl clock::Clock for GovernorClock {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}

/// One policy, with a bucket per key.
pub(super) struct Bucket<K: Hash + Eq + Clone> {
    name: &'static str,
    rate: Rate,
    clock: GovernorClock,
    taken: AtomicU32,
    limiter: RateLimiter<K, DashMapStateStore<K>, GovernorClock, StateInformationMiddleware>,
}

impl<K: Hash + Eq + Clone> Bucket<K> {
    pub(super) fn new(name: &'static str, rate: Rate, clock: &Arc<dyn Clock>) -> Self {
        crate::request_metrics::init_rate_limit(name);
        let clock = GovernorClock(Arc::clone(clock));
        let store = DashMapStateStore::default();
        Self {
            name,
            rate,
            limiter: RateLimiter::new(rate.quota(), store, clock.clone()),
            clock,
            taken: AtomicU32::new(0),
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "keys are small copies")]
    pub(super) fn take(
        &self,
        key: K,
        states: &mut Vec<RateLimitState>,
    ) -> Result<(), RateLimitExceeded> {
        if self.taken.fetch_add(1, Ordering::Relaxed) % SWEEP_INTERVAL == SWEEP_INTERVAL - 1 {
            self.limiter.retain_recent();
        }
        let mut note = |remaining| {
            states.push(RateLimitState {
                policy: self.name,
                rate: self.rate,
                remaining,
            });
        };
        match self.limiter.check_key(&key) {
            Ok(state) => {
                note(state.remaining_burst_capacity());
                Ok(())
            }
            Err(not_until) => {
                note(0);
                Err(RateLimitExceeded {
                    rate_limits: std::mem::take(states),
                    policy: self.name,
                    wait: not_until.wait_time_from(clock::Clock::now(&self.clock)),
                })
            }
        }
    }

    /// Takes so many requests, or the largest half, quarter… that is left.
    #[expect(clippy::needless_pass_by_value, reason = "keys are small copies")]
    pub(super) fn take_up_to(&self, key: K, requests: u32) {
        let mut wanted = requests.min(self.rate.burst.get());
        while let Some(some) = NonZeroU32::new(wanted) {
            if matches!(self.limiter.check_key_n(&key, some), Ok(Ok(_))) {
                return;
            }
            wanted /= 2;
        }
    }

    #[cfg(test)]
    fn keys(&self) -> usize {
        self.limiter.len()
    }
}

/// One policy per address, with larger buckets for wider IPv6 networks. An IPv4 /24 has none: it holds many
/// subscribers.
pub(super) struct NetworkBuckets([Bucket<IpNet>; IPV6.len()]);

impl NetworkBuckets {
    pub(super) fn new(name: &'static str, rate: Rate, clock: &Arc<dyn Clock>) -> Self {
        Self(IPV6.map(|(_, multiple)| Bucket::new(name, rate.times(multiple), clock)))
    }

    /// Takes one request from each network of the address.
    pub(super) fn take(&self, address: IpAddr) -> Result<(), RateLimitExceeded> {
        let counted = if address.is_ipv4() { 1 } else { self.0.len() };
        for (bucket, (network, _)) in self.0.iter().zip(networks(address).take(counted)) {
            bucket.take(network, &mut vec![])?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use domain::test_support::FrozenClock;

    fn bucket(rate: Rate) -> (Arc<FrozenClock>, Bucket<u32>) {
        let clock = Arc::new(FrozenClock::default());
        let time: Arc<dyn Clock> = Arc::clone(&clock) as Arc<dyn Clock>;
        (clock, Bucket::new("reads", rate, &time))
    }

    fn take(bucket: &Bucket<u32>, key: u32) -> Result<RateLimitState, RateLimitExceeded> {
        let mut states = vec![];
        bucket.take(key, &mut states)?;
        Ok(states[0])
    }

    #[test]
    fn the_burst_is_available_and_refills_at_the_rate() {
        // 60 a minute is one a second.
        let (clock, bucket) = bucket(Rate::of(60, 3));
        let left: Vec<u32> = (0..3)
            .map(|_| take(&bucket, 1).unwrap().remaining)
            .collect();
        assert_eq!(left, [2, 1, 0]);
        let refused = take(&bucket, 1).unwrap_err();
        assert_eq!(refused.wait, Duration::from_secs(1));
        assert_eq!(refused.rate_limits[0].state(), "\"reads\";r=0;t=3");
        assert_eq!(take(&bucket, 2).unwrap().remaining, 2, "another key");

        clock.advance(TimeDelta::milliseconds(999));
        assert!(take(&bucket, 1).is_err());
        clock.advance(TimeDelta::milliseconds(1));
        assert_eq!(take(&bucket, 1).unwrap().remaining, 0);
        clock.advance(TimeDelta::seconds(60));
        assert_eq!(
            take(&bucket, 1).unwrap().remaining,
            2,
            "no more than the burst"
        );
    }

    #[test]
    fn a_charge_beyond_the_rest_takes_most_of_it() {
        let (clock, bucket) = bucket(Rate::of(60, 100));
        bucket.take_up_to(1, 40);
        assert_eq!(take(&bucket, 1).unwrap().remaining, 59);
        bucket.take_up_to(1, 1_000);
        assert_eq!(take(&bucket, 1).unwrap().remaining, 8, "59 less 50");
        bucket.take_up_to(1, 8);
        assert!(take(&bucket, 1).is_err());
        assert_eq!(take(&bucket, 2).unwrap().remaining, 99, "another key");
        clock.advance(TimeDelta::seconds(10));
        assert_eq!(take(&bucket, 1).unwrap().remaining, 9);
    }

    #[test]
    fn header_items_have_quota_window_remaining_and_reset() {
        let (_, bucket) = bucket(Rate::of(600, 60));
        let standing = take(&bucket, 1).unwrap();
        assert_eq!(standing.policy(), "\"reads\";q=60;w=6");
        assert_eq!(standing.state(), "\"reads\";r=59;t=1");
    }

    #[test]
    fn a_subscriber_with_a_56_has_four_times_an_address() {
        let clock: Arc<dyn Clock> = Arc::new(FrozenClock::default());
        let buckets = NetworkBuckets::new("anonymous", Rate::of(60, 30), &clock);
        let granted = |address: String, wanted: usize| {
            let address = address.parse().unwrap();
            (0..wanted)
                .filter(|_| buckets.take(address).is_ok())
                .count()
        };
        assert_eq!(granted("2001:db8::1".into(), 31), 30);
        let others = (1..256).map(|net| granted(format!("2001:db8:0:{net:x}::1"), 1));
        assert_eq!(others.sum::<usize>(), 90);
        let of_the_48 = (256..2_560).map(|net| granted(format!("2001:db8:0:{net:x}::1"), 1));
        assert_eq!(of_the_48.sum::<usize>(), 120);
        let neighbors = (1..99).map(|host| granted(format!("192.0.2.{host}"), 30));
        assert_eq!(
            neighbors.sum::<usize>(),
            98 * 30,
            "IPv4 is counted by address"
        );
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let (clock, bucket) = bucket(Rate::of(60, 1));
        for key in 0..SWEEP_INTERVAL - 1 {
            take(&bucket, key).unwrap();
        }
        assert_eq!(bucket.keys(), SWEEP_INTERVAL as usize - 1);
        clock.advance(TimeDelta::seconds(5));
        take(&bucket, 0).unwrap();
        assert!(bucket.keys() <= 1, "{}", bucket.keys());
    }
}
