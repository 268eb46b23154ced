//! How things are remembered: a storage opens, a transaction commits by consuming itself.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use std::{error::Error, pin::Pin};
use thiserror::Error as ThisError;

/// Absence is `None`; a refusal by a rule is the use case's own error.
#[derive(Debug, ThisError)]
pub enum StorageError {
    /// The database does not answer, or not in time.
    #[error("the storage is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// There is no room for what should be stored; what is there can be read.
    #[error("the disk of the storage is full")]
    Full(#[source] Box<dyn Error + Send + Sync>),
    /// What is stored is damaged: some of it can be read, and nothing should be added.
    #[error("the database is broken")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
    /// Serialisation failure or deadlock: the whole transaction may be tried again.
    #[error("another transaction was in the way")]
    Interrupted(#[source] Box<dyn Error + Send + Sync>),
    /// An id made by the application is taken: the transaction is tried again with fresh ids.
    #[error("an id is taken")]
    IdTaken,
    #[error("it is there already: {constraint}")]
    Conflict {
        /// The columns or the name of the constraint.
        constraint: String,
    },
    /// Something stored cannot be what the rules allow.
    #[error("stored data cannot be read: {what}")]
    Corrupt { what: &'static str },
    #[error("nothing can be changed through a reader")]
    ReadOnly,
}

/// That no connection to the database can be made, or that it was lost, and why: it is a [`StorageError::Unavailable`]'s source.
#[derive(Debug, ThisError)]
#[error("{0}")]
pub struct NoConnection(pub String);

impl StorageError {
    /// Whether the database is away or its disk full, so that the job that asks is not to blame.
    pub fn is_of_an_outage(&self) -> bool {
        match self {
            Self::Unavailable(source) => source.is::<NoConnection>(),
            Self::Full(_) => true,
            _ => false,
        }
    }

    /// Whether the whole transaction may simply be tried again.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Interrupted(_) | Self::IdTaken)
    }
}

/// Work for [`Storage::close_by`]; it hands over what it found by itself.
pub type Reading = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Work for [`Storage::near`].
pub type Work<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;

#[async_trait]
pub trait Storage: Send + Sync {
    /// Each call sees what is committed; changes are refused with [`StorageError::ReadOnly`].
    async fn read(&self) -> Result<Box<dyn Repositories>, StorageError>;
    /// Everything up to `commit`, or nothing.
    async fn write(&self) -> Result<Box<dyn Transaction>, StorageError>;
    /// Does something that only reads where the storage is: on a thread that may wait for the
    /// database, so that reading one thing after another costs one change of threads and not one
    /// each. It is the same work wherever it is done.
    async fn close_by(&self, reading: Reading) -> Result<(), StorageError> {
        reading.await;
        Ok(())
    }
    /// Does a transaction's work where a thread may wait for the database, if there is one to spare, so that
    /// its statements cost no change of threads. It is the same work wherever it is done.
    fn near<'w>(&self, work: Work<'w>) -> Work<'w> {
        work
    }
    /// Whether there is room to store what jobs measure.
    fn has_room(&self) -> bool {
        true
    }
    /// Makes room for the history of the coming months and gives back that of months which ended
    /// before `keep_since`, where the storage keeps months apart; nothing depends on it.
    async fn tend(
        &self,
        today: NaiveDate,
        keep_since: Option<NaiveDate>,
    ) -> Result<(), StorageError> {
        let _ = (today, keep_since);
        Ok(())
    }
    /// Ends connections of this service's processes that changed or locked something and have been silent amid a
    /// transaction for so long: what they locked is free then. How many there were.
    async fn end_stalled(&self, silent_for: TimeDelta) -> Result<u64, StorageError> {
        let _ = silent_for;
        Ok(0)
    }
    /// What time it is by the database, which all processes share.
    async fn now(&self) -> Result<DateTime<Utc>, StorageError>;
    /// Whether the database answers and its schema is the one this version needs.
    async fn ping(&self) -> Result<(), StorageError>;
}

/// Hands the repositories to another macro: how each is reached, and the module, name and mock of its port.
#[macro_export]
macro_rules! repositories {
    ($then:ident) => {
        $then! {
            accounts: accounts AccountRepository MockAccountRepository,
            passwords: passwords PasswordRepository MockPasswordRepository,
            sessions: sessions SessionRepository MockSessionRepository,
            throttles: throttles ThrottleRepository MockThrottleRepository,
            server_notes: server_notes ServerNoteRepository MockServerNoteRepository,
            site_turns: site_turns SiteTurnRepository MockSiteTurnRepository,
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
            owners_words: owners_words OwnersWordsRepository MockOwnersWordsRepository,
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

/// A transaction; dropping it undoes it. After an error it is over: it has been undone, and
/// whatever else is asked of it, `commit` included, is refused.
#[async_trait]
pub trait Transaction: Repositories {
    async fn commit(self: Box<Self>) -> Result<(), StorageError>;
}

/// How often a transaction is begun again at the most.
pub const ATTEMPTS: u32 = 10;

/// Runs a transaction near the storage, and again while something passing was in its way. The error tells
/// through [`AsStorageError`] whether it was.
pub async fn retrying<T, E, F, Fut>(storage: &dyn Storage, mut transaction: F) -> Result<T, E>
where
    F: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Send,
    E: AsStorageError + Send,
{
    for _ in 1..ATTEMPTS {
        match once(storage, transaction()).await {
            Err(error)
                if error
                    .as_storage_error()
                    .is_some_and(StorageError::is_passing) => {}
            outcome => return outcome,
        }
    }
    once(storage, transaction()).await
}

impl dyn Storage {
    /// Opens a transaction and hands it over, near the storage; again while something passing was in its way, so that
    /// `run` may run more than once: it sends nothing and asks no supplier, neither clock nor randomness, and makes no
    /// ids. It commits what it hands over; what it drops is undone. Where nobody knows whether a commit succeeded, the
    /// error is not passing and nothing is repeated.
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

    /// `transaction` with what `prepare` makes before each attempt: the time, ids and secrets.
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
        retrying(self, || async move {
            let prepared = prepare();
            run(self.write().await?, prepared).await
        })
        .await
    }
}

async fn once<T: Send>(storage: &dyn Storage, work: impl Future<Output = T> + Send) -> T {
    let mut outcome = None;
    let work = async { outcome = Some(work.await) };
    storage.near(Box::pin(work)).await;
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
