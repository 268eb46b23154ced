use super::storage::StorageError;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::kept_answers::KeywordTallies;
use crate::keyword_month::{CalendarMonth, MonthRanks};
use async_trait::async_trait;
use std::collections::HashMap;

/// The number of statements does not grow with keywords or days.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeywordMonthRepository: Send {
    /// Ranks of these keywords by source, unordered; keywords without measurements are omitted.
    async fn ranks(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<MonthRanks>, StorageError>;
    /// Tallies of AI answers about these keywords, unordered.
    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<KeywordTallies>, StorageError>;
    /// Monthly searches of these keywords, where known.
    async fn search_volumes(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Result<HashMap<KeywordId, u32>, StorageError>;
}
