use crate::email::EmailAddress;
use crate::ids::{SessionId, UserId};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network of an address: the first 24 bits of IPv4, the first 64 of IPv6. Neighbors count as
/// one, because an attacker often controls them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressPrefix(IpAddr);

/// Block that providers assign to one customer (RFC 6177), who controls every /64 in it.
const CUSTOMER_BITS: u8 = 56;
/// Block that larger sites get (RFC 6177), and the smallest that is routed on its own.
const SITE_BITS: u8 = 48;

impl AddressPrefix {
    pub fn of(address: IpAddr) -> Self {
        let bits = |it: IpAddr| if it.is_ipv4() { 24 } else { 64 };
        let address = address.to_canonical();
        Self(masked(address, bits(address)))
    }

    /// Networks by which guesses are throttled, smallest first: the customer's block and, for IPv6,
    /// the site's block.
    fn throttle_blocks(self) -> (String, Option<String>) {
        match self.0 {
            IpAddr::V4(_) => (self.to_string(), None),
            IpAddr::V6(_) => {
                let of = |bits| format!("{}/{bits}", masked(self.0, bits));
                (of(CUSTOMER_BITS), Some(of(SITE_BITS)))
            }
        }
    }
}

fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let off = 32 - u32::from(bits);
            Ipv4Addr::from_bits(address.to_bits() >> off << off).into()
        }
        IpAddr::V6(address) => {
            let off = 128 - u32::from(bits);
            Ipv6Addr::from_bits(address.to_bits() >> off << off).into()
        }
    }
}

impl fmt::Display for AddressPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.0.is_ipv4() { 24 } else { 64 };
        write!(f, "{}/{bits}", self.0)
    }
}

/// Hashed, so that the table does not reveal who was attacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThrottleKey(pub [u8; 32]);

impl ThrottleKey {
    /// The same whether or not an account has the address.
    fn of_network(email: &EmailAddress, network: &str) -> Self {
        Self::of(&["stranger", email.as_str(), network])
    }

    /// Guesses for an e-mail address on unknown devices, from any network.
    pub fn of_email(email: &EmailAddress) -> Self {
        Self::of(&["email", email.as_str()])
    }

    /// A device on which the user signed in before, counted separately, so that failures of others
    /// never delay its owner.
    pub fn of_device(user: UserId, nonce: &str) -> Self {
        Self::of(&["device", &user.to_string(), nonce])
    }

    /// Password prompts in a session, counted separately, so that a stolen session does not delay the others.
    pub fn of_session(session: SessionId) -> Self {
        Self::of(&["session", &session.to_string()])
    }

    fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }
}

/// Rate limit of guesses per key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// The first `free` guesses need no wait; then each wait doubles, from a second to [`Throttle::MAX_WAIT`].
    /// Resets after a success, and after [`Throttle::RESET_AFTER`] without a guess.
    Doubling { free: u32 },
    /// Up to `capacity` at once, and on average `capacity` per [`Throttle::RESET_AFTER`], draining at a
    /// constant rate (leaky bucket). A success takes back only its own guess.
    Draining { capacity: u32 },
}

impl Pace {
    /// One network, device or session.
    pub const NARROW: Self = Self::Doubling { free: 5 };
    /// The block of a whole IPv6 site, which may be many customers.
    pub const SITE: Self = Self::Doubling { free: 20 };
    /// One e-mail address from everywhere: as many failures as NIST SP 800-63B-4, 3.2.2 allows.
    pub const EMAIL: Self = Self::Draining { capacity: 100 };

    /// Counts one more guess, or returns the wait. A guess counts as wrong until it turns out
    /// right, so that parallel guesses cannot bypass the limit.
    pub fn count(self, before: Throttle, now: DateTime<Utc>) -> Result<Throttle, TimeDelta> {
        match self {
            Self::Doubling { free } => before.doubling(free, now),
            Self::Draining { capacity } => before.draining(capacity, now),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuessLimit {
    pub key: ThrottleKey,
    pub pace: Pace,
}

impl GuessLimit {
    /// All limits of a guess on an unknown device: network, site, e-mail address. Always locked in
    /// this order, which prevents deadlocks.
    pub fn for_unknown_device(email: &EmailAddress, from: AddressPrefix) -> Vec<Self> {
        let (network, site) = from.throttle_blocks();
        let by_network = |network: &str, pace| Self {
            key: ThrottleKey::of_network(email, network),
            pace,
        };
        let mut limits = vec![by_network(&network, Pace::NARROW)];
        limits.extend(site.map(|it| by_network(&it, Pace::SITE)));
        limits.push(Self {
            key: ThrottleKey::of_email(email),
            pace: Pace::EMAIL,
        });
        limits
    }

    /// Limits of requests to reset the password of an address. Always locked in this order.
    pub fn for_password_resets(email: &EmailAddress, from: AddressPrefix) -> Vec<Self> {
        let (network, _) = from.throttle_blocks();
        let limit = |kind, of: &str, capacity| Self {
            key: ThrottleKey::of(&[kind, of]),
            pace: Pace::Draining { capacity },
        };
        // Requests from elsewhere do not use up the person's own.
        let own = format!("{email} from {network}");
        vec![
            limit("reset from", &network, 60),
            limit("reset of", email.as_str(), 24),
            limit("reset by", &own, 6),
        ]
    }

    /// The limit of changes of a person's address: three a day.
    pub fn for_address_changes(user: UserId) -> Vec<Self> {
        vec![Self {
            key: ThrottleKey::of(&["address of", &user.to_string()]),
            pace: Pace::Draining { capacity: 3 },
        }]
    }

    /// The single limit of guesses on a known device or in a session.
    pub fn single(key: ThrottleKey) -> Vec<Self> {
        vec![Self {
            key,
            pace: Pace::NARROW,
        }]
    }
}

/// Guesses counted under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// Guesses not yet drained, this one included.
    pub guesses: u32,
    /// Time of the last guess; for a draining counter, when one last drained.
    pub last_at: DateTime<Utc>,
}

impl Throttle {
    /// Maximum wait between two guesses.
    pub const MAX_WAIT: TimeDelta = TimeDelta::minutes(15);
    /// Counters reset after this time without a guess.
    pub const RESET_AFTER: TimeDelta = TimeDelta::hours(24);

    fn doubling(self, free: u32, now: DateTime<Utc>) -> Result<Self, TimeDelta> {
        let mut guesses = 0;
        if self.last_at + Self::RESET_AFTER > now {
            let wait = self.last_at + self.pause(free) - now;
            if wait > TimeDelta::zero() {
                return Err(wait);
            }
            guesses = self.guesses;
        }
        Ok(Self {
            guesses: guesses.saturating_add(1),
            last_at: now,
        })
    }

    /// Wait after the last guess: none for the free ones, then a second, then doubling.
    fn pause(self, free: u32) -> TimeDelta {
        let Some(beyond) = self.guesses.checked_sub(free) else {
            return TimeDelta::zero();
        };
        // 2¹⁰ seconds exceed the maximum wait.
        TimeDelta::seconds(1 << beyond.min(10)).min(Self::MAX_WAIT)
    }

    fn draining(self, capacity: u32, now: DateTime<Utc>) -> Result<Self, TimeDelta> {
        let part = Self::RESET_AFTER.num_microseconds().unwrap_or(i64::MAX) / i64::from(capacity);
        // A clock that was set back drains nothing.
        let passed = (now - self.last_at)
            .num_microseconds()
            .unwrap_or(i64::MAX)
            .max(0);
        let parts = u32::try_from(passed / part).unwrap_or(u32::MAX);
        let left = self.guesses.saturating_sub(parts);
        if left >= capacity {
            let beyond = i64::from(left - capacity);
            return Err(TimeDelta::microseconds(
                part - passed % part + beyond * part,
            ));
        }
        Ok(Self {
            guesses: left + 1,
            last_at: if left == 0 {
                now
            } else {
                self.last_at
                    .max(now - TimeDelta::microseconds(passed % part))
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};

    const TICK: TimeDelta = TimeDelta::microseconds(1);

    /// Counts `guesses` guesses at once.
    fn counted(pace: Pace, before: Throttle, guesses: u32, now: DateTime<Utc>) -> Throttle {
        (0..guesses).fold(before, |it, _| pace.count(it, now).unwrap())
    }

    #[test]
    fn after_five_free_guesses_the_wait_doubles() {
        let clock = FrozenClock::default();
        let none = Throttle {
            guesses: 0,
            last_at: clock.now(),
        };
        let pace = Pace::NARROW;
        let mut count = counted(pace, none, 5, clock.now());
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            let wait = pace.count(count, clock.now()).unwrap_err();
            assert_eq!(wait, TimeDelta::seconds(seconds));
            clock.advance(wait - TICK);
            assert!(pace.count(count, clock.now()).is_err());
            clock.advance(TICK);
            count = pace.count(count, clock.now()).unwrap();
        }
        clock.advance(Throttle::RESET_AFTER);
        let anew = pace.count(count, clock.now()).unwrap();
        assert_eq!(anew.guesses, 1);
    }

    #[test]
    fn one_hundred_guesses_are_free_then_one_per_864_seconds() {
        let clock = FrozenClock::default();
        let none = Throttle {
            guesses: 0,
            last_at: clock.now(),
        };
        let pace = Pace::EMAIL;
        let mut count = counted(pace, none, 100, clock.now());
        for _ in 0..3 {
            let wait = pace.count(count, clock.now()).unwrap_err();
            assert_eq!(wait, TimeDelta::seconds(864));
            clock.advance(wait - TICK);
            assert_eq!(pace.count(count, clock.now()), Err(TICK));
            clock.advance(TICK);
            count = pace.count(count, clock.now()).unwrap();
        }
        clock.advance(TimeDelta::seconds(2 * 864 + 100));
        count = counted(pace, count, 2, clock.now());
        let wait = TimeDelta::seconds(764);
        assert_eq!(
            pace.count(count, clock.now()),
            Err(wait),
            "parts of a part count"
        );
        clock.advance(Throttle::RESET_AFTER);
        assert_eq!(counted(pace, count, 100, clock.now()).guesses, 100);
    }

    #[test]
    fn a_clock_that_is_set_back_allows_no_further_guess() {
        let now = FrozenClock::default().now();
        let full = Throttle {
            guesses: 100,
            last_at: now + TimeDelta::hours(1),
        };
        assert!(Pace::EMAIL.count(full, now).is_err());
    }

    #[test]
    fn no_more_than_two_hundred_guesses_fit_into_a_day() {
        let clock = FrozenClock::default();
        let mut count = Throttle {
            guesses: 0,
            last_at: clock.now(),
        };
        let mut looked_at = 0;
        for _ in 0..24 * 60 {
            while let Ok(next) = Pace::EMAIL.count(count, clock.now()) {
                (count, looked_at) = (next, looked_at + 1);
            }
            clock.advance(TimeDelta::minutes(1));
        }
        assert!((195..=200).contains(&looked_at), "{looked_at}");
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let prefix = |text: &str| AddressPrefix::of(text.parse().unwrap());
        assert_eq!(prefix("192.0.2.1"), prefix("192.0.2.250"));
        assert_eq!(prefix("192.0.2.1"), prefix("::ffff:192.0.2.9"));
        assert_ne!(prefix("192.0.2.1"), prefix("192.0.3.1"));
        assert_eq!(prefix("2001:db8:1:2:3::4").to_string(), "2001:db8:1:2::/64");
        assert_eq!(prefix("192.0.2.1").to_string(), "192.0.2.0/24");
    }

    #[test]
    fn an_ipv6_guess_counts_for_its_customer_and_its_site() {
        let ann = EmailAddress::parse("ann@example.com").unwrap();
        let limits = |from: &str| {
            GuessLimit::for_unknown_device(&ann, AddressPrefix::of(from.parse().unwrap()))
        };
        let shared = |one: &str, other: &str| {
            let others = limits(other);
            limits(one).iter().filter(|it| others.contains(it)).count()
        };
        assert_eq!(limits("192.0.2.1").len(), 2);
        assert_eq!(shared("192.0.2.1", "192.0.2.250"), 2);
        assert_eq!(shared("192.0.2.1", "192.0.3.1"), 1, "the e-mail address");
        assert_eq!(shared("2001:db8:1:200::1", "2001:db8:1:2ff::1"), 3);
        assert_eq!(shared("2001:db8:1:200::1", "2001:db8:1:300::1"), 2);
        assert_eq!(shared("2001:db8:1:200::1", "2001:db8:2:200::1"), 1);
    }
}
