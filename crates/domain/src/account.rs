//! Accounts (tenants) and their limits.

use crate::allowance::{Allowance, AllowanceName};
use crate::ids::AccountId;
use crate::money::MicroUsd;
use crate::report_settings::EffectiveReportSettings;
use crate::text::Label;
use chrono::{DateTime, Utc};
use std::fmt;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AccountStatus {
        Active = "active",
        /// Disabled by the operator: its tokens are refused.
        Disabled = "disabled",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountLimits {
    /// Active projects.
    pub projects: u32,
    /// Active keywords over all projects.
    pub keywords: u32,
    /// Active keywords in one project.
    pub keywords_per_project: u32,
    /// Active keywords that are measured in AI answers.
    pub ai_tracked: u32,
    /// Keywords researched in a calendar month (UTC) that are not stored already.
    pub keyword_research: u32,
    /// Maximum supplier cost in a calendar month (UTC); `None` is unlimited.
    pub monthly_budget: Option<MicroUsd>,
    /// Maximum supplier cost on a day (UTC); `None` is unlimited.
    pub daily_budget: Option<MicroUsd>,
}

impl Default for AccountLimits {
    fn default() -> Self {
        Self {
            projects: 100,
            keywords: 10_000,
            keywords_per_project: 5_000,
            ai_tracked: 100,
            keyword_research: 100,
            monthly_budget: None,
            daily_budget: None,
        }
    }
}

impl fmt::Display for AccountLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} projects, {} keywords ({} in one project), {} AI-tracked, {} searches among keywords a month; monthly budget: ",
            self.projects,
            self.keywords,
            self.keywords_per_project,
            self.ai_tracked,
            self.keyword_research
        )?;
        let format_budget = |budget: Option<MicroUsd>| {
            budget.map_or_else(|| "none".to_owned(), |it| format!("{it} USD"))
        };
        f.write_str(&format_budget(self.monthly_budget))?;
        write!(f, "; daily budget: {}", format_budget(self.daily_budget))
    }
}

/// Updated in the transaction of each change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountUsage {
    /// Active projects.
    pub projects: u32,
    /// Active keywords of active projects.
    pub keywords: u32,
    /// Active AI-tracked keywords of active projects.
    pub ai_tracked: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    pub id: AccountId,
    pub name: Label,
    pub status: AccountStatus,
    pub limits: AccountLimits,
    pub usage: AccountUsage,
    pub report_defaults: EffectiveReportSettings,
    /// How many days its audit log is stored; `None` is the server's default.
    pub audit_days: Option<u32>,
    pub created_at: DateTime<Utc>,
}

impl Account {
    pub fn project_allowance(&self) -> Allowance {
        Allowance {
            name: AllowanceName::Projects,
            limit: self.limits.projects,
            used: self.usage.projects,
        }
    }

    pub fn keyword_allowance(&self) -> Allowance {
        Allowance {
            name: AllowanceName::Keywords,
            limit: self.limits.keywords,
            used: self.usage.keywords,
        }
    }

    pub fn project_keyword_allowance(&self, used: u32) -> Allowance {
        Allowance {
            name: AllowanceName::KeywordsPerProject,
            limit: self.limits.keywords_per_project,
            used,
        }
    }

    pub fn ai_allowance(&self) -> Allowance {
        Allowance {
            name: AllowanceName::AiTracked,
            limit: self.limits.ai_tracked,
            used: self.usage.ai_tracked,
        }
    }
}
