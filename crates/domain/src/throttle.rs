//! How fast passwords may be guessed.

use crate::{
    email::EmailAddress,
    ids::{SessionId, UserId},
};
use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// The network an address belongs to: the first 24 bits of IPv4, the first 64 of IPv6. Neighbours
/// count as one, because an attacker often has them all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressPrefix(IpAddr);

impl AddressPrefix {
    /// The network of an address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() >> 8 << 8).into(),
            IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        })
    }
}

impl fmt::Display for AddressPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = if self.0.is_ipv4() { 24 } else { 64 };
        write!(f, "{}/{bits}", self.0)
    }
}

/// What guesses are counted by: a hash, so that nobody reads from the table who was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ThrottleKey(pub [u8; 32]);

impl ThrottleKey {
    /// An e-mail address, tried from a network; whether anybody has the address makes no
    /// difference.
    #[must_use]
    pub fn of_stranger(email: &EmailAddress, from: AddressPrefix) -> Self {
        Self::of(&["stranger", email.as_str(), &from.to_string()])
    }

    /// A device on which that person signed in before. It is counted by itself, so that the
    /// failures of others never hold up its owner.
    #[must_use]
    pub fn of_device(user: UserId, nonce: &str) -> Self {
        Self::of(&["device", &user.to_string(), nonce])
    }

    /// A session whose password is asked for again: whoever stole one does not hold up the others.
    #[must_use]
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

/// Guesses that were counted by a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    /// Guesses since the last success, this one among them.
    pub guesses: u32,
    /// When the last of them was made.
    pub last_at: DateTime<Utc>,
}

impl Throttle {
    /// Guesses that cost no waiting.
    pub const FREE: u32 = 5;
    /// The longest wait between two.
    pub const LONGEST: TimeDelta = TimeDelta::minutes(15);
    /// Without a guess for so long, counting begins anew.
    pub const FORGOTTEN_AFTER: TimeDelta = TimeDelta::hours(24);

    /// Counts one more guess, or tells how long to wait for it. A guess counts as wrong until it
    /// turns out right, so that many at once do not slip through together.
    pub fn count(before: Option<Self>, now: DateTime<Utc>) -> Result<Self, TimeDelta> {
        let guesses = match before {
            Some(it) if it.last_at + Self::FORGOTTEN_AFTER > now => {
                let wait = it.last_at + it.pause() - now;
                if wait > TimeDelta::zero() {
                    return Err(wait);
                }
                it.guesses
            }
            _ => 0,
        };
        Ok(Self {
            guesses: guesses.saturating_add(1),
            last_at: now,
        })
    }

    /// How long after the last guess the next may come: nothing for the first ones, then a second,
    /// and twice as long after each.
    fn pause(self) -> TimeDelta {
        let Some(beyond) = self.guesses.checked_sub(Self::FREE) else {
            return TimeDelta::zero();
        };
        // 2¹⁰ seconds are more than the longest pause.
        TimeDelta::seconds(1 << beyond.min(10)).min(Self::LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};

    #[test]
    fn five_guesses_are_free_and_then_each_waits_twice_as_long() {
        let clock = FrozenClock::default();
        let mut counted = None;
        for _ in 0..5 {
            counted = Some(Throttle::count(counted, clock.now()).unwrap());
        }
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            let wait = Throttle::count(counted, clock.now()).unwrap_err();
            assert_eq!(wait, TimeDelta::seconds(seconds));
            clock.advance(wait - TimeDelta::microseconds(1));
            assert!(Throttle::count(counted, clock.now()).is_err());
            clock.advance(TimeDelta::microseconds(1));
            counted = Some(Throttle::count(counted, clock.now()).unwrap());
        }
        clock.advance(Throttle::FORGOTTEN_AFTER);
        let anew = Throttle::count(counted, clock.now()).unwrap();
        assert_eq!(anew.guesses, 1);
    }

    #[test]
    fn neighbours_count_as_one_and_others_do_not() {
        let prefix = |text: &str| AddressPrefix::of(text.parse().unwrap());
        assert_eq!(prefix("192.0.2.1"), prefix("192.0.2.250"));
        assert_eq!(prefix("192.0.2.1"), prefix("::ffff:192.0.2.9"));
        assert_ne!(prefix("192.0.2.1"), prefix("192.0.3.1"));
        assert_eq!(prefix("2001:db8:1:2:3::4").to_string(), "2001:db8:1:2::/64");
        assert_eq!(prefix("192.0.2.1").to_string(), "192.0.2.0/24");
        let ann = EmailAddress::parse("ann@example.com").unwrap();
        assert_ne!(
            ThrottleKey::of_stranger(&ann, prefix("192.0.2.1")),
            ThrottleKey::of_stranger(&ann, prefix("192.0.3.1"))
        );
    }
}
