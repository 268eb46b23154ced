use super::{count, counted, known, passed, report_settings};
use crate::{
    instant::At,
    schema::{accounts, user_directory, users},
};
use diesel::prelude::*;
use domain::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    email::EmailAddress,
    ids::{AccountId, UserId},
    money::MicroUsd,
    ports::storage::StorageError,
    text::Label,
    user::User,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = accounts, treat_none_as_default_value = false)]
pub struct AccountRow {
    account_id: i64,
    name: String,
    status: String,
    projects_limit: i64,
    keywords_limit: i64,
    keywords_per_project_limit: i64,
    ai_tracked_limit: i64,
    monthly_budget: Option<i64>,
    projects_used: i64,
    keywords_used: i64,
    ai_tracked_used: i64,
    report_defaults: String,
    created_at: At,
    daily_budget: Option<i64>,
    keyword_research_limit: Option<i64>,
}

/// What `save` writes: all but the id, the usage and the age.
#[derive(AsChangeset)]
#[diesel(table_name = accounts, treat_none_as_null = true)]
pub struct AccountChange {
    name: String,
    status: String,
    projects_limit: i64,
    keywords_limit: i64,
    keywords_per_project_limit: i64,
    ai_tracked_limit: i64,
    monthly_budget: Option<i64>,
    daily_budget: Option<i64>,
    keyword_research_limit: Option<i64>,
    report_defaults: String,
}

#[derive(AsChangeset)]
#[diesel(table_name = accounts)]
#[expect(clippy::struct_field_names, reason = "the names of the columns")]
pub struct UsageChange {
    projects_used: i64,
    keywords_used: i64,
    ai_tracked_used: i64,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = users)]
pub struct UserRow {
    account_id: i64,
    id: i64,
    email: String,
    name: String,
    created_at: At,
}

#[derive(Insertable)]
#[diesel(table_name = user_directory)]
pub struct UserEntry {
    email: String,
    account_id: i64,
    user_id: i64,
}

impl From<&Account> for AccountRow {
    fn from(account: &Account) -> Self {
        let change = AccountChange::from(account);
        let usage = UsageChange::from(account.usage);
        Self {
            account_id: account.id.0,
            name: change.name,
            status: change.status,
            projects_limit: change.projects_limit,
            keywords_limit: change.keywords_limit,
            keywords_per_project_limit: change.keywords_per_project_limit,
            ai_tracked_limit: change.ai_tracked_limit,
            monthly_budget: change.monthly_budget,
            daily_budget: change.daily_budget,
            keyword_research_limit: change.keyword_research_limit,
            projects_used: usage.projects_used,
            keywords_used: usage.keywords_used,
            ai_tracked_used: usage.ai_tracked_used,
            report_defaults: change.report_defaults,
            created_at: account.created_at.into(),
        }
    }
}

impl From<&Account> for AccountChange {
    fn from(account: &Account) -> Self {
        let limits = account.limits;
        Self {
            name: account.name.to_string(),
            status: account.status.name().to_owned(),
            projects_limit: count(limits.projects),
            keywords_limit: count(limits.keywords),
            keywords_per_project_limit: count(limits.keywords_per_project),
            ai_tracked_limit: count(limits.ai_tracked),
            monthly_budget: limits.monthly_budget.map(|it| it.0),
            daily_budget: limits.daily_budget.map(|it| it.0),
            keyword_research_limit: Some(count(limits.keyword_research)),
            report_defaults: report_settings::defaults_text(&account.report_defaults),
        }
    }
}

impl From<AccountUsage> for UsageChange {
    fn from(usage: AccountUsage) -> Self {
        Self {
            projects_used: count(usage.projects),
            keywords_used: count(usage.keywords),
            ai_tracked_used: count(usage.ai_tracked),
        }
    }
}

impl TryFrom<AccountRow> for Account {
    type Error = StorageError;

    fn try_from(row: AccountRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: AccountId(row.account_id),
            name: passed(Label::parse(&row.name), "account name")?,
            status: known(AccountStatus::named(&row.status), "account status")?,
            limits: AccountLimits {
                projects: counted(row.projects_limit, "project limit")?,
                keywords: counted(row.keywords_limit, "keyword limit")?,
                keywords_per_project: counted(row.keywords_per_project_limit, "keyword limit")?,
                ai_tracked: counted(row.ai_tracked_limit, "AI limit")?,
                // Rows from before there was research have none.
                keyword_research: match row.keyword_research_limit {
                    Some(limit) => counted(limit, "limit of searches")?,
                    None => AccountLimits::default().keyword_research,
                },
                monthly_budget: row.monthly_budget.map(MicroUsd),
                daily_budget: row.daily_budget.map(MicroUsd),
            },
            usage: AccountUsage {
                projects: counted(row.projects_used, "projects used")?,
                keywords: counted(row.keywords_used, "keywords used")?,
                ai_tracked: counted(row.ai_tracked_used, "AI places used")?,
            },
            report_defaults: report_settings::defaults(&row.report_defaults)?,
            created_at: row.created_at.into(),
        })
    }
}

impl From<&User> for UserRow {
    fn from(user: &User) -> Self {
        Self {
            account_id: user.account.0,
            id: user.id.0,
            email: user.email.to_string(),
            name: user.name.to_string(),
            created_at: user.created_at.into(),
        }
    }
}

impl From<&User> for UserEntry {
    fn from(user: &User) -> Self {
        Self {
            email: user.email.to_string(),
            account_id: user.account.0,
            user_id: user.id.0,
        }
    }
}

impl TryFrom<UserRow> for User {
    type Error = StorageError;

    fn try_from(row: UserRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            id: UserId(row.id),
            email: passed(EmailAddress::parse(&row.email), "e-mail address")?,
            name: passed(Label::parse(&row.name), "user name")?,
            created_at: row.created_at.into(),
        })
    }
}
