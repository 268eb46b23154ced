//! Storage: opens transactions, which commit by consuming themselves.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::{error::Error, pin::Pin};
use thiserror::Error as ThisError;

/// Absence is `None`; a refusal by a rule is the use case's own error.
#[derive(Debug, ThisError)]
pub enum StorageError {
    /// The database does not answer in time.
    #[error("the storage is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// No space to store more; reads still work.
    #[error("the disk of the storage is full")]
    Full(#[source] Box<dyn Error + Send + Sync>),
    /// The database is damaged: some of it can be read, and nothing should be added.
    #[error("the database is broken")]
    Damaged(#[source] Box<dyn Error + Send + Sync>),
    /// Serialization failure or deadlock: the whole transaction may be retried.
    #[error("another transaction was in the way")]
    Interrupted(#[source] Box<dyn Error + Send + Sync>),
    /// An id made by the application is taken: retry the transaction with fresh ids.
    #[error("an id is taken")]
    IdTaken,
    #[error("it is there already: {constraint}")]
    Conflict {
        /// The constraint's name or its columns.
        constraint: String,
    },
    /// A stored value violates the rules.
    #[error("stored data cannot be read: {subject}")]
    Corrupt { subject: &'static str },
    #[error("nothing can be changed through a reader")]
    ReadOnly,
}

/// Why a connection could not be opened or was lost: source of a [`StorageError::Unavailable`].
#[derive(Debug, ThisError)]
#[error("{0}")]
pub struct NoConnection(pub String);

impl StorageError {
    /// Whether the database is unavailable or its disk full, so that the job is not to blame.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Unavailable(source) => source.is::<NoConnection>(),
            Self::Full(_) => true,
            _ => false,
        }
    }

    /// Whether the whole transaction may be retried.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Interrupted(_) | Self::IdTaken)
    }
}

/// Future for [`Storage::read_batch`]; it passes on its results itself.
pub type BatchRead = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Future for [`Storage::run_in_place`].
pub type InPlaceWork<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;

#[async_trait]
pub trait Storage: Send + Sync {
    /// Each statement sees the committed state; changes are refused with [`StorageError::ReadOnly`].
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError>;
    /// Atomic: everything until `commit`, or nothing.
    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError>;
    /// Runs several reads on one blocking thread: one thread hop instead of one per query. Only
    /// placement differs; results are the same.
    async fn read_batch(&self, reading: BatchRead) -> Result<(), StorageError> {
        reading.await;
        Ok(())
    }
    /// Runs a transaction's work on a blocking thread if one is free, so that its statements need
    /// no thread hops. Only placement differs; results are the same.
    fn run_in_place<'w>(&self, work: InPlaceWork<'w>) -> InPlaceWork<'w> {
        work
    }
    /// Whether there is space to store what jobs measure.
    fn has_room(&self) -> bool {
        true
    }
    /// Creates history partitions of the coming months and drops those that ended before
    /// `keep_since`, if the storage partitions by month; correctness does not depend on it.
    async fn maintain_partitions(
        &self,
        today: NaiveDate,
        keep_since: Option<NaiveDate>,
    ) -> Result<(), StorageError> {
        let _ = (today, keep_since);
        Ok(())
    }
    /// Ends connections of this service that hold changes or locks and have been idle in a
    /// transaction for so long, to release the locks. Returns how many.
    async fn end_stalled(&self, silent_for: TimeDelta) -> Result<u64, StorageError> {
        let _ = silent_for;
        Ok(0)
    }
    /// Time of the database, which all processes share.
    async fn now(&self) -> Result<DateTime<Utc>, StorageError>;
    /// Whether the database answers with the schema that this version needs.
    async fn ping(&self) -> Result<(), StorageError>;
}

/// Passes the repositories to another macro: accessor, and the port's module, name and mock.
#[macro_export]
macro_rules! repositories {
    ($then:ident) => {
        $then! {
            accounts: accounts AccountRepository MockAccountRepository,
            members: members MemberRepository MockMemberRepository,
            invitations: invitations InvitationRepository MockInvitationRepository,
            links: links LinkRepository MockLinkRepository,
            outbox: outbox OutboxRepository MockOutboxRepository,
            passwords: passwords PasswordRepository MockPasswordRepository,
            sessions: sessions SessionRepository MockSessionRepository,
            throttles: throttles ThrottleRepository MockThrottleRepository,
            server_figures: server_figures ServerFigureRepository MockServerFigureRepository,
            server_notes: server_notes ServerNoteRepository MockServerNoteRepository,
            host_throttle: host_throttle HostThrottleRepository MockHostThrottleRepository,
            tokens: tokens TokenRepository MockTokenRepository,
            projects: projects ProjectRepository MockProjectRepository,
            keywords: keywords KeywordRepository MockKeywordRepository,
            jobs: jobs JobRepository MockJobRepository,
            measurements: measurements MeasurementRepository MockMeasurementRepository,
            results: results ResultRepository MockResultRepository,
            pages: kept_pages PageRepository MockPageRepository,
            ai_models: ai_models AiModelRepository MockAiModelRepository,
            answers: kept_answers AnswerRepository MockAnswerRepository,
            schedules: schedules ScheduleRepository MockScheduleRepository,
            project_overrides: project_overrides ProjectOverrideRepository MockProjectOverrideRepository,
            content_plans: content_plans ContentPlanRepository MockContentPlanRepository,
            keyword_months: keyword_months KeywordMonthRepository MockKeywordMonthRepository,
            console_rows: console_rows ConsoleRowRepository MockConsoleRowRepository,
            console_bindings: console_bindings ConsoleBindingRepository MockConsoleBindingRepository,
            research: research ResearchRepository MockResearchRepository,
            stored_data: stored_data StoredDataRepository MockStoredDataRepository,
            spending: spending SpendingRepository MockSpendingRepository,
            paid_calls: paid_calls PaidCallRepository MockPaidCallRepository,
            idempotency: idempotency IdempotencyRepository MockIdempotencyRepository,
            secrets: secrets SecretRepository MockSecretRepository,
            audit: audit AuditRepository MockAuditRepository,
            events: events EventRepository MockEventRepository,
        }
    };
}

macro_rules! declare {
    ($($name:ident: $module:ident $port:ident $mock:ident,)*) => {
        /// The repositories, all on the same transaction.
        pub trait Repositories: Send {
            $(fn $name(&mut self) -> &mut dyn super::$module::$port;)*
        }
    };
}
repositories!(declare);

/// Dropping it rolls back. After an error it is rolled back, and every further call, `commit` included, is refused.
#[async_trait]
pub trait Transaction: Repositories {
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
}

/// Maximum attempts of a transaction.
pub const MAX_ATTEMPTS: u32 = 10;

/// Runs a transaction in place, and retries it on transient errors, which it recognizes through [`AsStorageError`].
pub async fn run_with_retries<T, E, F, Fut>(
    storage: &dyn Storage,
    mut transaction: F,
) -> Result<T, E>
where
    F: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Send,
    E: AsStorageError + Send,
{
    for _ in 1..MAX_ATTEMPTS {
        match once(storage, transaction()).await {
            Err(error)
                if error
                    .as_storage_error()
                    .is_some_and(StorageError::is_transient) => {}
            outcome => return outcome,
        }
    }
    once(storage, transaction()).await
}

impl dyn Storage {
    /// Opens a transaction and passes it to `run`, in place; retries on transient errors. As `run`
    /// may run more than once, it must not send anything, query suppliers, read clock or
    /// randomness, or make ids. `run` commits the transaction; dropping it rolls back. If the
    /// outcome of a commit is unknown, the error is not transient and nothing is retried.
    pub async fn transaction<T, E, F, Fut>(&self, run: F) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        T: Send,
        E: AsStorageError + From<StorageError> + Send,
    {
        let run = &run;
        self.transaction_with(|| (), |work, ()| run(work)).await
    }

    /// `transaction` with input that `prepare` makes before each attempt: time, ids and secrets.
    pub async fn transaction_with<P, T, E, F, Fut>(
        &self,
        prepare: impl Fn() -> P + Send + Sync,
        run: F,
    ) -> Result<T, E>
    where
        F: Fn(Box<dyn Transaction>, P) -> Fut + Send + Sync,
        Fut: Future<Output = Result<T, E>> + Send,
        P: Send,
        T: Send,
        E: AsStorageError + From<StorageError> + Send,
    {
        let (prepare, run) = (&prepare, &run);
        run_with_retries(self, || async move {
            let prepared = prepare();
            run(self.write().await?, prepared).await
        })
        .await
    }
}

async fn once<T: Send>(storage: &dyn Storage, work: impl Future<Output = T> + Send) -> T {
    let mut outcome = None;
    let work = async { outcome = Some(work.await) };
    storage.run_in_place(Box::pin(work)).await;
    outcome.expect("work that is over has an outcome")
}

pub trait AsStorageError {
    fn as_storage_error(&self) -> Option<&StorageError>;
}

impl AsStorageError for StorageError {
    fn as_storage_error(&self) -> Option<&StorageError> {
        Some(self)
    }
}
