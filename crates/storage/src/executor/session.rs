//! A reader, or a transaction that async code keeps between queries. Each call moves the connection to a blocking
//! thread and back, unless the calling thread may block ([`super::in_place`]). An abandoned call leaves nothing open.

use super::group_commit::{CommitResult, CommitWaiters};
use super::pool::{Permit, Pool, PoolConnection, Share, TRIES};
use super::query_timer::QueryTimer;
use super::read_batch::with_borrowed_permit;
use super::{group_commit, in_place};
use crate::errors::{DbErrorKind, classify, into_storage_error, unavailable};
use crate::sql::Db;
use diesel::QueryResult;
use domain::{ids::AccountId, ports::storage::StorageError};
use std::{any::Any, sync::Arc};
use tokio::{runtime::Handle, sync::oneshot};

/// The account of the rows that a query reaches under row-level security ([`crate::postgres::rls`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TenantScope {
    Account(AccountId),
    /// Before the account is known, or across accounts.
    System,
}

impl From<AccountId> for TenantScope {
    fn from(account: AccountId) -> Self {
        Self::Account(account)
    }
}

impl TenantScope {
    /// The account of the first; row-level security refuses rows of others.
    pub fn common(mut accounts: impl Iterator<Item = AccountId>) -> Self {
        accounts.next().map_or(Self::System, Self::Account)
    }
}

pub enum Session {
    /// Each call sees what is committed.
    Reader(Arc<Pool>),
    /// Changes everything or nothing. `None` after a call was abandoned.
    Writer(Option<Box<WriteTransaction>>),
}

/// A transaction. The first query takes the connection and begins, in one thread hop.
pub struct WriteTransaction {
    // Drop order matters: the connection must return before the permit is released.
    connection: Option<GroupConnection>,
    permit: Option<Permit>,
    /// The tenant last set, where row-level security is enabled.
    tenant_set: Option<TenantScope>,
    has_failed: bool,
    /// Whether it may join a group commit ([`super::group`]).
    may_share_commit: bool,
}

/// A connection in a transaction, and the writers already in it.
type GroupConnection = (PoolConnection, CommitWaiters);

enum CommitOutcome {
    Committed,
    /// Receives the result of the group's commit.
    Deferred(oneshot::Receiver<CommitResult>),
}

impl Session {
    /// Waits for a permit.
    pub async fn begin(pool: &Arc<Pool>) -> Result<Self, StorageError> {
        let permit = pool.acquire().await?;
        Ok(Self::Writer(Some(Box::new(WriteTransaction::new(permit)))))
    }

    /// In a transaction, the query sees its changes.
    pub fn fetch<T: Send + 'static>(
        &mut self,
        tenant: impl Into<TenantScope>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.fetch_with(tenant.into(), Share::One, erase(query))
    }

    pub async fn fetch_all<R: Send + 'static, T>(
        &mut self,
        tenant: impl Into<TenantScope>,
        read: impl Fn(R) -> Result<T, StorageError>,
        query: impl Fn(&mut Db) -> QueryResult<Vec<R>> + Send + 'static,
    ) -> Result<Vec<T>, StorageError> {
        let rows = self.fetch(tenant, query).await?;
        rows.into_iter().map(read).collect()
    }

    pub async fn fetch_optional<R: Send + 'static, T>(
        &mut self,
        tenant: impl Into<TenantScope>,
        read: impl Fn(R) -> Result<T, StorageError>,
        query: impl Fn(&mut Db) -> QueryResult<Option<R>> + Send + 'static,
    ) -> Result<Option<T>, StorageError> {
        self.fetch(tenant, query).await?.map(read).transpose()
    }

    /// For queries over very many rows: the account's other reads outside of transactions wait meanwhile.
    pub fn fetch_exclusive<T: Send + 'static>(
        &mut self,
        tenant: impl Into<TenantScope>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.fetch_with(tenant.into(), Share::Whole, erase(query))
    }

    /// Fails for a reader.
    pub fn change<T: Send + 'static>(
        &mut self,
        tenant: impl Into<TenantScope>,
        query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StorageError>> {
        self.change_with(tenant.into(), erase(query))
    }

    async fn fetch_with<T: 'static>(
        &mut self,
        tenant: TenantScope,
        share: Share,
        query: Box<ErasedQuery>,
    ) -> Result<T, StorageError> {
        downcast_value(self.fetch_erased(tenant, share, query).await?)
    }

    async fn change_with<T: 'static>(
        &mut self,
        tenant: TenantScope,
        query: Box<ErasedQuery>,
    ) -> Result<T, StorageError> {
        match self {
            Self::Reader(_) => Err(StorageError::ReadOnly),
            Self::Writer(work) => downcast_value(run_query(work, tenant, query).await?),
        }
    }

    async fn fetch_erased(
        &mut self,
        tenant: TenantScope,
        share: Share,
        query: Box<ErasedQuery>,
    ) -> Result<ErasedValue, StorageError> {
        match self {
            Self::Reader(pool) => {
                if let Some(found) =
                    with_borrowed_permit(pool, |permit| permit.query(tenant, &*query))
                {
                    return found;
                }
                let permit = pool.acquire_for_read(tenant, share).await?;
                blocking(move || permit.query(tenant, &*query)).await?
            }
            Self::Writer(work) => run_query(work, tenant, query).await,
        }
    }

    pub async fn commit_transaction(self) -> Result<(), StorageError> {
        let end = match self {
            Self::Reader(_) => return Ok(()),
            Self::Writer(None) => return Err(abandoned()),
            Self::Writer(Some(work)) if in_place::may_block() => work.end()?,
            Self::Writer(Some(work)) => blocking(move || work.end()).await??,
        };
        match end {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::Deferred(committed) => match committed.await {
                Ok(kept) => kept.map_err(|error| unavailable(error.as_ref())),
                Err(_) => Err(unavailable("nobody knows what became of the commit")),
            },
        }
    }
}

type ErasedValue = Box<dyn Any + Send>;

/// Type-erased, so that running queries is compiled once and not for each query.
type ErasedQuery = dyn Fn(&mut Db) -> QueryResult<ErasedValue> + Send;

/// Borrowed; may set the tenant first.
type BorrowedQuery<'q> = dyn Fn(&mut Db) -> QueryResult<ErasedValue> + 'q;

fn erase<T: Send + 'static>(
    query: impl Fn(&mut Db) -> QueryResult<T> + Send + 'static,
) -> Box<ErasedQuery> {
    Box::new(move |db| query(db).map(|found| Box::new(found) as ErasedValue))
}

fn downcast_value<T: 'static>(found: ErasedValue) -> Result<T, StorageError> {
    let found = found.downcast();
    found
        .map(|it| *it)
        .map_err(|_| unavailable("a query found something of another type"))
}

async fn run_query(
    slot: &mut Option<Box<WriteTransaction>>,
    tenant: TenantScope,
    query: Box<ErasedQuery>,
) -> Result<ErasedValue, StorageError> {
    if in_place::may_block()
        && let Some(work) = slot
    {
        return work.run(tenant, &*query);
    }
    let mut work = slot.take().ok_or_else(abandoned)?;
    let (work, outcome) = blocking(move || {
        let outcome = work.run(tenant, &*query);
        (work, outcome)
    })
    .await?;
    *slot = Some(work);
    outcome
}

impl WriteTransaction {
    fn new(permit: Permit) -> Self {
        Self {
            connection: None,
            permit: Some(permit),
            tenant_set: None,
            has_failed: false,
            may_share_commit: in_place::may_block(),
        }
    }

    fn run(
        &mut self,
        tenant: TenantScope,
        query: &ErasedQuery,
    ) -> Result<ErasedValue, StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let _timer = QueryTimer::start("statement");
        let is_new_tenant = self.tenant_set != Some(tenant)
            && self.permit.as_ref().is_some_and(Permit::is_rls_enabled);
        self.tenant_set = Some(tenant);
        let query = |db: &mut Db| {
            if is_new_tenant {
                db.set_tenant(tenant)?;
            }
            query(db)
        };
        let query: &BorrowedQuery<'_> = &query;
        let outcome = match self.connection.take() {
            Some(connection) => self.continue_with(connection, query),
            None => self.begin(query),
        };
        self.has_failed = outcome.is_err();
        if let (Ok(_), Some(permit)) = (&outcome, &self.permit) {
            permit.mark_progress();
        }
        outcome
    }

    fn begin(&mut self, query: &BorrowedQuery<'_>) -> Result<ErasedValue, StorageError> {
        let permit = self.permit.as_ref().ok_or_else(abandoned)?;
        if let Some((mut connection, waiters)) = permit.pool().pending_group().take() {
            if !self.may_share_commit {
                // The waiters get the result in any case; the connection returns to the pool.
                let outcome = group_commit::commit_group(&mut connection, waiters);
                let _ = outcome.map_err(|it| permit.map_error(it));
                drop(connection);
                return self.begin(query);
            }
            let begun = connection.inner.begin_savepoint();
            return match begun.map_err(|it| permit.map_error(it)) {
                Ok(()) => self.continue_with((connection, waiters), query),
                Err(error) => Err(abort_group(waiters, error)),
            };
        }
        let mut left = TRIES;
        loop {
            let mut connection = permit.connection()?;
            left -= 1;
            let outcome = connection
                .inner
                .begin()
                .and_then(|()| query(&mut connection.inner));
            match outcome {
                Ok(found) => {
                    self.connection = Some((connection, CommitWaiters::default()));
                    return Ok(found);
                }
                // Only this statement is lost, so it can be retried.
                Err(error) if classify(&error) == DbErrorKind::ConnectionLost => {
                    permit.discard(connection);
                    if left == 0 {
                        return Err(permit.map_error(error));
                    }
                }
                Err(error) => {
                    undo(&mut connection);
                    return Err(permit.map_error(error));
                }
            }
        }
    }

    fn continue_with(
        &mut self,
        (mut connection, waiters): GroupConnection,
        query: &BorrowedQuery<'_>,
    ) -> Result<ErasedValue, StorageError> {
        match query(&mut connection.inner) {
            Ok(found) => {
                self.connection = Some((connection, waiters));
                Ok(found)
            }
            Err(error) if classify(&error) == DbErrorKind::ConnectionLost => {
                if let Some(permit) = &self.permit {
                    permit.discard(connection);
                }
                // Nothing was committed, so the whole transaction may be retried.
                Err(StorageError::Interrupted(Box::new(error)))
            }
            Err(error) => {
                // At once, so that locks do not last until the drop.
                self.undo((connection, waiters));
                Err(self.permit.as_ref().ok_or_else(abandoned)?.map_error(error))
            }
        }
    }

    /// Rolls back this writer, and leaves the group's transaction to the next one.
    fn undo(&self, (mut connection, waiters): GroupConnection) {
        if !waiters.has_any() {
            return undo(&mut connection);
        }
        match (connection.inner.rollback(), &self.permit) {
            (Ok(()), Some(permit)) => permit.pool().pending_group().put_back(connection, waiters),
            (Err(error), _) => drop(abort_group(waiters, into_storage_error(error))),
            (Ok(()), None) => drop(abort_group(waiters, abandoned())),
        }
    }

    /// Commits, or leaves that to a later writer while others wait.
    fn end(mut self) -> Result<CommitOutcome, StorageError> {
        if self.has_failed {
            return Err(failed_before());
        }
        let (Some((mut connection, waiters)), Some(permit)) =
            (self.connection.take(), self.permit.take())
        else {
            return Ok(CommitOutcome::Committed);
        };
        let timer = QueryTimer::start("commit");
        if waiters.has_any()
            && let Err(error) = connection.inner.commit()
        {
            return Err(abort_group(waiters, permit.map_error(error)));
        }
        if self.may_share_commit && permit.can_defer_commit() && waiters.has_capacity() {
            let is_first = !waiters.has_any();
            let committed = permit.pool().pending_group().hand_over(connection, waiters);
            if is_first {
                group_commit::spawn_group_commit(permit.pool());
            }
            return Ok(CommitOutcome::Deferred(committed));
        }
        let outcome = group_commit::commit_group(&mut connection, waiters);
        drop(timer);
        if let Err(error) = &outcome
            && classify(error) == DbErrorKind::ConnectionLost
        {
            permit.discard(connection);
        }
        outcome
            .map(|()| CommitOutcome::Committed)
            .map_err(|it| permit.map_error(it))
    }
}

impl Drop for WriteTransaction {
    fn drop(&mut self) {
        let Some(joined) = self.connection.take() else {
            return;
        };
        let rest = Self {
            connection: None,
            permit: self.permit.take(),
            tenant_set: None,
            has_failed: true,
            may_share_commit: false,
        };
        // Without a runtime, the pool discards a connection with an open transaction.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || rest.undo(joined));
        }
    }
}

/// The database rolled back everything: all waiters fail with this error.
fn abort_group(waiters: CommitWaiters, error: StorageError) -> StorageError {
    waiters.notify(&Err(Arc::from(error.to_string())));
    error
}

fn undo(connection: &mut PoolConnection) {
    if connection.inner.has_open_transaction()
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
