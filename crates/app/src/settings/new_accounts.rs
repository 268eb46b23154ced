//! Limits of accounts that are created from now on; existing accounts keep theirs.

use super::Budget;
use domain::{account::AccountLimits, money::MicroUsd};
use setting::settings;

settings! {
    /// Only active projects and keywords count. `sightline account limits` changes the limits of an account.
    pub struct NewAccountSettings {
        pub projects: u32 = AccountLimits::default().projects,
        pub keywords: u32 = AccountLimits::default().keywords,
        pub keywords_per_project: u32 = AccountLimits::default().keywords_per_project,
        pub ai_tracked: u32 = AccountLimits::default().ai_tracked,
        /// Researched keywords per month.
        pub keyword_research: u32 = AccountLimits::default().keyword_research,
        /// US dollars that suppliers may cost in a calendar month (UTC), or `none`. The default protects operators who
        /// connect a paid supplier without a cap.
        pub monthly_budget: Budget = Budget(Some(MicroUsd(100_000_000))),
        /// US dollars that suppliers may cost per day (UTC).
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
