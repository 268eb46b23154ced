//! Limits of accounts that are created from now on; existing accounts keep theirs.

use super::Budget;
use domain::{account::AccountLimits, money::MicroUsd};
use setting::settings;

settings! {
    /// Only active projects and keywords count. `sightline account limits` changes the limits of an account.
    pub struct NewAccountSettings {
        /// Active projects.
        pub projects: u32 = AccountLimits::default().projects,
        /// Active keywords.
        pub keywords: u32 = AccountLimits::default().keywords,
        /// Active keywords in a project.
        pub keywords_per_project: u32 = AccountLimits::default().keywords_per_project,
        /// Active AI-tracked keywords.
        pub ai_tracked: u32 = AccountLimits::default().ai_tracked,
        /// Keyword searches a month.
        pub keyword_research: u32 = AccountLimits::default().keyword_research,
        /// US dollars for suppliers a calendar month (UTC), or `none`.
        pub monthly_budget: Budget = Budget(Some(MicroUsd(100_000_000))),
        /// US dollars for suppliers a day (UTC), or `none`.
        pub daily_budget: Option<Budget>,
    }
}

impl NewAccountSettings {
    pub fn limits(&self) -> AccountLimits {
        AccountLimits {
            projects: self.projects,
            keywords: self.keywords,
            keywords_per_project: self.keywords_per_project,
            ai_tracked: self.ai_tracked,
            keyword_research: self.keyword_research,
            monthly_budget: self.monthly_budget.0,
            daily_budget: self.daily_budget.and_then(|it| it.0),
        }
    }

    pub fn is_without_budget(&self) -> bool {
        let limits = self.limits();
        limits.monthly_budget.is_none() && limits.daily_budget.is_none()
    }
}
