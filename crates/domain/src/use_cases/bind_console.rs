//! Binds a property of Search Console to a project. For the operator alone: the service account may
//! read properties of other owners, and a property shows what its owner knows.

use super::may_be_storage;
use crate::{
    ids::{AccountId, ProjectId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    project::Project,
    search_console::{Binding, Property, PropertyRefusal},
};
use std::sync::Arc;
use thiserror::Error;

pub struct BindConsole {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Error)]
pub enum BindConsoleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("the property {0}")]
    Property(#[from] PropertyRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(BindConsoleError);

impl BindConsole {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Due at once. The same property again changes nothing; another one begins anew.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        property: &str,
    ) -> Result<Binding, BindConsoleError> {
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let found = work.projects().lock(account, project).await?;
            let found = found.filter(Project::is_active);
            let found = found.ok_or(BindConsoleError::NoSuchProject)?;
            let property = Property::parse(property, &found.domain)?;
            let there = work.console_bindings().find(account, project).await?;
            if let Some(there) = there.filter(|it| it.property == property) {
                return Ok(there);
            }
            let binding = Binding::begun(account, project, property, self.clock.now());
            work.console_bindings().set(&binding).await?;
            work.commit().await?;
            Ok(binding)
        })
        .await
    }
}
