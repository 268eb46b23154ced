//! Requests under way: of a token, of an account, and of all.

use super::{Holder, RequestLimits};
use domain::ids::AccountId;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Counts requests under way.
pub struct InFlight {
    per_token: u32,
    per_account: u32,
    most: u32,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: u32,
    tokens: HashMap<Holder, u32>,
    accounts: HashMap<AccountId, u32>,
}

/// Why a request may not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooManyInFlight {
    /// The token has as many under way as it may.
    Token(u32),
    /// The account has as many under way as it may.
    Account(u32),
}

/// A request under way; it ends when this is dropped.
pub struct UnderWay {
    counter: Arc<InFlight>,
    holder: Option<Holder>,
}

impl InFlight {
    /// Nothing is under way.
    #[must_use]
    pub fn new(limits: &RequestLimits) -> Self {
        Self {
            per_token: limits.in_flight_per_token,
            per_account: limits.in_flight_per_account,
            most: limits.in_flight,
            held: Mutex::default(),
        }
    }

    /// A request of whomever begins; `None` when the process has as many as it may.
    pub fn begin(self: &Arc<Self>) -> Option<UnderWay> {
        let mut held = self.held();
        if held.all >= self.most {
            return None;
        }
        held.all += 1;
        Some(UnderWay {
            counter: Arc::clone(self),
            holder: None,
        })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, holder: Holder) -> Result<(), TooManyInFlight> {
        let mut held = self.held();
        let of_token = held.tokens.get(&holder).copied().unwrap_or(0);
        if of_token >= self.per_token {
            return Err(TooManyInFlight::Token(self.per_token));
        }
        let of_account = held.accounts.get(&holder.0).copied().unwrap_or(0);
        if of_account >= self.per_account {
            return Err(TooManyInFlight::Account(self.per_account));
        }
        held.tokens.insert(holder, of_token + 1);
        held.accounts.insert(holder.0, of_account + 1);
        Ok(())
    }

    fn leave(&self, holder: Option<Holder>) {
        let mut held = self.held();
        held.all -= 1;
        if let Some(holder) = holder {
            one_less(&mut held.tokens, &holder);
            one_less(&mut held.accounts, &holder.0);
        }
    }
}

impl UnderWay {
    /// Whose request it is has become known.
    pub fn belongs_to(&mut self, holder: Holder) -> Result<(), TooManyInFlight> {
        self.counter.enter(holder)?;
        self.holder = Some(holder);
        Ok(())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.counter.leave(self.holder);
    }
}

/// What has none under way is forgotten.
fn one_less<K: Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::CallerId;

    fn counter() -> Arc<InFlight> {
        Arc::new(InFlight::new(&RequestLimits {
            in_flight_per_token: 2,
            in_flight_per_account: 3,
            in_flight: 4,
            ..RequestLimits::default()
        }))
    }

    fn begun(
        counter: &Arc<InFlight>,
        account: i64,
        token: i64,
    ) -> Result<UnderWay, TooManyInFlight> {
        let mut request = counter.begin().unwrap();
        request.belongs_to((AccountId(account), CallerId(token)))?;
        Ok(request)
    }

    #[test]
    fn each_bound_holds_and_an_end_makes_room() {
        let counter = counter();
        let first = begun(&counter, 1, 1).unwrap();
        let second = begun(&counter, 1, 1).unwrap();
        assert_eq!(begun(&counter, 1, 1).err(), Some(TooManyInFlight::Token(2)));
        let third = begun(&counter, 1, 2).unwrap();
        assert_eq!(
            begun(&counter, 1, 3).err(),
            Some(TooManyInFlight::Account(3))
        );
        let fourth = begun(&counter, 2, 1).unwrap();
        assert!(counter.begin().is_none(), "the process is full");
        drop((first, fourth));
        drop(begun(&counter, 1, 1).unwrap());
        drop((second, third));
        let held = counter.held.lock().unwrap();
        assert!(held.tokens.is_empty() && held.accounts.is_empty());
        assert_eq!(held.all, 0);
    }
}
