//! How much accounts may have that are created from now on; those that exist keep what they have.

use super::Budget;
use domain::{account::AccountLimits, money::MicroUsd};
use serde::{Deserialize, Serialize};

/// How much a new account may have; only active projects and keywords count. `sightline account limits` changes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NewAccountSettings {
    pub projects: u32,
    pub keywords: u32,
    pub keywords_per_project: u32,
    pub ai_tracked: u32,
    /// Keywords researched in a month.
    pub keyword_research: u32,
    /// US dollars that suppliers may cost in a calendar month (UTC), or `none`.
    pub monthly_budget: Budget,
    /// US dollars that they may cost on a day (UTC).
    pub daily_budget: Option<Budget>,
}

impl Default for NewAccountSettings {
    fn default() -> Self {
        let it = AccountLimits::default();
        Self {
            projects: it.projects,
            keywords: it.keywords,
            keywords_per_project: it.keywords_per_project,
            ai_tracked: it.ai_tracked,
            keyword_research: it.keyword_research,
            // Who connects a supplier that bills has not thought of a cap yet; a refusal names the command that
            // raises it.
            monthly_budget: Budget(Some(MicroUsd(100_000_000))),
            daily_budget: None,
        }
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
