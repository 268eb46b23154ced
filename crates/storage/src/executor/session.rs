//! A reader, or a transaction that async code keeps between queries. Each call moves the connection to a blocking
//! thread and back, unless the calling thread may block ([`super::near`]). An abandoned call leaves nothing open.

use super::close_by::with_lent_turn;
use super::group::{Kept, Others};
use super::pool::{Out, Pool, Share, TRIES, Turn};
use super::took::Took;
use super::{group, near};
use crate::errors::{Trouble, told, trouble, unavailable};
use crate::sql::Db;
use diesel::QueryResult;
use domain::{ids::AccountId, ports::storage::StorageError};
use std::{any::Any, sync::Arc};
use tokio::{runtime::Handle, sync::oneshot};

/// The account whose rows a query reaches under row-level security ([`crate::postgres::wall`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Account(AccountId),
    /// Before the account is known, or across accounts.
    Everyone,
}

impl From<AccountId> for Whose {
    fn from(account: AccountId) -> Self {
        Self::Account(account)
    }
}

impl Whose {
    /// The account of the first; row-level security refuses rows of others.
    pub fn of_all(mut accounts: impl Iterator<Item = AccountId>) -> Self {
        accounts.next().map_or(Self::Everyone, Self::Account)
    }
}

pub enum Session {
    /// Each call sees what is committed.
    Reader(Arc<Pool>),
    /// Changes everything or nothing. `None` after a call was abandoned.
    Writer(Option<Box<Work>>),
}

/// A transaction. The first query takes the connection and begins, in one thread hop.
pub struct Work {
    // Drop order matters: the connection must return before the permit is released.
    connection: Option<Joined>,
    turn: Option<Turn>,
    /// The tenant last set, where row-level security is enabled.
    told: Option<Whose>,
    has_failed: bool,
    /// Whether it may join a group commit ([`super::group`]).
    shares: bool,
}

/// A connection in a transaction, and the writers already in it.
type Joined = (Out, Others);

enum End {
    Kept,
    /// Receives the result of the group's commit.
    Later(oneshot::Receiver<Kept>),
}

impl Session {
    /// Waits for a permit.
    pub async fn begin(pool: &Arc<Pool>) -> Result<Self, StorageError> {
        let turn = pool.turn().await?;
        Ok(Self::Writer(Some(Box::new(Work::new(turn)))))
    }

    /// In a transaction, the query sees its changes.
    pub fn ask<T: Send + 'static>(
        &mut self,
        whose: impl Into<Whose>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.ask_with(whose.into(), Share::One, erased(query))
    }

    pub async fn ask_list<R: Send + 'static, T>(
        &mut self,
        whose: impl Into<Whose>,
        read: impl Fn(R) -> Result<T, StorageError>,
        query: impl Fn(&mut Db) -> QueryResult<Vec<R>> + Send + 'static,
    ) -> Result<Vec<T>, StorageError> {
        let rows = self.ask(whose, query).await?;
        rows.into_iter().map(read).collect()
    }

    pub async fn ask_one<R: Send + 'static, T>(
        &mut self,
        whose: impl Into<Whose>,
        read: impl Fn(R) -> Result<T, StorageError>,
        query: impl Fn(&mut Db) -> QueryResult<Option<R>> + Send + 'static,
    ) -> Result<Option<T>, StorageError> {
        self.ask(whose, query).await?.map(read).transpose()
    }

    /// For queries over very many rows: the account's other reads outside of transactions wait meanwhile.
    pub fn ask_alone<T: Send + 'static>(
        &mut self,
        whose: impl Into<Whose>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.ask_with(whose.into(), Share::Whole, erased(query))
    }

    /// Fails for a reader.
    pub fn change<T: Send + 'static>(
        &mut self,
        whose: impl Into<Whose>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.change_with(whose.into(), erased(query))
    }

    async fn ask_with<T: 'static>(
        &mut self,
        whose: Whose,
        share: Share,
        query: Box<Erased>,
    ) -> Result<T, StorageError> {
        revealed(self.ask_erased(whose, share, query).await?)
    }

    async fn change_with<T: 'static>(
        &mut self,
        whose: Whose,
        query: Box<Erased>,
    ) -> Result<T, StorageError> {
        match self {
            Self::Reader(_) => Err(StorageError::ReadOnly),
            Self::Writer(work) => revealed(within(work, whose, query).await?),
        }
    }

    async fn ask_erased(
        &mut self,
        whose: Whose,
        share: Share,
        query: Box<Erased>,
    ) -> Result<Found, StorageError> {
        match self {
            Self::Reader(pool) => {
                if let Some(found) = with_lent_turn(pool, |turn| turn.look(whose, &*query)) {
                    return found;
                }
                let turn = pool.turn_to_read(whose, share).await?;
                blocking(move || turn.look(whose, &*query)).await?
            }
            Self::Writer(work) => within(work, whose, query).await,
        }
    }

    pub async fn keep(self) -> Result<(), StorageError> {
        let end = match self {
            Self::Reader(_) => return Ok(()),
            Self::Writer(None) => return Err(abandoned()),
            Self::Writer(Some(work)) if near::may_wait() => work.end()?,
            Self::Writer(Some(work)) => blocking(move || work.end()).await??,
        };
        match end {
            End::Kept => Ok(()),
            End::Later(hear) => match hear.await {
                Ok(kept) => kept.map_err(|why| unavailable(why.as_ref())),
                Err(_) => Err(unavailable("nobody knows what became of the commit")),
            },
        }
    }
}

type Found = Box<dyn Any + Send>;

/// Type-erased, so that running queries is compiled once and not for each query.
type Erased = dyn Fn(&mut Db) -> QueryResult<Found> + Send;

/// Borrowed; may set the tenant first.
type Borrowed<'q> = dyn Fn(&mut Db) -> QueryResult<Found> + 'q;

fn erased<T: Send + 'static>(
    query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
) -> Box<Erased> {
    Box::new(move |db| query(db).map(|found| Box::new(found) as Found))
}

fn revealed<T: 'static>(found: Found) -> Result<T, StorageError> {
    let found = found.downcast();
    found
        .map(|it| *it)
        .map_err(|_| unavailable("a query found something of another type"))
}

async fn within(
    slot: &mut Option<Box<Work>>,
    whose: Whose,
    query: Box<Erased>,
) -> Result<Found, StorageError> {
    if near::may_wait()
        && let Some(work) = slot
    {
        return work.run(whose, &*query);
    }
    let mut work = slot.take().ok_or_else(abandoned)?;
    let (work, outcome) = blocking(move || {
        let outcome = work.run(whose, &*query);
        (work, outcome)
    })
    .await?;
    *slot = Some(work);
    outcome
}

impl Work {
    fn new(turn: Turn) -> Self {
        Self {
            connection: None,
            turn: Some(turn),
            told: None,
            has_failed: false,
            shares: near::may_wait(),
        }
    }

    fn run(&mut self, whose: Whose, query: &Erased) -> Result<Found, StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let _took = Took::of("statement");
        let is_news = self.told != Some(whose) && self.turn.as_ref().is_some_and(Turn::is_walled);
        self.told = Some(whose);
        let query = |db: &mut Db| {
            if is_news {
                db.say_whose(whose)?;
            }
            query(db)
        };
        let query: &Borrowed<'_> = &query;
        let outcome = match self.connection.take() {
            Some(connection) => self.go_on(connection, query),
            None => self.begin(query),
        };
        self.has_failed = outcome.is_err();
        if let (Ok(_), Some(turn)) = (&outcome, &self.turn) {
            turn.got_on();
        }
        outcome
    }

    fn begin(&mut self, query: &Borrowed<'_>) -> Result<Found, StorageError> {
        let turn = self.turn.as_ref().ok_or_else(abandoned)?;
        if let Some((mut connection, others)) = turn.pool().between().take() {
            if !self.shares {
                // The waiters get the result in any case; the connection returns to the pool.
                let outcome = group::commit_for_all(&mut connection, others);
                let _ = outcome.map_err(|it| turn.told(it));
                drop(connection);
                return self.begin(query);
            }
            let begun = connection.inner.begin_part();
            return match begun.map_err(|it| turn.told(it)) {
                Ok(()) => self.go_on((connection, others), query),
                Err(error) => Err(spoilt(others, error)),
            };
        }
        let mut left = TRIES;
        loop {
            let mut connection = turn.connection()?;
            left -= 1;
            let outcome = connection
                .inner
                .begin()
                .and_then(|()| query(&mut connection.inner));
            match outcome {
                Ok(found) => {
                    self.connection = Some((connection, Others::default()));
                    return Ok(found);
                }
                // Only this statement is lost, so it can be retried.
                Err(error) if trouble(&error) == Trouble::ConnectionLost => {
                    turn.forget(connection);
                    if left == 0 {
                        return Err(turn.told(error));
                    }
                }
                Err(error) => {
                    undo(&mut connection);
                    return Err(turn.told(error));
                }
            }
        }
    }

    fn go_on(
        &mut self,
        (mut connection, others): Joined,
        query: &Borrowed<'_>,
    ) -> Result<Found, StorageError> {
        match query(&mut connection.inner) {
            Ok(found) => {
                self.connection = Some((connection, others));
                Ok(found)
            }
            Err(error) if trouble(&error) == Trouble::ConnectionLost => {
                if let Some(turn) = &self.turn {
                    turn.forget(connection);
                }
                // Nothing was committed, so the whole transaction may be retried.
                Err(StorageError::Interrupted(Box::new(error)))
            }
            Err(error) => {
                // At once, so that locks do not last until the drop.
                self.undo((connection, others));
                Err(self.turn.as_ref().ok_or_else(abandoned)?.told(error))
            }
        }
    }

    /// Rolls back this writer, and leaves the group's transaction to the next one.
    fn undo(&self, (mut connection, others): Joined) {
        if !others.are_there() {
            return undo(&mut connection);
        }
        match (connection.inner.rollback(), &self.turn) {
            (Ok(()), Some(turn)) => turn.pool().between().give_back(connection, others),
            (Err(error), _) => drop(spoilt(others, told(error))),
            (Ok(()), None) => drop(spoilt(others, abandoned())),
        }
    }

    /// Commits, or leaves that to a later writer while others wait.
    fn end(mut self) -> Result<End, StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let (Some((mut connection, others)), Some(turn)) =
            (self.connection.take(), self.turn.take())
        else {
            return Ok(End::Kept);
        };
        let took = Took::of("commit");
        if others.are_there()
            && let Err(error) = connection.inner.commit()
        {
            return Err(spoilt(others, turn.told(error)));
        }
        if self.shares && turn.is_shared() && others.have_room() {
            let is_first = !others.are_there();
            let hear = turn.pool().between().leave(connection, others);
            if is_first {
                group::close_in_turn(turn.pool());
            }
            return Ok(End::Later(hear));
        }
        let outcome = group::commit_for_all(&mut connection, others);
        drop(took);
        if let Err(error) = &outcome
            && trouble(error) == Trouble::ConnectionLost
        {
            turn.forget(connection);
        }
        outcome.map(|()| End::Kept).map_err(|it| turn.told(it))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let Some(joined) = self.connection.take() else {
            return;
        };
        let rest = Self {
            connection: None,
            turn: self.turn.take(),
            told: None,
            has_failed: true,
            shares: false,
        };
        // Without a runtime, the pool discards a connection with an open transaction.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || rest.undo(joined));
        }
    }
}

/// The database rolled back everything: all waiters fail with this error.
fn spoilt(others: Others, error: StorageError) -> StorageError {
    others.tell(&Err(Arc::from(error.to_string())));
    error
}

fn undo(connection: &mut Out) {
    if connection.inner.is_amid_something()
        && let Err(error) = connection.inner.rollback()
    {
        tracing::debug!(%error, "a transaction could not be undone; its connection is thrown away");
    }
}

pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StorageError> {
    tokio::task::spawn_blocking(work).await.map_err(unavailable)
}

fn abandoned() -> StorageError {
    unavailable("a call on this transaction was abandoned; nothing of it was kept")
}

fn failed_before() -> StorageError {
    unavailable("this transaction has failed; nothing of it was kept")
}
