//! The queries: one file for each port, for both databases.

/// The rows of an account, or of a project of it.
macro_rules! rows_of {
    ($table:ident, $account:expr) => {
        $table::table.filter($table::account_id.eq($account.0))
    };
    ($table:ident, $account:expr, $project:expr) => {
        rows_of!($table, $account).filter($table::project_id.eq($project.0))
    };
}

#[macro_use]
mod due;
#[macro_use]
mod paging;
mod accounts;
mod ai_answers;
mod ai_models;
mod audit;
mod carrying;
pub mod clock;
mod console_bindings;
mod console_rows;
mod content_plans;
mod forgetting;
mod idempotency;
mod jobs;
mod kept_pages;
mod keyword_months;
mod keywords;
mod measurements;
mod owners_words;
mod paid_calls;
mod passwords;
mod past;
mod projects;
mod purging;
mod queues;
mod research;
mod results;
mod schedules;
mod secrets;
pub mod server_notes;
mod sessions;
pub mod site_turns;
mod spending;
mod stored_data;
mod throttles;
mod tokens;
pub mod versions;

use crate::{
    session::Session,
    sql::{DatabaseKind as Backend, Db, dialect, locked, locked_passing_over},
};
use async_trait::async_trait;
use domain::ports::{
    accounts::AccountRepository,
    ai_models::AiModelRepository,
    audit::AuditRepository,
    console_bindings::ConsoleBindingRepository,
    console_rows::ConsoleRowRepository,
    content_plans::ContentPlanRepository,
    idempotency::IdempotencyRepository,
    jobs::JobRepository,
    kept_answers::AnswerRepository,
    kept_pages::PageRepository,
    keyword_months::KeywordMonthRepository,
    keywords::KeywordRepository,
    measurements::MeasurementRepository,
    owners_words::OwnersWordsRepository,
    paid_calls::PaidCallRepository,
    passwords::PasswordRepository,
    projects::ProjectRepository,
    research::ResearchRepository,
    results::ResultRepository,
    schedules::ScheduleRepository,
    secrets::SecretRepository,
    server_notes::ServerNoteRepository,
    sessions::SessionRepository,
    site_turns::SiteTurnRepository,
    spending::SpendingRepository,
    storage::{Repositories, StorageError, Transaction},
    stored_data::StoredDataRepository,
    throttles::ThrottleRepository,
    tokens::TokenRepository,
};

impl Repositories for Session {
    fn accounts(&mut self) -> &mut dyn AccountRepository {
        self
    }
    fn passwords(&mut self) -> &mut dyn PasswordRepository {
        self
    }
    fn sessions(&mut self) -> &mut dyn SessionRepository {
        self
    }
    fn throttles(&mut self) -> &mut dyn ThrottleRepository {
        self
    }
    fn server_notes(&mut self) -> &mut dyn ServerNoteRepository {
        self
    }
    fn site_turns(&mut self) -> &mut dyn SiteTurnRepository {
        self
    }
    fn tokens(&mut self) -> &mut dyn TokenRepository {
        self
    }
    fn projects(&mut self) -> &mut dyn ProjectRepository {
        self
    }
    fn keywords(&mut self) -> &mut dyn KeywordRepository {
        self
    }
    fn jobs(&mut self) -> &mut dyn JobRepository {
        self
    }
    fn measurements(&mut self) -> &mut dyn MeasurementRepository {
        self
    }
    fn results(&mut self) -> &mut dyn ResultRepository {
        self
    }
    fn pages(&mut self) -> &mut dyn PageRepository {
        self
    }
    fn ai_models(&mut self) -> &mut dyn AiModelRepository {
        self
    }
    fn answers(&mut self) -> &mut dyn AnswerRepository {
        self
    }
    fn schedules(&mut self) -> &mut dyn ScheduleRepository {
        self
    }
    fn owners_words(&mut self) -> &mut dyn OwnersWordsRepository {
        self
    }
    fn console_rows(&mut self) -> &mut dyn ConsoleRowRepository {
        self
    }
    fn console_bindings(&mut self) -> &mut dyn ConsoleBindingRepository {
        self
    }
    fn content_plans(&mut self) -> &mut dyn ContentPlanRepository {
        self
    }
    fn keyword_months(&mut self) -> &mut dyn KeywordMonthRepository {
        self
    }
    fn research(&mut self) -> &mut dyn ResearchRepository {
        self
    }
    fn stored_data(&mut self) -> &mut dyn StoredDataRepository {
        self
    }
    fn spending(&mut self) -> &mut dyn SpendingRepository {
        self
    }
    fn paid_calls(&mut self) -> &mut dyn PaidCallRepository {
        self
    }
    fn idempotency(&mut self) -> &mut dyn IdempotencyRepository {
        self
    }
    fn secrets(&mut self) -> &mut dyn SecretRepository {
        self
    }
    fn audit(&mut self) -> &mut dyn AuditRepository {
        self
    }
}

#[async_trait]
impl Transaction for Session {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.keep().await
    }
}
