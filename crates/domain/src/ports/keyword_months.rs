use super::storage::StorageError;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::kept_answers::KeywordTallies;
use crate::keyword_month::{CalendarMonth, MonthCourse};
use async_trait::async_trait;
use std::collections::HashMap;

/// The number of statements does not grow with keywords or days; what is read does.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeywordMonthRepository: Send {
    /// What each source saw of these keywords, in no order; none of keywords that were not measured.
    async fn courses(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<MonthCourse>, StorageError>;
    /// What was counted of AI answers about these keywords, in no order.
    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<KeywordTallies>, StorageError>;
    /// Searches a month of those of these keywords whose volume is known.
    async fn search_volumes(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Result<HashMap<KeywordId, u32>, StorageError>;
}
