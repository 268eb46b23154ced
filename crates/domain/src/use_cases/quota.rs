//! Reserves and releases quotas of an account.

use crate::account::{Account, AccountUsage};
use crate::allowance::AllowanceExceeded;
use crate::ports::keywords::KeywordCounts;

/// The account's usage with a project reserved, or the first exceeded quota.
pub(super) fn reserve_project(
    account: &Account,
    keywords: KeywordCounts,
) -> Result<AccountUsage, AllowanceExceeded> {
    Ok(AccountUsage {
        projects: account.project_allowance().reserve(1)?.used,
        keywords: account.keyword_allowance().reserve(keywords.active)?.used,
        ai_tracked: account.ai_allowance().reserve(keywords.ai_tracked)?.used,
    })
}

pub(super) fn release_project(account: &Account, keywords: KeywordCounts) -> AccountUsage {
    AccountUsage {
        projects: account.project_allowance().release(1).used,
        keywords: account.keyword_allowance().release(keywords.active).used,
        ai_tracked: account.ai_allowance().release(keywords.ai_tracked).used,
    }
}

/// Change in used quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct QuotaDelta {
    pub(super) keywords: i64,
    pub(super) ai_tracked: i64,
}

impl QuotaDelta {
    pub(super) fn between(
        before: Option<&crate::keyword::Keyword>,
        after: &crate::keyword::Keyword,
    ) -> Self {
        let was = |rule: fn(&crate::keyword::Keyword) -> bool| i64::from(before.is_some_and(rule));
        Self {
            keywords: i64::from(after.is_active()) - was(crate::keyword::Keyword::is_active),
            ai_tracked: i64::from(after.uses_ai_quota())
                - was(crate::keyword::Keyword::uses_ai_quota),
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            keywords: self.keywords + other.keywords,
            ai_tracked: self.ai_tracked + other.ai_tracked,
        }
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }

    /// New usage of the account and counts of the project, or the first exceeded quota.
    pub(super) fn apply(
        self,
        account: &Account,
        project: KeywordCounts,
    ) -> Result<(AccountUsage, KeywordCounts), AllowanceExceeded> {
        let active = moved(
            account.project_keyword_allowance(project.active),
            self.keywords,
        )?;
        let keywords = moved(account.keyword_allowance(), self.keywords)?;
        let ai_tracked = moved(account.ai_allowance(), self.ai_tracked)?;
        let counts = KeywordCounts {
            active,
            ai_tracked: shifted(project.ai_tracked, self.ai_tracked),
        };
        Ok((
            AccountUsage {
                keywords,
                ai_tracked,
                ..account.usage
            },
            counts,
        ))
    }
}

fn moved(allowance: crate::allowance::Allowance, change: i64) -> Result<u32, AllowanceExceeded> {
    let by = u32::try_from(change.unsigned_abs()).unwrap_or(u32::MAX);
    if change < 0 {
        return Ok(allowance.release(by).used);
    }
    Ok(allowance.reserve(by)?.used)
}

fn shifted(count: u32, change: i64) -> u32 {
    u32::try_from(i64::from(count).saturating_add(change).max(0)).unwrap_or(u32::MAX)
}
