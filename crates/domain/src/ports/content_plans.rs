use super::storage::StorageError;
use crate::content_plan::{ContentPlan, PlanSummary};
use crate::ids::{AccountId, ContentPlanId, ProjectId};
use crate::page::{Page, PageRequest};
use async_trait::async_trait;

/// Sort order of plans; the id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentPlanSort {
    CreatedAt,
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ContentPlanRepository: Send {
    async fn add(&mut self, plan: &ContentPlan) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<Option<ContentPlan>, StorageError>;
    /// Saves name, clustering, items and time.
    async fn save(&mut self, plan: &ContentPlan) -> Result<(), StorageError>;
    /// Deletes a plan; returns whether it existed.
    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<bool, StorageError>;
    async fn count(&mut self, account: AccountId, project: ProjectId) -> Result<u32, StorageError>;
    /// One page of the project's plans, without their items.
    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        page: &PageRequest<ContentPlanSort>,
    ) -> Result<Page<PlanSummary>, StorageError>;
}
