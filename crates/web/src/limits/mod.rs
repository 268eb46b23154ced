//! Rate limits and concurrency limits. Each server process counts in memory: there is no shared counter to wait for,
//! and two servers grant twice as much (decision 0010).

mod client;
mod in_flight;
mod networks;
mod rates;
mod slots;

pub use client::{Client, resolve_client};
pub use in_flight::InFlight;
pub use networks::slot_limits;
pub use rates::{Rate, RateLimitExceeded, RateLimitState};
pub use slots::{NoSlot, Slot, SlotKey, Slots};

use domain::idempotency::IdempotencyRecord;
use domain::ids::{AccountId, CallerId, UserId};
use domain::ports::clock::Clock;
use ipnet::IpNet;
use rates::{Bucket, NetworkBuckets};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct RequestLimits {
    /// Reads, per token.
    pub reads: Rate,
    /// Writes, per token.
    pub writes: Rate,
    /// Analysis starts, per token; also counted as writes.
    pub analyses: Rate,
    /// All requests, per account.
    pub account: Rate,
    /// Requests without a token, per address; wider IPv6 networks have a multiple.
    pub anonymous: Rate,
    /// Rejected tokens, per address; wider IPv6 networks have a multiple.
    pub failed_tokens: Rate,
    /// Sign-in attempts, per address or known device.
    pub sign_ins: Rate,
    /// Sign-in attempts in total, except from known devices.
    pub all_sign_ins: Rate,
    /// Responses stored for idempotency keys, per account, in KiB.
    pub stored_responses: Rate,
    pub in_flight_per_token: u32,
    pub in_flight_per_account: u32,
    /// With an accepted token or session.
    pub in_flight: u32,
    /// Without an accepted token or session.
    pub in_flight_unknown: u32,
    /// IPv6: per /64; wider networks have a multiple.
    pub in_flight_per_address: u32,
    pub connections: u32,
    /// IPv6: per /64; wider networks have a multiple.
    pub connections_per_address: u32,
    /// Networks without connection limits, besides trusted proxies.
    pub uncounted_networks: Vec<IpNet>,
    /// Proxies with a trusted `X-Forwarded-For`.
    pub trusted_proxies: Vec<IpNet>,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            reads: Rate::of(600, 60),
            writes: Rate::of(120, 30),
            analyses: Rate::of(30, 10),
            account: Rate::of(1_800, 180),
            anonymous: Rate::of(60, 30),
            failed_tokens: Rate::of(20, 10),
            sign_ins: Rate::of(10, 10),
            all_sign_ins: Rate::of(3_000, 50),
            stored_responses: stored_responses(64),
            in_flight_per_token: 10,
            in_flight_per_account: 20,
            in_flight: 512,
            in_flight_unknown: 64,
            in_flight_per_address: 8,
            connections: 16_384,
            connections_per_address: 512,
            uncounted_networks: loopback(),
            trusted_proxies: vec![],
        }
    }
}

/// MiB per account within the retention time, and at once.
pub const fn stored_responses(mib: u32) -> Rate {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a day of minutes"
    )]
    const MINUTES: u32 = IdempotencyRecord::RETENTION.num_minutes() as u32;
    let kib = mib.saturating_mul(1_024);
    Rate::of(kib / MINUTES, kib)
}

/// A local proxy carries all connections even before it is configured as trusted.
fn loopback() -> Vec<IpNet> {
    let networks = [
        IpNet::new(Ipv4Addr::LOCALHOST.into(), 8),
        IpNet::new(Ipv6Addr::LOCALHOST.into(), 128),
    ];
    networks.into_iter().flatten().collect()
}

/// CSP reports in total: enough to notice a problem, too few to flood the log. They do not count against the address.
const REPORTS: Rate = Rate::of(60, 20);

const WARNINGS: Rate = Rate::of(1, 1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestClass {
    Read,
    Write,
    Analysis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyLimit {
    pub max_bytes: usize,
    /// From the headers to the last byte.
    pub timeout: Duration,
}

/// A token or session, with its account.
pub type CallerKey = (AccountId, CallerId);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignInKey {
    /// An unknown device.
    Address(IpAddr),
    /// All known devices of a user, counted together, since a user can create any number of them. Attempts of others do
    /// not count.
    DeviceOwner(UserId),
}

pub struct Limiter {
    pub in_flight: Arc<InFlight>,
    reads: Bucket<CallerKey>,
    writes: Bucket<CallerKey>,
    analyses: Bucket<CallerKey>,
    account: Bucket<AccountId>,
    stored_responses: Bucket<AccountId>,
    session_writes: Bucket<(AccountId, UserId)>,
    anonymous: NetworkBuckets,
    failed_tokens: NetworkBuckets,
    devices: Bucket<UserId>,
    sign_ins: Bucket<SignInKey>,
    all_sign_ins: Bucket<()>,
    reports: Bucket<()>,
    warnings: Bucket<()>,
    has_warned_of_proxies: AtomicBool,
}

impl Limiter {
    pub fn new(limits: &RequestLimits, clock: &Arc<dyn Clock>) -> Self {
        Self {
            in_flight: Arc::new(InFlight::new(limits)),
            reads: Bucket::new("reads", limits.reads, clock),
            writes: Bucket::new("writes", limits.writes, clock),
            analyses: Bucket::new("analyses", limits.analyses, clock),
            account: Bucket::new("account", limits.account, clock),
            session_writes: Bucket::new("session-writes", limits.writes, clock),
            stored_responses: Bucket::new("kept-answers", limits.stored_responses, clock),
            anonymous: NetworkBuckets::new("anonymous", limits.anonymous, clock),
            failed_tokens: NetworkBuckets::new("failed-tokens", limits.failed_tokens, clock),
            devices: Bucket::new("sign-ins", limits.sign_ins, clock),
            sign_ins: Bucket::new("sign-ins", limits.sign_ins, clock),
            all_sign_ins: Bucket::new("all-sign-ins", limits.all_sign_ins, clock),
            reports: Bucket::new("policy-reports", REPORTS, clock),
            warnings: Bucket::new("warnings", WARNINGS, clock),
            has_warned_of_proxies: AtomicBool::new(false),
        }
    }

    /// For an accepted token. Returns the state of each policy that counted it, up to the exhausted one on failure.
    pub fn count(
        &self,
        caller_key: CallerKey,
        request_class: RequestClass,
    ) -> Result<Vec<RateLimitState>, RateLimitExceeded> {
        let mut states = Vec::with_capacity(3);
        match request_class {
            RequestClass::Read => self.reads.take(caller_key, &mut states)?,
            RequestClass::Write => self.writes.take(caller_key, &mut states)?,
            RequestClass::Analysis => {
                self.analyses.take(caller_key, &mut states)?;
                self.writes.take(caller_key, &mut states)?;
            }
        }
        self.account.take(caller_key.0, &mut states)?;
        Ok(states)
    }

    /// For a session. All sessions of a person in an account share the write rate of one token, since most writes enter
    /// the audit log.
    pub fn count_session(
        &self,
        caller_key: CallerKey,
        person: UserId,
        request_class: RequestClass,
    ) -> Result<Vec<RateLimitState>, RateLimitExceeded> {
        let mut states = self.count(caller_key, request_class)?;
        if request_class != RequestClass::Read {
            self.session_writes
                .take((caller_key.0, person), &mut states)?;
        }
        Ok(states)
    }

    /// For a response stored for an idempotency key.
    pub fn count_stored_response(&self, account: AccountId) -> Result<(), RateLimitExceeded> {
        self.stored_responses.take(account, &mut vec![])
    }

    /// Charges the size of a stored response, beside the 1 KiB of [`Limiter::count_stored_response`].
    pub fn charge_stored_bytes(&self, account: AccountId, bytes: usize) {
        let kib = u32::try_from(bytes / 1_024).unwrap_or(u32::MAX);
        self.stored_responses.take_up_to(account, kib);
    }

    pub fn count_anonymous(&self, address: IpAddr) -> Result<(), RateLimitExceeded> {
        self.anonymous.take(address)
    }

    /// For a sign-in from a known device at an address without a free slot.
    pub fn count_device(&self, owner: UserId) -> Result<(), RateLimitExceeded> {
        self.devices.take(owner, &mut vec![])
    }

    /// Once a minute.
    pub fn may_warn(&self) -> bool {
        self.warnings.take((), &mut vec![]).is_ok()
    }

    /// Once per process.
    pub fn may_warn_of_proxies(&self) -> bool {
        !self.has_warned_of_proxies.swap(true, Ordering::Relaxed)
    }

    pub fn count_sign_in(&self, key: SignInKey) -> Result<(), RateLimitExceeded> {
        let is_known = matches!(key, SignInKey::DeviceOwner(_));
        self.sign_ins.take(key, &mut vec![])?;
        if is_known {
            return Ok(());
        }
        self.all_sign_ins.take((), &mut vec![])
    }

    pub fn count_report(&self) -> Result<(), RateLimitExceeded> {
        self.reports.take((), &mut vec![])
    }

    pub fn count_failed_token(&self, address: IpAddr) -> Result<(), RateLimitExceeded> {
        self.failed_tokens.take(address)
    }
}
