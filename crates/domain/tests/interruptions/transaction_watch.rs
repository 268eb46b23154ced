//! Records reads of clock or random bytes while a transaction is open, which may run more than once.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    ports::{
        clock::Clock,
        randomness::Randomness,
        storage::{Repositories, Storage, StorageError, Transaction},
    },
    test_support::FrozenClock,
};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// Clock, random bytes and storage. Bytes are constant, so that secrets repeat and ids ascend by one.
#[derive(Clone)]
pub struct Watch {
    storage: Arc<dyn Storage>,
    open: Arc<AtomicU32>,
    reads: Arc<AtomicU32>,
}

impl Watch {
    pub fn over(storage: Arc<dyn Storage>) -> Self {
        Self {
            storage,
            open: Arc::default(),
            reads: Arc::default(),
        }
    }

    /// Number of reads in a transaction.
    pub fn reads(&self) -> u32 {
        self.reads.load(Ordering::Relaxed)
    }

    fn note(&self) {
        let is_open = self.open.load(Ordering::Relaxed) > 0;
        self.reads.fetch_add(is_open.into(), Ordering::Relaxed);
    }
}

impl Clock for Watch {
    fn now(&self) -> DateTime<Utc> {
        self.note();
        FrozenClock::default().now()
    }
}

impl Randomness for Watch {
    fn fill(&self, bytes: &mut [u8]) {
        self.note();
        bytes.fill(0);
    }
}

#[async_trait]
impl Storage for Watch {
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError> {
        self.storage.read().await
    }

    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError> {
        let work = self.storage.write().await?;
        self.open.fetch_add(1, Ordering::Relaxed);
        let open = Open(Arc::clone(&self.open));
        Ok(Box::new(Watched { work, _open: open }))
    }

    async fn now(&self) -> Result<DateTime<Utc>, StorageError> {
        self.storage.now().await
    }

    async fn ping(&self) -> Result<(), StorageError> {
        self.storage.ping().await
    }
}

struct Open(Arc<AtomicU32>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Watched {
    work: Box<dyn Transaction>,
    _open: Open,
}

#[async_trait]
impl Transaction for Watched {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.work.commit().await
    }
}

macro_rules! reach {
    ($($name:ident: $module:ident $port:ident $mock:ident,)*) => {
        impl Repositories for Watched {
            $(
                fn $name(&mut self) -> &mut dyn domain::ports::$module::$port {
                    self.work.$name()
                }
            )*
        }
    };
}
domain::repositories!(reach);

#[tokio::test]
async fn clock_reads_are_counted_while_a_transaction_is_open() {
    let watch = Watch::over(domain::test_support::MemoryStorage::default().port());
    Clock::now(&watch);
    let work = watch.write().await.unwrap();
    assert_eq!(watch.reads(), 0);
    Clock::now(&watch);
    watch.fill(&mut [0]);
    assert_eq!(watch.reads(), 2);
    work.commit().await.unwrap();
    drop(watch.write().await.unwrap());
    Clock::now(&watch);
    assert_eq!(watch.reads(), 2);
}
