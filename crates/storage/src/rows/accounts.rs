use super::report_settings;
use super::stored::{Stored, row, stored};
use crate::schema::accounts;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::account::{Account, AccountLimits, AccountStatus, AccountUsage};
use domain::ids::AccountId;
use domain::money::MicroUsd;
use domain::report_settings::EffectiveReportSettings;
use domain::text::Label;

row! {
    struct AccountRow(accounts) {
        account_id: AccountId,
        name: Label ["account name"],
        status: AccountStatus ["account status"],
        projects_limit: u32 ["project limit"],
        keywords_limit: u32 ["keyword limit"],
        keywords_per_project_limit: u32 ["keyword limit"],
        ai_tracked_limit: u32 ["AI limit"],
        monthly_budget: Option<MicroUsd>,
        projects_used: u32 ["projects used"],
        keywords_used: u32 ["keywords used"],
        ai_tracked_used: u32 ["AI places used"],
        report_defaults: EffectiveReportSettings,
        created_at: DateTime<Utc>,
        daily_budget: Option<MicroUsd>,
        keyword_research_limit: Option<i64> = Some(keyword_research.column()),
        audit_days: Option<u32> ["days of the audit log"],
    }
    Account {
        id: account_id,
        name,
        status,
        limits: AccountLimits {
            projects: projects_limit,
            keywords: keywords_limit,
            keywords_per_project: keywords_per_project_limit,
            ai_tracked: ai_tracked_limit,
            keyword_research,
            monthly_budget,
            daily_budget,
        },
        usage: AccountUsage { projects: projects_used, keywords: keywords_used, ai_tracked: ai_tracked_used },
        report_defaults,
        audit_days,
        created_at,
    }
    where {
        // Rows that are older than keyword research have none.
        keyword_research = Option::read(keyword_research_limit, "limit of searches")?
            .unwrap_or(AccountLimits::default().keyword_research);
    }
}

stored! {
    EffectiveReportSettings, String:
        |it| report_settings::defaults_text(it),
        |it, _subject| report_settings::defaults(&it);
}
