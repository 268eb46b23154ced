use super::Db;
use crate::{
    instant::At,
    rows::console::BindingRow,
    schema::{account_console_fetches, console_bindings},
    session::{Session, Whose},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::{
    ids::{AccountId, ProjectId},
    ports::{console_bindings::ConsoleBindingRepository, storage::StorageError},
    search_console::Binding,
};

due_directory!(account_console_fetches of console_bindings);

#[async_trait]
impl ConsoleBindingRepository for Session {
    async fn set(&mut self, binding: &Binding) -> Result<(), StorageError> {
        let (account, row) = (binding.account, BindingRow::from(binding));
        self.change(account, move |db| {
            let set = |db: &mut Db| {
                insert_into(console_bindings::table)
                    .values(&row)
                    .on_conflict((console_bindings::account_id, console_bindings::project_id))
                    .do_update()
                    .set(&row)
                    .execute(db)
                    .map(drop)
            };
            changed(db, account, set)
        })
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
        let row: Option<BindingRow> = self
            .ask(account, move |db| {
                console_bindings::table
                    .filter(console_bindings::account_id.eq(account.0))
                    .filter(console_bindings::project_id.eq(project.0))
                    .select(BindingRow::as_select())
                    .first(db)
                    .optional()
            })
            .await?;
        row.map(Binding::try_from).transpose()
    }

    async fn accounts_due(
        &mut self,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<AccountId>, StorageError> {
        self.ask(Whose::Everyone, move |db| accounts_due(db, now, limit))
            .await
    }

    async fn due(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Binding>, StorageError> {
        let rows: Vec<BindingRow> = self
            .ask(account, move |db| {
                console_bindings::table
                    .filter(console_bindings::account_id.eq(account.0))
                    .filter(console_bindings::next_at.le(At(now)))
                    .order((console_bindings::next_at, console_bindings::project_id))
                    .limit(limit.into())
                    .select(BindingRow::as_select())
                    .load(db)
            })
            .await?;
        rows.into_iter().map(Binding::try_from).collect()
    }

    async fn advance(&mut self, before: &Binding, after: &Binding) -> Result<bool, StorageError> {
        let account = before.account;
        let (stood, row) = (BindingRow::from(before), BindingRow::from(after));
        let moved = self.change(account, move |db| {
            let there = console_bindings::table
                .filter(console_bindings::account_id.eq(stood.account_id))
                .filter(console_bindings::project_id.eq(stood.project_id))
                .filter(console_bindings::property.eq(&stood.property))
                .filter(console_bindings::bound_at.eq(stood.bound_at))
                .filter(console_bindings::next_at.eq(stood.next_at));
            changed(db, account, |db| update(there).set(&row).execute(db))
        });
        Ok(moved.await? == 1)
    }
}

pub fn forget_project(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<usize> {
    let there = console_bindings::table
        .filter(console_bindings::account_id.eq(account.0))
        .filter(console_bindings::project_id.eq(project.0));
    changed(db, account, |db| delete(there).execute(db))
}
