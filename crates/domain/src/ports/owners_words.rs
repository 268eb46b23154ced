use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::owners_words::{BrandNames, IgnoredSuggestion, NamedSite};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait OwnersWordsRepository: Send {
    /// Annotates a site, replacing its earlier annotation.
    async fn name_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &NamedSite,
    ) -> Result<(), StorageError>;
    /// Returns whether the site was annotated.
    async fn forget_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Result<bool, StorageError>;
    /// Annotated sites, in domain order.
    async fn named_sites(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<NamedSite>, StorageError>;
    /// Replaces the brand's names; deletes the entry if none are given.
    async fn call_brand(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Result<(), StorageError>;
    /// Brand names, in domain order.
    async fn brands(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<BrandNames>, StorageError>;
    /// Marks a suggestion as ignored, replacing an earlier mark.
    async fn ignore(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Result<(), StorageError>;
    /// Returns whether the suggestion was ignored.
    async fn take_up(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Result<bool, StorageError>;
    /// Ignored suggestions, in id order.
    async fn ignored(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError>;
}
