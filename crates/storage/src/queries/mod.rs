//! The queries: one file for each port, for both databases.

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
mod carry_over;
pub mod clock;
mod console_bindings;
mod console_rows;
mod content_plans;
mod events;
pub mod host_throttle;
mod idempotency;
mod invitations;
mod jobs;
mod kept_pages;
mod keyword_history;
mod keyword_months;
mod keywords;
mod links;
mod measurements;
mod members;
mod outbox;
mod paid_calls;
mod passwords;
mod project_overrides;
mod projects;
mod purging;
mod queues;
mod research;
mod results;
mod retention;
mod schedules;
pub mod secrets;
mod server_figures;
pub mod server_notes;
mod sessions;
mod spending;
mod stored_data;
mod throttles;
mod tokens;
pub mod versions;

use crate::executor::session::Session;
use crate::sql::{DatabaseKind as Backend, Db, dialect, locked, skip_locked};
use async_trait::async_trait;
use domain::ports::storage::{Repositories, StorageError, Transaction};

macro_rules! all_in_the_session {
    ($($name:ident: $module:ident $port:ident $mock:ident,)*) => {
        impl Repositories for Session {
            $(
                fn $name(&mut self) -> &mut dyn domain::ports::$module::$port {
                    self
                }
            )*
        }
    };
}
domain::repositories!(all_in_the_session);

#[async_trait]
impl Transaction for Session {
    async fn commit(self: Box<Self>) -> Result<(), StorageError> {
        self.commit_transaction().await
    }
}
