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

#[async_trait]
impl ConsoleBindingRepository for Session {
    async fn set(&mut self, binding: &Binding) -> Result<(), StorageError> {
        let (account, row) = (binding.account, BindingRow::from(binding));
        self.change(account, move |db| {
            hold_due_time(db, account)?;
            insert_into(console_bindings::table)
                .values(&row)
                .on_conflict((console_bindings::account_id, console_bindings::project_id))
                .do_update()
                .set(&row)
                .execute(db)?;
            refresh_due_time(db, account)
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
        let ids: Vec<i64> = self
            .ask(Whose::Everyone, move |db| {
                account_console_fetches::table
                    .filter(account_console_fetches::next_at.le(At(now)))
                    .order((
                        account_console_fetches::next_at,
                        account_console_fetches::account_id,
                    ))
                    .limit(limit.into())
                    .select(account_console_fetches::account_id)
                    .load(db)
            })
            .await?;
        Ok(ids.into_iter().map(AccountId).collect())
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
            hold_due_time(db, account)?;
            let there = console_bindings::table
                .filter(console_bindings::account_id.eq(stood.account_id))
                .filter(console_bindings::project_id.eq(stood.project_id))
                .filter(console_bindings::property.eq(&stood.property))
                .filter(console_bindings::bound_at.eq(stood.bound_at))
                .filter(console_bindings::next_at.eq(stood.next_at));
            let moved = update(there).set(&row).execute(db)?;
            refresh_due_time(db, account)?;
            Ok(moved)
        });
        Ok(moved.await? == 1)
    }
}

pub fn forget_project(db: &mut Db, account: AccountId, project: ProjectId) -> QueryResult<usize> {
    hold_due_time(db, account)?;
    let there = console_bindings::table
        .filter(console_bindings::account_id.eq(account.0))
        .filter(console_bindings::project_id.eq(project.0));
    let removed = delete(there).execute(db)?;
    refresh_due_time(db, account)?;
    Ok(removed)
}

/// Locks the account's due row: concurrent changes of its bindings wait, so that the earliest due time is never wrong.
fn hold_due_time(db: &mut Db, account: AccountId) -> QueryResult<()> {
    insert_into(account_console_fetches::table)
        .values((
            account_console_fetches::account_id.eq(account.0),
            account_console_fetches::next_at.eq(None::<At>),
        ))
        .on_conflict(account_console_fetches::account_id)
        .do_update()
        .set(account_console_fetches::next_at.eq(account_console_fetches::next_at))
        .execute(db)
        .map(drop)
}

fn refresh_due_time(db: &mut Db, account: AccountId) -> QueryResult<()> {
    let earliest: Option<At> = console_bindings::table
        .filter(console_bindings::account_id.eq(account.0))
        .order(console_bindings::next_at)
        .select(console_bindings::next_at)
        .first(db)
        .optional()?;
    update(account_console_fetches::table.find(account.0))
        .set(account_console_fetches::next_at.eq(earliest))
        .execute(db)
        .map(drop)
}
