//! How much may be asked: how often by a token, an account and an address, and how much at once.
//!
//! Each server process counts for itself, in memory: no request waits for a shared counter, and
//! two servers grant twice as much (decision 0010).

mod client;
mod in_flight;
mod networks;
mod rates;
mod slots;

pub use client::{Client, client};
pub use in_flight::InFlight;
pub use networks::slot_limits;
pub use rates::{Exhausted, Rate, Standing};
pub use slots::{NoSlot, Slot, SlotKey, Slots};

use domain::{
    idempotency::IdempotencyRecord,
    ids::{AccountId, CallerId, UserId},
    ports::clock::Clock,
};
use ipnet::IpNet;
use rates::{Bucket, NetworkBuckets};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// What was decided about limits when the server started.
#[derive(Debug, Clone)]
pub struct RequestLimits {
    /// Reading, by token.
    pub reads: Rate,
    /// Writing, by token.
    pub writes: Rate,
    /// Starting analyses, by token; counted as writes too.
    pub analyses: Rate,
    /// Everything, by account.
    pub account: Rate,
    /// Requests without a token, by address; wider networks of IPv6 have a multiple.
    pub anonymous: Rate,
    /// Tokens that are not accepted, by address; wider networks of IPv6 have a multiple.
    pub failed_tokens: Rate,
    /// Attempts to sign in, by address or known device.
    pub sign_ins: Rate,
    /// Attempts to sign in from everywhere, known devices apart.
    pub all_sign_ins: Rate,
    /// Answers kept for idempotency keys, by account, in KiB.
    pub kept_answers: Rate,
    /// Requests of a token at the same time.
    pub in_flight_per_token: u32,
    /// Requests of an account at the same time.
    pub in_flight_per_account: u32,
    /// Requests with an accepted token or session at the same time.
    pub in_flight: u32,
    /// Requests without one at the same time.
    pub in_flight_unknown: u32,
    /// The same of one address (IPv6: of a /64); wider networks have a multiple.
    pub in_flight_per_address: u32,
    /// Connections at the same time.
    pub connections: u32,
    /// The same of one address (IPv6: of a /64); wider networks have a multiple.
    pub connections_per_address: u32,
    /// Networks whose connections are not limited, beside the trusted proxies.
    pub uncounted_networks: Vec<IpNet>,
    /// Proxies whose `X-Forwarded-For` is believed.
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
            kept_answers: kept_answers(64),
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

/// The rate at which an account has answers kept for its idempotency keys: so many MiB in the time that
/// they are kept, and as many at once.
#[must_use]
pub const fn kept_answers(mib: u32) -> Rate {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a day of minutes"
    )]
    const MINUTES: u32 = IdempotencyRecord::KEPT_FOR.num_minutes() as u32;
    let kib = mib.saturating_mul(1_024);
    Rate::of(kib / MINUTES, kib)
}

/// A proxy on this machine may carry everybody's connections before anybody named it as trusted.
fn loopback() -> Vec<IpNet> {
    let networks = [
        IpNet::new(Ipv4Addr::LOCALHOST.into(), 8),
        IpNet::new(Ipv6Addr::LOCALHOST.into(), 128),
    ];
    networks.into_iter().flatten().collect()
}

/// Reports of browsers, from everywhere: so many are enough to learn that something is wrong, and no
/// flood of them fills the log or uses up what an address may ask for.
const REPORTS: Rate = Rate::of(60, 20);

/// Warnings that requests cause.
const WARNINGS: Rate = Rate::of(1, 1);

/// What a request is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It starts an analysis.
    Analysis,
}

/// How large a body may be, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyLimit {
    /// In bytes.
    pub max_bytes: usize,
    /// From the headers to the last byte.
    pub timeout: Duration,
}

/// A token or a session, and its account.
pub type Holder = (AccountId, CallerId);

/// What attempts to sign in are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    /// An address from which nobody is known.
    Address(IpAddr),
    /// The devices on which that person signed in before: the attempts of others never hold them up.
    /// They count together, since a person can make any number of them.
    DevicesOf(UserId),
}

/// Counts requests.
pub struct Limiter {
    /// Requests under way.
    pub in_flight: Arc<InFlight>,
    reads: Bucket<Holder>,
    writes: Bucket<Holder>,
    analyses: Bucket<Holder>,
    account: Bucket<AccountId>,
    kept_answers: Bucket<AccountId>,
    session_writes: Bucket<AccountId>,
    anonymous: NetworkBuckets,
    failed_tokens: NetworkBuckets,
    devices: Bucket<UserId>,
    sign_ins: Bucket<Door>,
    all_sign_ins: Bucket<()>,
    reports: Bucket<()>,
    warnings: Bucket<()>,
    has_warned_of_proxies: AtomicBool,
}

impl Limiter {
    /// Counts from now on.
    #[must_use]
    pub fn new(limits: &RequestLimits, clock: &Arc<dyn Clock>) -> Self {
        Self {
            in_flight: Arc::new(InFlight::new(limits)),
            reads: Bucket::new("reads", limits.reads, clock),
            writes: Bucket::new("writes", limits.writes, clock),
            analyses: Bucket::new("analyses", limits.analyses, clock),
            account: Bucket::new("account", limits.account, clock),
            session_writes: Bucket::new("session-writes", limits.writes, clock),
            kept_answers: Bucket::new("kept-answers", limits.kept_answers, clock),
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

    /// Counts a request of a token that was accepted. How matters stand with every policy that it
    /// was counted by, or with those up to the one that is exhausted.
    pub fn count(&self, holder: Holder, demand: Demand) -> Result<Vec<Standing>, Exhausted> {
        let mut standings = Vec::with_capacity(3);
        match demand {
            Demand::Read => self.reads.take(holder, &mut standings)?,
            Demand::Write => self.writes.take(holder, &mut standings)?,
            Demand::Analysis => {
                self.analyses.take(holder, &mut standings)?;
                self.writes.take(holder, &mut standings)?;
            }
        }
        self.account.take(holder.0, &mut standings)?;
        Ok(standings)
    }

    /// The same of a session. All sessions of an account together write as often as one token may: most of
    /// what they write is noted in the audit log.
    pub fn count_session(
        &self,
        holder: Holder,
        demand: Demand,
    ) -> Result<Vec<Standing>, Exhausted> {
        let mut standings = self.count(holder, demand)?;
        if demand != Demand::Read {
            self.session_writes.take(holder.0, &mut standings)?;
        }
        Ok(standings)
    }

    /// Counts a request whose answer is to be kept for its idempotency key.
    pub fn count_kept(&self, account: AccountId) -> Result<(), Exhausted> {
        self.kept_answers.take(account, &mut vec![])
    }

    /// Counts the size of an answer that was kept, beside the KiB that [`Limiter::count_kept`] took.
    pub fn weigh_kept(&self, account: AccountId, bytes: usize) {
        let kib = u32::try_from(bytes / 1_024).unwrap_or(u32::MAX);
        self.kept_answers.take_up_to(account, kib);
    }

    /// Counts a request that carries no token.
    pub fn count_anonymous(&self, address: IpAddr) -> Result<(), Exhausted> {
        self.anonymous.take(address)
    }

    /// Counts a sign-in from a device of that person that goes beyond what its address may ask for.
    pub fn count_device(&self, owner: UserId) -> Result<(), Exhausted> {
        self.devices.take(owner, &mut vec![])
    }

    /// Whether a warning that requests cause may be logged now: one a minute.
    #[must_use]
    pub fn may_warn(&self) -> bool {
        self.warnings.take((), &mut vec![]).is_ok()
    }

    /// Whether a proxy that is not trusted may be logged: once.
    #[must_use]
    pub fn may_warn_of_proxies(&self) -> bool {
        !self.has_warned_of_proxies.swap(true, Ordering::Relaxed)
    }

    /// Counts an attempt to sign in.
    pub fn count_sign_in(&self, door: Door) -> Result<(), Exhausted> {
        let is_known = matches!(door, Door::DevicesOf(_));
        self.sign_ins.take(door, &mut vec![])?;
        if is_known {
            return Ok(());
        }
        self.all_sign_ins.take((), &mut vec![])
    }

    /// Counts a browser's report.
    pub fn count_report(&self) -> Result<(), Exhausted> {
        self.reports.take((), &mut vec![])
    }

    /// Counts a token that was not accepted.
    pub fn count_failed_token(&self, address: IpAddr) -> Result<(), Exhausted> {
        self.failed_tokens.take(address)
    }
}
