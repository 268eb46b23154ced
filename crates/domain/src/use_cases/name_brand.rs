//! Takes down what the project or a rival is called, for finding it in AI answers.

use super::may_be_storage;
use crate::{
    ids::{AccountId, ProjectId},
    owners_words::BrandNames,
    ports::storage::{Storage, StorageError, retrying},
    project::Project,
    text::Label,
};
use analysis::url_rules::registrable_domain;
use std::sync::Arc;
use thiserror::Error;

/// A project names no more brands.
pub const MOST_BRANDS: usize = 200;
/// A brand has no more names.
pub const MOST_NAMES: usize = 20;

/// Names brands.
pub struct NameBrand {
    storage: Arc<dyn Storage>,
}

/// Why a brand is not named.
#[derive(Debug, Error)]
pub enum NameBrandError {
    /// The account has no such project, or it is out of use.
    #[error("there is no such active project")]
    NoSuchProject,
    /// There are too many.
    #[error("a project names at most {MOST_BRANDS} brands")]
    TooManyBrands,
    /// There are too many.
    #[error("a brand has at most {MOST_NAMES} names")]
    TooManyNames,
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(NameBrandError);

impl NameBrand {
    /// On this storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Of a host name that was accepted, whose owner is called so; without names what was said before
    /// is forgotten.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        names: &[Label],
        is_word: Option<bool>,
    ) -> Result<BrandNames, NameBrandError> {
        if names.len() > MOST_NAMES {
            return Err(NameBrandError::TooManyNames);
        }
        let brand = BrandNames {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            names: names.to_vec(),
            is_word,
        };
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let found = work.projects().lock(account, project).await?;
            if !found.as_ref().is_some_and(Project::is_active) {
                return Err(NameBrandError::NoSuchProject);
            }
            let known = work.owners_words().brands(account, project).await?;
            let is_new = known.iter().all(|it| it.domain != brand.domain);
            if is_new && known.len() >= MOST_BRANDS {
                return Err(NameBrandError::TooManyBrands);
            }
            work.owners_words()
                .call_brand(account, project, &brand)
                .await?;
            work.commit().await?;
            Ok(brand.clone())
        })
        .await
    }
}
