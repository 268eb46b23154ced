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

pub struct NameBrand {
    storage: Arc<dyn Storage>,
}

#[derive(Debug, Error)]
pub enum NameBrandError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("a project names at most {MOST_BRANDS} brands")]
    TooManyBrands,
    #[error("a brand has at most {MOST_NAMES} names")]
    TooManyNames,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(NameBrandError);

impl NameBrand {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// `host` was accepted before. Without names, what was said of it before is forgotten.
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
