use super::storage::StorageError;
use crate::ids::{AccountId, ProjectId};
use crate::owners_words::{BrandNames, IgnoredSuggestion, NamedSite};
use async_trait::async_trait;

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait OwnersWordsRepository: Send {
    /// Names a site; what was said of it before is replaced.
    async fn name_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        site: &NamedSite,
    ) -> Result<(), StorageError>;
    /// Whether there was such a site to forget.
    async fn forget_site(
        &mut self,
        account: AccountId,
        project: ProjectId,
        domain: &str,
    ) -> Result<bool, StorageError>;
    /// The sites that are named, in the order of their domains.
    async fn named_sites(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<NamedSite>, StorageError>;
    /// Replaces what was said of the brand; without a name it is forgotten.
    async fn call_brand(
        &mut self,
        account: AccountId,
        project: ProjectId,
        brand: &BrandNames,
    ) -> Result<(), StorageError>;
    /// What brands are called, in the order of their domains.
    async fn brands(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<BrandNames>, StorageError>;
    /// Notes that a suggestion is ignored; what was noted of it before is replaced.
    async fn ignore(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &IgnoredSuggestion,
    ) -> Result<(), StorageError>;
    /// Whether the suggestion was ignored.
    async fn take_up(
        &mut self,
        account: AccountId,
        project: ProjectId,
        suggestion: &str,
    ) -> Result<bool, StorageError>;
    /// The suggestions that are ignored, in the order of their ids.
    async fn ignored(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<IgnoredSuggestion>, StorageError>;
}
