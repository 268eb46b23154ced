//! Storage with mocked repositories: each test states the expected calls of a transaction.

use super::FrozenClock;
use crate::ports::clock::Clock;
use crate::ports::storage::{Repositories, Storage, StorageError, Transaction};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

macro_rules! fake {
    ($($name:ident: $module:ident $port:ident $mock:ident,)*) => {
        #[derive(Default)]
        pub struct FakeTransaction {
            $(pub $name: crate::ports::$module::$mock,)*
            commits: Arc<AtomicU32>,
        }

        impl Repositories for FakeTransaction {
            $(
                fn $name(&mut self) -> &mut dyn crate::ports::$module::$port {
                    &mut self.$name
                }
            )*
        }
    };
}
crate::repositories!(fake);

/// Returns the expected transactions in order, and counts commits.
#[derive(Default)]
pub struct FakeStorage {
    expected: Mutex<VecDeque<FakeTransaction>>,
    commits: Arc<AtomicU32>,
}

impl FakeStorage {
    pub fn expect(&self, set: impl FnOnce(&mut FakeTransaction)) {
        let mut transaction = FakeTransaction {
            commits: Arc::clone(&self.commits),
            ..FakeTransaction::default()
        };
        set(&mut transaction);
        self.expected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(transaction);
    }

    pub fn commits(&self) -> u32 {
        self.commits.load(Ordering::SeqCst)
    }

    fn next(&self) -> FakeTransaction {
        let next = self
            .expected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        next.expect("the test expects this transaction")
    }
}

#[async_trait]
impl Storage for FakeStorage {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        Ok(Box::new(self.next()))
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        Ok(Box::new(self.next()))
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        Ok(FrozenClock::default().now())
    }

    async fn ping(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

#[async_trait]
impl Transaction for FakeTransaction {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.commits.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}
