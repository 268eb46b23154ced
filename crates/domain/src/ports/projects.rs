use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::project::{Priority, Project, Status, WorkflowStatus};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// Filter for projects; all given conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectFilter {
    /// `None` matches any status.
    pub status: Option<Status>,
    pub tag: Option<String>,
    pub category: Option<String>,
    pub priority: Option<Priority>,
    pub workflow_status: Option<WorkflowStatus>,
    pub favorite: Option<bool>,
    /// Substring of name, domain or client, ignoring case.
    pub search: Option<String>,
    /// Only these; `None` is all.
    pub only: Option<BTreeSet<ProjectId>>,
}

/// Sort order of projects; the id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectSort {
    CreatedAt,
    /// Ignoring case.
    Name,
    Domain,
    /// By last analysis; projects without one come last.
    LastAnalysisAt,
    Priority,
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ProjectRepository: Send {
    /// Adds a project. `Conflict` if the account has an active one with the domain.
    async fn add(&mut self, project: &Project) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError>;
    /// Locks one project until the transaction ends.
    async fn lock(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Project>, StorageError>;
    /// The account's active project with that domain (in ASCII).
    async fn active_with_domain(
        &mut self,
        account: AccountId,
        domain: &str,
    ) -> Result<Option<ProjectId>, StorageError>;
    /// Saves all fields. `Conflict` as in `add`.
    async fn save(&mut self, project: &Project) -> Result<(), StorageError>;
    /// Records that an analysis ended with results; changes nothing else.
    async fn note_analysis(
        &mut self,
        account: AccountId,
        project: ProjectId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError>;
    /// Number of the account's projects, deactivated ones included.
    async fn count_all(&mut self, account: AccountId) -> Result<u32, StorageError>;
    /// Up to `limit` of the account's projects deactivated at or before that time.
    async fn deactivated_until(
        &mut self,
        account: AccountId,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<ProjectId>, StorageError>;
    /// Deletes a bounded batch of a project's data, and at last the project; returns whether
    /// anything is left. The project must have no unfinished jobs.
    async fn purge_batch(
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
