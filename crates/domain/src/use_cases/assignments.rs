//! Assigns issues and suggestions of a project to members.

use super::members::present_member;
use super::sessions::Member;
use super::{Core, impl_as_storage_error};
use crate::assignment::{Assignment, AssignmentNote, AssignmentSubject, SubjectKind};
use crate::ids::{AccountId, ProjectId, UserId};
use crate::ports::storage::{StorageError, Transaction};
use crate::rights::Right;
use analysis::findings::issues::IssueCode;
use thiserror::Error;

/// Maximum assignments per project.
pub const MAX_ASSIGNMENTS: usize = 2_000;

#[derive(Debug, Error)]
pub enum AssignError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("the project is deactivated")]
    ProjectDeactivated,
    /// The catalogue has no such issue, or the newest suggestions have no such id.
    #[error("there is no such issue or suggestion")]
    NoSuchSubject,
    /// Also a member who left, or has a role that may not read suggestions.
    #[error("the account has no such member who may see the project's suggestions")]
    NoSuchMember,
    #[error("a project has at most {MAX_ASSIGNMENTS} assignments")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(AssignError);

impl Core {
    /// `None` if the account has no such project.
    pub async fn assignments(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Vec<Assignment>>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let assignments = read.project_overrides().assignments(account, project);
        assignments.await.map(Some)
    }

    /// Replaces an earlier assignment.
    pub async fn assign(
        &self,
        by: &Member,
        project: ProjectId,
        subject: AssignmentSubject,
        member: UserId,
        note: Option<AssignmentNote>,
    ) -> Result<Assignment, AssignError> {
        let account = by.account.id;
        if !self.is_assignable(account, project, &subject).await? {
            return Err(AssignError::NoSuchSubject);
        }
        let assignment = &Assignment {
            subject,
            member,
            assigned_by: by.user.id,
            assigned_at: self.clock.now(),
            note,
        };
        let assign = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            let found = found.ok_or(AssignError::NoSuchProject)?;
            if !found.is_active() {
                return Err(AssignError::ProjectDeactivated);
            }
            let assignee = present_member(&mut *work, account, member).await?;
            if !assignee.is_some_and(|it| it.role.holds(Right::DetailsRead)) {
                return Err(AssignError::NoSuchMember);
            }
            let overrides = work.project_overrides();
            let known = overrides.assignments(account, project).await?;
            let is_new = known.iter().all(|it| it.subject != assignment.subject);
            if is_new && known.len() >= MAX_ASSIGNMENTS {
                return Err(AssignError::TooMany);
            }
            overrides.assign(account, project, assignment).await?;
            Ok(work.commit().await?)
        };
        self.storage.transaction(assign).await?;
        Ok(assignment.clone())
    }

    /// Returns whether it was assigned.
    pub async fn unassign(
        &self,
        account: AccountId,
        project: ProjectId,
        subject: &AssignmentSubject,
    ) -> Result<bool, AssignError> {
        let unassign = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            found.ok_or(AssignError::NoSuchProject)?;
            let overrides = work.project_overrides();
            let was_assigned = overrides.unassign(account, project, subject).await?;
            work.commit().await?;
            Ok(was_assigned)
        };
        self.storage.transaction(unassign).await
    }

    async fn is_assignable(
        &self,
        account: AccountId,
        project: ProjectId,
        subject: &AssignmentSubject,
    ) -> Result<bool, StorageError> {
        match subject.kind {
            SubjectKind::Issue => Ok(IssueCode::named(&subject.key).is_some()),
            SubjectKind::Suggestion => {
                let known = self.suggestions(account, project).await?;
                Ok(known.iter().any(|it| it.suggestion_id == subject.key))
            }
        }
    }
}
