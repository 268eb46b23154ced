use super::locked;
use crate::executor::session::{Session, TenantScope};
use crate::rows::accounts::AccountRow;
use crate::rows::count;
use crate::rows::members::{UserEntry, UserRow};
use crate::rows::stored::values_of;
use crate::schema::{accounts, user_directory, users};
use async_trait::async_trait;
use diesel::{dsl::exists, insert_into, prelude::*, select, update};
use domain::account::{Account, AccountStatus, AccountUsage};
use domain::ids::AccountId;
use domain::ports::accounts::AccountRepository;
use domain::ports::storage::StorageError;
use domain::user::User;

#[async_trait]
impl AccountRepository for Session {
    async fn add(&mut self, account: &Account, owner: &User) -> Result<(), StorageError> {
        let (row, user) = (AccountRow::from(account), UserRow::from(owner));
        let entry = UserEntry::from(owner);
        self.change(account.id, move |db| {
            insert_into(accounts::table).values(&row).execute(db)?;
            insert_into(users::table).values(&user).execute(db)?;
            insert_into(user_directory::table)
                .values(&entry)
                .execute(db)?;
            Ok(())
        })
        .await
    }

    async fn find(&mut self, account: AccountId) -> Result<Option<Account>, StorageError> {
        self.fetch_optional(account, Account::try_from, move |db| {
            rows_of!(accounts, account)
                .select(AccountRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(&mut self, account: AccountId) -> Result<Option<Account>, StorageError> {
        let found = self.change(account, move |db| {
            let query = rows_of!(accounts, account).select(AccountRow::as_select());
            locked(query).get_result(db).optional()
        });
        found.await?.map(Account::try_from).transpose()
    }

    async fn any(&mut self) -> Result<bool, StorageError> {
        self.fetch(TenantScope::System, |db| {
            select(exists(user_directory::table.select(user_directory::email))).get_result(db)
        })
        .await
    }

    async fn save(&mut self, account: &Account) -> Result<(), StorageError> {
        let row = AccountRow::from(account);
        self.change(account.id, move |db| {
            // All columns but the id, the usage and the creation time.
            update(accounts::table.filter(accounts::account_id.eq(row.account_id)))
                .set(values_of!(
                    row, accounts: name, status, projects_limit, keywords_limit, keywords_per_project_limit,
                    ai_tracked_limit, monthly_budget, daily_budget, keyword_research_limit, report_defaults, audit_days
                ))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn save_usage(
        &mut self,
        account: AccountId,
        usage: AccountUsage,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            update(rows_of!(accounts, account))
                .set((
                    accounts::projects_used.eq(count(usage.projects)),
                    accounts::keywords_used.eq(count(usage.keywords)),
                    accounts::ai_tracked_used.eq(count(usage.ai_tracked)),
                ))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn count_without_budget(&mut self) -> Result<u64, StorageError> {
        let active = AccountStatus::Active.name();
        let count: i64 = self
            .fetch(TenantScope::System, move |db| {
                accounts::table
                    .filter(accounts::status.eq(active))
                    .filter(accounts::monthly_budget.is_null())
                    .filter(accounts::daily_budget.is_null())
                    .count()
                    .get_result(db)
            })
            .await?;
        Ok(count.unsigned_abs())
    }

    async fn list(&mut self) -> Result<Vec<(Account, Vec<User>)>, StorageError> {
        let rows: Vec<(AccountRow, UserRow)> = self
            .fetch(TenantScope::System, |db| {
                accounts::table
                    .inner_join(users::table.on(users::account_id.eq(accounts::account_id)))
                    .order((
                        accounts::created_at,
                        accounts::account_id,
                        users::created_at,
                        users::id,
                    ))
                    .select((AccountRow::as_select(), UserRow::as_select()))
                    .load(db)
            })
            .await?;
        let mut all: Vec<(Account, Vec<User>)> = Vec::new();
        for (account, user) in rows {
            let user: User = user.try_into()?;
            match all.last_mut() {
                Some((known, members)) if known.id == user.account => members.push(user),
                _ => all.push((account.try_into()?, vec![user])),
            }
        }
        Ok(all)
    }
}
