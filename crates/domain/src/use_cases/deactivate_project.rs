//! Takes a project out of use: its places are free again, its unfinished jobs are stopped.

use super::change_project::{ChangeProject, ChangeProjectError};
use crate::{
    ids::{AccountId, ProjectId},
    patch::Change,
    ports::{clock::Clock, storage::Storage},
    precondition::Precondition,
    project::{Project, ProjectPatch, PurgeTerm, Status},
};
use std::sync::Arc;

pub struct DeactivateProject {
    change: ChangeProject,
}

impl DeactivateProject {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            change: ChangeProject::new(storage, clock),
        }
    }

    #[must_use]
    pub fn purging_after(self, purge_term: PurgeTerm) -> Self {
        Self {
            change: self.change.purging_after(purge_term),
        }
    }

    /// The project afterwards; a second time changes nothing.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        precondition: Precondition<'_, Project>,
    ) -> Result<Project, ChangeProjectError> {
        let patch = ProjectPatch {
            status: Change::Set(Status::Deactivated),
            ..ProjectPatch::default()
        };
        self.change
            .run(account, project, &patch, precondition)
            .await
    }
}
