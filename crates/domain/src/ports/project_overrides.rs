use super::storage::StorageError;
use crate::assignment::{Assignment, AssignmentSubject};
use crate::ids::{AccountId, ProjectId};
use crate::project_overrides::{BrandNames, IgnoredSuggestion, SiteAnnotation};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ProjectOverrideRepository: Send {
    /// Annotates a site, replacing its earlier annotation.
    async fn set_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &SiteAnnotation,
    ) -> Result<(), StorageError>;
    /// Returns whether the site was annotated.
    async fn remove_site_role(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Result<bool, StorageError>;
    /// Annotated sites, in domain order.
    async fn site_annotations(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<SiteAnnotation>, StorageError>;
    /// Replaces the brand's names; deletes the entry if none are given.
    async fn set_brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Result<(), StorageError>;
    /// Brand names, in domain order.
    async fn brand_names(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<BrandNames>, StorageError>;
    /// Marks a suggestion as ignored, replacing an earlier mark.
    async fn ignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Result<(), StorageError>;
    /// Returns whether the suggestion was ignored.
    async fn unignore_suggestion(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Result<bool, StorageError>;
    /// Ignored suggestions, in id order.
    async fn ignored_suggestions(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError>;
    /// Replaces an earlier assignment of the subject.
    async fn assign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        assignment: &Assignment,
    ) -> Result<(), StorageError>;
    /// Returns whether the subject was assigned.
    async fn unassign(
        &mut self,
        account: AccountId,
        project: ProjectId,
        subject: &AssignmentSubject,
    ) -> Result<bool, StorageError>;
    /// In the order of subjects.
    async fn assignments(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<Assignment>, StorageError>;
}
