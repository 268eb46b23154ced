//! Storage in memory, for tests of rules that assert the stored state, not the calls.
//!
//! A transaction works on a copy, which replaces the state on commit. Of two concurrent changes the
//! second to commit is interrupted, as on a serializable database; nothing waits for locks.

mod accounts;
mod ai_answers;
mod console_rows;
mod due;
mod jobs;
mod keywords;
mod measurements;
mod members;
mod outbox;
mod pages;
mod paging;
mod past;
mod plans;
mod projects;
mod research;
mod results;
mod server;
mod server_figures;
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

/// Fault at a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Conflict with another transaction, so it may be retried. Readers never meet it.
    Interrupted,
    /// Unavailable; nothing was done.
    Broken,
    /// Unavailable after the statement took effect; the outcome of a commit is then unknown.
    AnswerLost,
}

#[derive(Default)]
struct Shared {
    committed: Arc<State>,
    /// Statements since creation or since a fault was set.
    statements: u32,
    fault: Option<(Fault, u32)>,
    /// Committed states, oldest first.
    history: Vec<Arc<State>>,
}

#[derive(Clone, Default)]
pub struct MemoryStorage(Arc<Mutex<Shared>>);

impl MemoryStorage {
    /// The committed state.
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&self.shared().committed)
    }

    /// Changes the state directly, to set up an example.
    pub fn put(&self, change: impl FnOnce(&mut State)) {
        change(Arc::make_mut(&mut self.shared().committed));
    }

    /// Fails at the `number`th statement from now, counted from 1; a commit is a statement.
    pub fn fail_at(&self, number: u32, fault: Fault) {
        let mut shared = self.shared();
        (shared.statements, shared.fault) = (0, Some((fault, number)));
    }

    /// Returns [`StorageError::Interrupted`] at the `number`th statement from now.
    pub fn interrupt_at(&self, number: u32) {
        self.fail_at(number, Fault::Interrupted);
    }

    /// Whether the fault has not occurred yet.
    pub fn is_fault_ahead(&self) -> bool {
        self.shared().fault.is_some()
    }

    /// The state after each commit.
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
    /// Counts a statement; returns its fault, if any.
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

fn unavailable(reason: &str) -> StorageError {
    StorageError::Unavailable(Box::new(NoConnection(reason.to_owned())))
}

fn conflict<T>(constraint: &str) -> Stored<T> {
    let constraint = constraint.to_owned();
    Err(StorageError::Conflict { constraint })
}

/// A transaction: the state before and after.
struct Work {
    base: Arc<State>,
    state: Arc<State>,
}

/// A reader, or a transaction until it ends.
struct Session {
    storage: MemoryStorage,
    is_reader: bool,
    work: Option<Work>,
}

impl Session {
    /// A reading statement.
    fn query<T>(&mut self, read: impl FnOnce(&State) -> T) -> Stored<T> {
        self.try_query(|state| Ok(read(state)))
    }

    fn try_query<T>(&mut self, read: impl FnOnce(&State) -> Stored<T>) -> Stored<T> {
        if self.is_reader {
            let met = self.storage.shared().begin(false);
            return met.map_or_else(|| read(&self.storage.state()), |it| Err(it.error()));
        }
        self.statement(|work| read(&work.state))
    }

    /// A statement that changes or locks; refused to readers.
    fn change<T>(&mut self, change: impl FnOnce(&mut State) -> Stored<T>) -> Stored<T> {
        if self.is_reader {
            return Err(StorageError::ReadOnly);
        }
        self.statement(|work| change(Arc::make_mut(&mut work.state)))
    }

    /// A statement of a transaction, which ends after an error.
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
