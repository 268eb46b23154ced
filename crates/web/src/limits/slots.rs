//! Concurrency slots for requests or connections, in total and per key.

use super::CallerKey;
use domain::ids::{AccountId, UserId};
use ipnet::IpNet;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlotKey {
    Caller(CallerKey),
    Account(AccountId),
    /// A single address is the smallest.
    Network(IpNet),
    /// Owner of a known device.
    DeviceOwner(UserId),
}

pub struct Slots {
    max: u32,
    counts: Mutex<SlotCounts>,
    released: Notify,
}

#[derive(Default)]
struct SlotCounts {
    total: u32,
    by_key: HashMap<SlotKey, u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoSlot {
    Full,
    KeyFull { key: SlotKey, max: u32 },
}

/// Released on drop.
pub struct Slot {
    slots: Arc<Slots>,
    keys: Vec<SlotKey>,
}

impl Slots {
    pub fn new(max: u32) -> Arc<Self> {
        Arc::new(Self {
            max,
            counts: Mutex::default(),
            released: Notify::new(),
        })
    }

    pub const fn max(&self) -> u32 {
        self.max
    }

    pub fn in_use(&self) -> u32 {
        self.lock().total
    }

    /// Counts the slot for each key. Fails at the first key at its limit, then when all slots are held.
    pub fn take(
        self: &Arc<Self>,
        limits: impl IntoIterator<Item = (SlotKey, u32)>,
    ) -> Result<Slot, NoSlot> {
        let mut counts = self.lock();
        let mut keys = Vec::with_capacity(3);
        for (key, max) in limits {
            if counts.by_key.get(&key).is_some_and(|count| *count >= max) {
                return Err(NoSlot::KeyFull { key, max });
            }
            keys.push(key);
        }
        if counts.total >= self.max {
            return Err(NoSlot::Full);
        }
        counts.total += 1;
        for key in &keys {
            *counts.by_key.entry(*key).or_default() += 1;
        }
        Ok(Slot {
            slots: Arc::clone(self),
            keys,
        })
    }

    /// Waits for a free slot.
    pub async fn take_within(
        self: &Arc<Self>,
        wait: Duration,
        limits: &[(SlotKey, u32)],
    ) -> Result<Slot, NoSlot> {
        let until = Instant::now() + wait;
        loop {
            let released = self.released.notified();
            let reason = match self.take(limits.iter().copied()) {
                Ok(slot) => return Ok(slot),
                Err(reason) => reason,
            };
            timeout_at(until, released).await.map_err(|_| reason)?;
        }
    }

    fn lock(&self) -> MutexGuard<'_, SlotCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.slots.lock();
        counts.total -= 1;
        for key in &self.keys {
            if let Some(count) = counts.by_key.get_mut(key) {
                *count -= 1;
                if *count == 0 {
                    counts.by_key.remove(key);
                }
            }
        }
        drop(counts);
        self.slots.released.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_applies_and_dropping_frees_the_slot() {
        let slots = Slots::new(3);
        let take = |user: i64, account: i64| {
            slots.take([
                (SlotKey::DeviceOwner(UserId(user)), 1),
                (SlotKey::Account(AccountId(account)), 2),
            ])
        };
        let first = take(1, 1).ok();
        let key = SlotKey::DeviceOwner(UserId(1));
        assert_eq!(take(1, 2).err(), Some(NoSlot::KeyFull { key, max: 1 }));
        let second = take(2, 1).ok();
        let key = SlotKey::Account(AccountId(1));
        assert_eq!(take(3, 1).err(), Some(NoSlot::KeyFull { key, max: 2 }));
        let third = take(3, 2).ok();
        assert_eq!(take(4, 2).err(), Some(NoSlot::Full));
        assert_eq!(slots.in_use(), 3);
        drop(first);
        drop(take(1, 1).unwrap());
        drop((second, third));
        let counts = slots.lock();
        assert!(counts.total == 0 && counts.by_key.is_empty());
    }

    #[tokio::test]
    async fn waiting_for_a_slot_times_out() {
        const WAIT: Duration = Duration::from_secs(5);
        let slots = Slots::new(2);
        let limits = |account| [(SlotKey::Account(AccountId(account)), 1)];
        let first = slots.take_within(WAIT, &limits(1)).await.ok();
        let no_time = slots.take_within(Duration::ZERO, &limits(1)).await;
        let key = SlotKey::Account(AccountId(1));
        assert_eq!(no_time.err(), Some(NoSlot::KeyFull { key, max: 1 }));
        let second = slots.take_within(WAIT, &limits(2)).await.ok();
        let no_time = slots.take_within(Duration::ZERO, &limits(3)).await;
        assert_eq!(no_time.err(), Some(NoSlot::Full));
        let release = async { drop(first) };
        let third = limits(1);
        let (third, ()) = tokio::join!(slots.take_within(WAIT, &third), release);
        assert!(third.is_ok());
        drop((second, third));
        assert_eq!(slots.in_use(), 0);
    }
}
