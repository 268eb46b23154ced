use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::project::{Priority, Project, Status, WorkflowStatus};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Which projects are wanted. All that is given has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectFilter {
    /// In use or not; `None` is both.
    pub status: Option<Status>,
    pub tag: Option<String>,
    pub category: Option<String>,
    pub priority: Option<Priority>,
    pub workflow_status: Option<WorkflowStatus>,
    pub favorite: Option<bool>,
    /// Name, domain or client holds this text, whatever its case.
    pub search: Option<String>,
}

/// How projects are sorted; the id makes each order total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectSort {
    CreatedAt,
    /// By name, whatever its case.
    Name,
    Domain,
    /// By last analysis; those without one last.
    LastAnalysisAt,
    Priority,
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ProjectRepository: Send {
    /// Adds a project. `Conflict` when the account has an active one with the domain.
    async fn add(&mut self, project: &Project) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError>;
    /// One project, kept from other writers until the transaction ends.
    async fn lock(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError>;
    /// The account's active project with that domain (as ASCII).
    async fn active_with_domain(
        &mut self,
        account: AccountId,
        domain: &str,
    ) -> Result<Option<ProjectId>, StorageError>;
    /// Everything as given. `Conflict` as in `add`.
    async fn save(&mut self, project: &Project) -> Result<(), StorageError>;
    /// Notes that an analysis ended with results; changes nothing else.
    async fn note_analysis(
        &mut self,
        account: AccountId,
        project: ProjectId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// How many projects the account has, deactivated ones included.
    async fn count_all(&mut self, account: AccountId) -> Result<u32, StorageError>;
    /// Up to `most` of the account's projects that were deactivated at that moment or before.
    async fn deactivated_until(
        &mut self,
        account: AccountId,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<ProjectId>, StorageError>;
    /// Removes a bounded part of what is stored of a project, and in the end the project itself; says
    /// whether anything is left. None of its jobs may be unfinished.
    async fn purge_part(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        filter: &ProjectFilter,
        page: &PageRequest<ProjectSort>,
    ) -> Result<Page<Project>, StorageError>;
}
