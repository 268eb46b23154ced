//! Requests in flight.
//!
//! Requests of accepted tokens and sessions have their own pool. Requests without one share a small pool, of which
//! each network may use a part. Token and session lookups use a third pool; they never wait for the sender, so slow
//! senders cannot exhaust it.

use super::{CallerKey, NoSlot, RequestLimits, Slot, SlotKey, Slots, networks::slot_limits};
use domain::ids::UserId;
use std::{net::IpAddr, sync::Arc};

/// Concurrent requests of known devices, in total and per user.
const MAX_DEVICES: u32 = 16;
const MAX_PER_DEVICE_OWNER: u32 = 2;

pub struct InFlight {
    per_caller: u32,
    per_account: u32,
    per_address: u32,
    accepted: Arc<Slots>,
    lookups: Arc<Slots>,
    unknown: Arc<Slots>,
    devices: Arc<Slots>,
}

impl InFlight {
    pub fn new(limits: &RequestLimits) -> Self {
        Self {
            per_caller: limits.in_flight_per_token,
            per_account: limits.in_flight_per_account,
            per_address: limits.in_flight_per_address,
            accepted: Slots::new(limits.in_flight),
            lookups: Slots::new(limits.in_flight),
            unknown: Slots::new(limits.in_flight_unknown),
            devices: Slots::new(MAX_DEVICES),
        }
    }

    /// For an accepted token or session. Fails at the limit of the caller, its account or the process.
    pub fn accepted(&self, caller_key: CallerKey) -> Result<Slot, NoSlot> {
        self.accepted.take([
            (SlotKey::Caller(caller_key), self.per_caller),
            (SlotKey::Account(caller_key.0), self.per_account),
        ])
    }

    /// For a token or session lookup. Fails at the limit of a network or the process.
    pub fn lookup(&self, address: IpAddr) -> Result<Slot, NoSlot> {
        let max = self.lookups.max();
        let limits = slot_limits(address, max, (max / 4).max(1));
        self.lookups.take(limits)
    }

    /// Without an accepted token or session. Fails like [`Self::lookup`].
    pub fn unknown(&self, address: IpAddr) -> Result<Slot, NoSlot> {
        let limits = slot_limits(address, self.unknown.max(), self.per_address);
        self.unknown.take(limits)
    }

    /// For a sign-in from a known device at an address without a free slot. Fails at the limit of the user or
    /// the process.
    pub fn device(&self, owner: UserId) -> Result<Slot, NoSlot> {
        self.devices
            .take([(SlotKey::DeviceOwner(owner), MAX_PER_DEVICE_OWNER)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{AccountId, CallerId};

    fn in_flight(change: impl FnOnce(&mut RequestLimits)) -> InFlight {
        let mut limits = RequestLimits {
            in_flight_per_token: 2,
            in_flight_per_account: 3,
            in_flight: 4,
            ..RequestLimits::default()
        };
        change(&mut limits);
        InFlight::new(&limits)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn tokens_and_accounts_have_limits() {
        let in_flight = in_flight(|_| {});
        let take = |account, token| in_flight.accepted((AccountId(account), CallerId(token)));
        let taken = [take(1, 1), take(1, 1), take(1, 2)];
        assert!(taken.iter().all(Result::is_ok));
        assert!(matches!(
            take(1, 1).err(),
            Some(NoSlot::KeyFull {
                key: SlotKey::Caller(_),
                max: 2
            })
        ));
        assert!(matches!(
            take(1, 2).err(),
            Some(NoSlot::KeyFull {
                key: SlotKey::Account(_),
                max: 3
            })
        ));
        let last = take(2, 1);
        assert!(last.is_ok());
        assert_eq!(take(3, 1).err(), Some(NoSlot::Full));
    }

    #[test]
    fn unknown_requests_take_no_slot_of_accepted_ones() {
        let in_flight = in_flight(|it| it.in_flight_unknown = 64);
        let mut taken = vec![];
        for network in 0..64 {
            for _ in 0..8 {
                let found = in_flight.unknown(address(&format!("2001:db8:{network:x}::1")));
                taken.extend(found.ok());
            }
        }
        assert_eq!(taken.len(), 64);
        let elsewhere = in_flight.unknown(address("192.0.2.1"));
        assert_eq!(elsewhere.err(), Some(NoSlot::Full));
        let accepted: Vec<_> = (0..4)
            .map(|token| in_flight.accepted((AccountId(token), CallerId(1))))
            .collect();
        assert!(accepted.iter().all(Result::is_ok));
    }

    #[test]
    fn addresses_and_their_prefixes_have_limits() {
        let in_flight = in_flight(|_| {});
        let mut taken = vec![];
        let mut take = |text: &str, wanted: usize| {
            let found = (0..wanted).filter_map(|_| in_flight.unknown(address(text)).ok());
            let before = taken.len();
            taken.extend(found.collect::<Vec<_>>());
            taken.len() - before
        };
        assert_eq!(take("192.0.2.1", 560), 8);
        assert_eq!(take("2001:db8:0:1::1", 9), 8);
        let of_one_56: usize = (2..64)
            .map(|net| take(&format!("2001:db8:0:{net:x}::1"), 9))
            .sum();
        assert_eq!(8 + of_one_56, 32);
        assert_eq!(
            take("2001:db8:0:100::1", 1),
            0,
            "another /56 of the same /48"
        );
        assert_eq!(take("2001:db8:1::1", 9), 8, "another /48");
    }
}
