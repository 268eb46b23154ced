use super::storage::StorageError;
use crate::content_plan::{ContentPlan, PlanSummary};
use crate::ids::{AccountId, ContentPlanId, ProjectId};
use crate::page::{Page, PageRequest};
use async_trait::async_trait;

/// How plans are sorted; the id makes the order total.
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
    /// Name, clustering, items and time as given.
    async fn save(&mut self, plan: &ContentPlan) -> Result<(), StorageError>;
    /// Forgets a plan; whether it was there.
    async fn remove(
        &mut self,
        account: AccountId,
        project: ProjectId,
        plan: ContentPlanId,
    ) -> Result<bool, StorageError>;
    async fn count(&mut self, account: AccountId, project: ProjectId) -> Result<u32, StorageError>;
    /// A part of the project's plans, without their items.
    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        page: &PageRequest<ContentPlanSort>,
    ) -> Result<Page<PlanSummary>, StorageError>;
}
