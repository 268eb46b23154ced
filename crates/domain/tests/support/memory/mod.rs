//! A storage in memory, for tests of rules: what it holds is asserted, not how it was asked.
//!
//! A transaction works on a copy, which takes the place of what is there when it commits. Of two that change something
//! at once the second to commit is interrupted, as on a database that serialises transactions: nobody waits for a lock.

mod accounts;
mod ai_answers;
mod console_rows;
mod due;
mod jobs;
mod keywords;
mod measurements;
mod pages;
mod paging;
mod past;
mod plans;
mod projects;
mod research;
mod results;
mod server;
mod sessions;
mod spending;
mod state;

use super::FrozenClock;
use crate::ports::clock::Clock;
use crate::ports::storage::{NoConnection, Repositories, Storage, StorageError, Transaction};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
pub use state::{ImportRow, PasswordRow, State, VisitedPageRow, WrittenCallRow};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Stored<T> = Result<T, StorageError>;

/// What goes wrong at a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Another transaction is in the way: it may be tried again. Only statements of transactions meet it, since readers
    /// stand in nobody's way.
    Interrupted,
    /// The storage does not answer, and nothing was done.
    Broken,
    /// The storage does not answer, and it was done: of a commit nobody knows then.
    AnswerLost,
}

#[derive(Default)]
struct Shared {
    committed: Arc<State>,
    /// Statements since the storage was made or a fault was set.
    statements: u32,
    fault: Option<(Fault, u32)>,
    /// What was committed, oldest first.
    history: Vec<Arc<State>>,
}

#[derive(Clone, Default)]
pub struct MemoryStorage(Arc<Mutex<Shared>>);

impl MemoryStorage {
    /// What is committed.
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&self.shared().committed)
    }

    /// Puts something there past the repositories, as an example to begin from.
    pub fn put(&self, change: impl FnOnce(&mut State)) {
        change(Arc::make_mut(&mut self.shared().committed));
    }

    /// Lets the `number`th statement from now fail, counted from 1; a commit is a statement.
    pub fn fail_at(&self, number: u32, fault: Fault) {
        let mut shared = self.shared();
        (shared.statements, shared.fault) = (0, Some((fault, number)));
    }

    /// Answers [`StorageError::Interrupted`] at the `number`th statement from now.
    pub fn interrupt_at(&self, number: u32) {
        self.fail_at(number, Fault::Interrupted);
    }

    /// Whether the fault that was set is still to come.
    pub fn is_fault_ahead(&self) -> bool {
        self.shared().fault.is_some()
    }

    /// What was there after each commit.
    pub fn history(&self) -> Vec<Arc<State>> {
        self.shared().history.clone()
    }

    pub fn commits(&self) -> usize {
        self.shared().history.len()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Counts a statement; the fault it meets.
    fn begin(&mut self, is_of_transaction: bool) -> Option<Fault> {
        if !is_of_transaction && matches!(self.fault, Some((Fault::Interrupted, _))) {
            return None;
        }
        self.statements += 1;
        let (fault, _) = self.fault.filter(|(_, at)| *at == self.statements)?;
        self.fault = None;
        Some(fault)
    }
}

impl Fault {
    fn error(self) -> StorageError {
        match self {
            Self::Interrupted => StorageError::Interrupted("another transaction".into()),
            Self::Broken | Self::AnswerLost => unavailable("the test wants it so"),
        }
    }
}

fn unavailable(why: &str) -> StorageError {
    StorageError::Unavailable(Box::new(NoConnection(why.to_owned())))
}

fn conflict<T>(constraint: &str) -> Stored<T> {
    let constraint = constraint.to_owned();
    Err(StorageError::Conflict { constraint })
}

/// A transaction: what it began from, and what it made of that.
struct Work {
    base: Arc<State>,
    state: Arc<State>,
}

/// A reader, or a transaction until it is over.
struct Session {
    storage: MemoryStorage,
    is_reader: bool,
    work: Option<Work>,
}

impl Session {
    /// A statement that only reads.
    fn ask<T>(&mut self, read: impl FnOnce(&State) -> T) -> Stored<T> {
        self.try_ask(|state| Ok(read(state)))
    }

    fn try_ask<T>(&mut self, read: impl FnOnce(&State) -> Stored<T>) -> Stored<T> {
        if self.is_reader {
            let met = self.storage.shared().begin(false);
            return met.map_or_else(|| read(&self.storage.state()), |it| Err(it.error()));
        }
        self.statement(|work| read(&work.state))
    }

    /// A statement that changes something or keeps it from others: it is refused to readers.
    fn change<T>(&mut self, change: impl FnOnce(&mut State) -> Stored<T>) -> Stored<T> {
        if self.is_reader {
            return Err(StorageError::ReadOnly);
        }
        self.statement(|work| change(Arc::make_mut(&mut work.state)))
    }

    /// A statement of a transaction, which is over after an error.
    fn statement<T>(&mut self, run: impl FnOnce(&mut Work) -> Stored<T>) -> Stored<T> {
        let work = self.work.as_mut();
        let work = work.ok_or_else(|| unavailable("the transaction is over"))?;
        let met = self.storage.shared().begin(true);
        let outcome = met.map_or_else(|| run(work), |it| Err(it.error()));
        if outcome.is_err() {
            self.work = None;
        }
        outcome
    }
}

#[async_trait]
impl Transaction for Session {
    async fn commit(mut self: Box<Self>) -> Stored<()> {
        let work = self.work.take();
        let work = work.ok_or_else(|| unavailable("the transaction is over"))?;
        let mut shared = self.storage.shared();
        let met = shared.begin(true);
        if let Some(fault) = met.filter(|it| *it != Fault::AnswerLost) {
            return Err(fault.error());
        }
        if !Arc::ptr_eq(&work.base, &work.state) {
            if !Arc::ptr_eq(&work.base, &shared.committed) {
                return Err(Fault::Interrupted.error());
            }
            shared.committed = work.state;
        }
        let now = Arc::clone(&shared.committed);
        shared.history.push(now);
        met.map_or(Ok(()), |it| Err(it.error()))
    }
}

macro_rules! reach {
    ($($name:ident: $module:ident $port:ident $mock:ident,)*) => {
        impl Repositories for Session {
            $(
                fn $name(&mut self) -> &mut dyn crate::ports::$module::$port {
                    self
                }
            )*
        }
    };
}
crate::repositories!(reach);

#[async_trait]
impl Storage for MemoryStorage {
    async fn read(&self) -> Stored<Box<dyn Repositories>> {
        Ok(Box::new(Session {
            storage: self.clone(),
            is_reader: true,
            work: None,
        }))
    }

    async fn write(&self) -> Stored<Box<dyn Transaction>> {
        let (base, state) = (self.state(), self.state());
        Ok(Box::new(Session {
            storage: self.clone(),
            is_reader: false,
            work: Some(Work { base, state }),
        }))
    }

    async fn now(&self) -> Stored<DateTime<Utc>> {
        Ok(FrozenClock::default().now())
    }

    async fn ping(&self) -> Stored<()> {
        Ok(())
    }
}
