use super::Db;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::console::BindingRow;
use crate::rows::stored::Put;
use crate::schema::{account_console_fetches, console_bindings};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, prelude::*, update};
use domain::ids::{AccountId, ProjectId};
use domain::ports::console_bindings::ConsoleBindingRepository;
use domain::ports::storage::StorageError;
use domain::search_console::Binding;

due_directory!(account_console_fetches of console_bindings);

#[async_trait]
impl ConsoleBindingRepository for Session {
    async fn set(&mut self, binding: &Binding) -> Result<(), StorageError> {
        let (account, row) = (binding.account, BindingRow::from(binding));
        self.change(account, move |db| changed(db, account, |db| row.put(db)))
            .await
    }

    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError> {
        let removed = self.change(account, move |db| forget_project(db, account, project));
        Ok(removed.await? == 1)
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Binding>, StorageError> {
        self.fetch_optional(account, Binding::try_from, move |db| {
            rows_of!(console_bindings, account, project)
                .select(BindingRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError> {
        self.fetch(TenantScope::System, move |db| accounts_due(db, now, limit))
            .await
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Binding>, StorageError> {
        self.fetch_all(account, Binding::try_from, move |db| {
            rows_of!(console_bindings, account)
                .filter(console_bindings::next_at.le(At(now)))
                .order((console_bindings::next_at, console_bindings::project_id))
                .limit(limit.into())
                .select(BindingRow::as_select())
                .load(db)
        })
        .await
    }

    async fn advance(&mut self, before: &Binding, after: &Binding) -> Result<bool, StorageError> {
        let account = before.account;
        let (expected, row) = (BindingRow::from(before), BindingRow::from(after));
        let moved = self.change(account, move |db| {
            let there = console_bindings::table
                .filter(console_bindings::account_id.eq(expected.account_id))
                .filter(console_bindings::project_id.eq(expected.project_id))
                .filter(console_bindings::property.eq(&expected.property))
                .filter(console_bindings::bound_at.eq(expected.bound_at))
                .filter(console_bindings::next_at.eq(expected.next_at));
            changed(db, account, |db| update(there).set(&row).execute(db))
        });
        Ok(moved.await? == 1)
    }
}

pub fn forget_project(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<usize> {
    let there = rows_of!(console_bindings, account, project);
    changed(db, account, |db| delete(there).execute(db))
}
