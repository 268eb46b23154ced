//! A storage whose repositories are mocks: each test says what one transaction may be asked.

use super::FrozenClock;
use crate::ports::{
    accounts::{AccountRepository, MockAccountRepository},
    ai_models::{AiModelRepository, MockAiModelRepository},
    audit::{AuditRepository, MockAuditRepository},
    clock::Clock,
    console_bindings::{ConsoleBindingRepository, MockConsoleBindingRepository},
    console_rows::{ConsoleRowRepository, MockConsoleRowRepository},
    content_plans::{ContentPlanRepository, MockContentPlanRepository},
    idempotency::{IdempotencyRepository, MockIdempotencyRepository},
    jobs::{JobRepository, MockJobRepository},
    kept_answers::{AnswerRepository, MockAnswerRepository},
    kept_pages::{MockPageRepository, PageRepository},
    keyword_months::{KeywordMonthRepository, MockKeywordMonthRepository},
    keywords::{KeywordRepository, MockKeywordRepository},
    measurements::{MeasurementRepository, MockMeasurementRepository},
    owners_words::{MockOwnersWordsRepository, OwnersWordsRepository},
    paid_calls::{MockPaidCallRepository, PaidCallRepository},
    passwords::{MockPasswordRepository, PasswordRepository},
    projects::{MockProjectRepository, ProjectRepository},
    research::{MockResearchRepository, ResearchRepository},
    results::{MockResultRepository, ResultRepository},
    schedules::{MockScheduleRepository, ScheduleRepository},
    secrets::{MockSecretRepository, SecretRepository},
    server_notes::{MockServerNoteRepository, ServerNoteRepository},
    sessions::{MockSessionRepository, SessionRepository},
    site_turns::{MockSiteTurnRepository, SiteTurnRepository},
    spending::{MockSpendingRepository, SpendingRepository},
    storage::{Repositories, Storage, StorageError, Transaction},
    stored_data::{MockStoredDataRepository, StoredDataRepository},
    throttles::{MockThrottleRepository, ThrottleRepository},
    tokens::{MockTokenRepository, TokenRepository},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

#[derive(Default)]
pub struct FakeTransaction {
    pub accounts: MockAccountRepository,
    pub passwords: MockPasswordRepository,
    pub sessions: MockSessionRepository,
    pub throttles: MockThrottleRepository,
    pub server_notes: MockServerNoteRepository,
    pub site_turns: MockSiteTurnRepository,
    pub tokens: MockTokenRepository,
    pub projects: MockProjectRepository,
    pub keywords: MockKeywordRepository,
    pub jobs: MockJobRepository,
    pub measurements: MockMeasurementRepository,
    pub results: MockResultRepository,
    pub pages: MockPageRepository,
    pub ai_models: MockAiModelRepository,
    pub answers: MockAnswerRepository,
    pub schedules: MockScheduleRepository,
    pub owners_words: MockOwnersWordsRepository,
    pub console_rows: MockConsoleRowRepository,
    pub content_plans: MockContentPlanRepository,
    pub keyword_months: MockKeywordMonthRepository,
    pub console_bindings: MockConsoleBindingRepository,
    pub research: MockResearchRepository,
    pub stored_data: MockStoredDataRepository,
    pub spending: MockSpendingRepository,
    pub paid_calls: MockPaidCallRepository,
    pub idempotency: MockIdempotencyRepository,
    pub secrets: MockSecretRepository,
    pub audit: MockAuditRepository,
    commits: Arc<AtomicU32>,
}

/// Hands out the expected transactions in order, and counts commits.
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

impl Repositories for FakeTransaction {
    fn accounts(&mut self) -> &mut dyn AccountRepository {
        &mut self.accounts
    }
    fn audit(&mut self) -> &mut dyn AuditRepository {
        &mut self.audit
    }
    fn passwords(&mut self) -> &mut dyn PasswordRepository {
        &mut self.passwords
    }
    fn sessions(&mut self) -> &mut dyn SessionRepository {
        &mut self.sessions
    }
    fn throttles(&mut self) -> &mut dyn ThrottleRepository {
        &mut self.throttles
    }
    fn server_notes(&mut self) -> &mut dyn ServerNoteRepository {
        &mut self.server_notes
    }
    fn site_turns(&mut self) -> &mut dyn SiteTurnRepository {
        &mut self.site_turns
    }
    fn tokens(&mut self) -> &mut dyn TokenRepository {
        &mut self.tokens
    }
    fn projects(&mut self) -> &mut dyn ProjectRepository {
        &mut self.projects
    }
    fn keywords(&mut self) -> &mut dyn KeywordRepository {
        &mut self.keywords
    }
    fn jobs(&mut self) -> &mut dyn JobRepository {
        &mut self.jobs
    }
    fn measurements(&mut self) -> &mut dyn MeasurementRepository {
        &mut self.measurements
    }
    fn results(&mut self) -> &mut dyn ResultRepository {
        &mut self.results
    }
    fn pages(&mut self) -> &mut dyn PageRepository {
        &mut self.pages
    }
    fn ai_models(&mut self) -> &mut dyn AiModelRepository {
        &mut self.ai_models
    }
    fn answers(&mut self) -> &mut dyn AnswerRepository {
        &mut self.answers
    }
    fn schedules(&mut self) -> &mut dyn ScheduleRepository {
        &mut self.schedules
    }
    fn owners_words(&mut self) -> &mut dyn OwnersWordsRepository {
        &mut self.owners_words
    }
    fn console_rows(&mut self) -> &mut dyn ConsoleRowRepository {
        &mut self.console_rows
    }
    fn content_plans(&mut self) -> &mut dyn ContentPlanRepository {
        &mut self.content_plans
    }
    fn keyword_months(&mut self) -> &mut dyn KeywordMonthRepository {
        &mut self.keyword_months
    }
    fn console_bindings(&mut self) -> &mut dyn ConsoleBindingRepository {
        &mut self.console_bindings
    }
    fn research(&mut self) -> &mut dyn ResearchRepository {
        &mut self.research
    }
    fn stored_data(&mut self) -> &mut dyn StoredDataRepository {
        &mut self.stored_data
    }
    fn spending(&mut self) -> &mut dyn SpendingRepository {
        &mut self.spending
    }
    fn paid_calls(&mut self) -> &mut dyn PaidCallRepository {
        &mut self.paid_calls
    }
    fn idempotency(&mut self) -> &mut dyn IdempotencyRepository {
        &mut self.idempotency
    }
    fn secrets(&mut self) -> &mut dyn SecretRepository {
        &mut self.secrets
    }
}

#[async_trait]
impl Transaction for FakeTransaction {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.commits.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}
