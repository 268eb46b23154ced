//! Creates a project with its first keywords.

use crate::account::Account;
use crate::allowance::AllowanceExceeded;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword::NewKeywords;
use crate::ports::keywords::KeywordCounts;
use crate::ports::storage::{StorageError, Transaction};
use crate::project::{NewProject, Project};
use crate::use_cases::idempotency::{IdempotencyWriter, KeyUsedConcurrently};
use crate::use_cases::keywords::track::{TrackKeywordsError, TrackedKeywords};
use crate::use_cases::{Core, impl_as_storage_error, quota};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedProject {
    pub project: Project,
    /// Outcome of its first keywords, if any.
    pub keywords: Option<TrackedKeywords>,
}

/// Ids and time of a new project and its first keywords.
struct NewProjectInput {
    project: ProjectId,
    keywords: Vec<KeywordId>,
    now: DateTime<Utc>,
}

#[derive(Debug, Error)]
pub enum CreateProjectError {
    #[error("the account has a project for this domain")]
    Exists(ProjectId),
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    UsedMeanwhile(#[from] KeyUsedConcurrently),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(CreateProjectError);

impl From<TrackKeywordsError> for CreateProjectError {
    fn from(error: TrackKeywordsError) -> Self {
        match error {
            TrackKeywordsError::Allowance(error) => error.into(),
            TrackKeywordsError::Storage(error) => error.into(),
            TrackKeywordsError::UsedMeanwhile(error) => error.into(),
            TrackKeywordsError::NoSuchProject | TrackKeywordsError::ProjectDeactivated => {
                StorageError::Corrupt {
                    subject: "a project that was just added",
                }
                .into()
            }
        }
    }
}

impl Core {
    /// Atomic: the project with all its keywords, or nothing.
    pub async fn create_project(
        &self,
        account: AccountId,
        new: &NewProject,
        keywords: &NewKeywords,
        writer: Option<IdempotencyWriter<'_, CreatedProject>>,
    ) -> Result<CreatedProject, CreateProjectError> {
        let prepare = || NewProjectInput {
            project: ProjectId::mint(&self.mint),
            keywords: KeywordId::mint_ascending(&self.mint, keywords.texts.len()),
            now: self.clock.now(),
        };
        let create = |mut work: Box<dyn Transaction>, beginning: NewProjectInput| async move {
            let now = beginning.now;
            let account = work.accounts().lock(account).await?;
            let account = account.ok_or(StorageError::Corrupt {
                subject: "the account of a token",
            })?;
            if let Some(writer) = &writer {
                writer
                    .ensure_unused::<CreateProjectError>(work.as_mut(), account.id, now)
                    .await?;
            }
            if let Some(existing) = work
                .projects()
                .active_with_domain(account.id, new.domain.ascii())
                .await?
            {
                return Err(CreateProjectError::Exists(existing));
            }
            let id = account.id;
            let created = self
                .begin_project(work.as_mut(), account, new, keywords, beginning)
                .await?;
            if let Some(writer) = &writer {
                writer
                    .store::<CreateProjectError>(work.as_mut(), id, now, &created)
                    .await?;
            }
            work.commit().await?;
            Ok(created)
        };
        self.storage.transaction_with(prepare, create).await
    }

    async fn begin_project(
        &self,
        work: &mut dyn Transaction,
        account: Account,
        new: &NewProject,
        keywords: &NewKeywords,
        beginning: NewProjectInput,
    ) -> Result<CreatedProject, CreateProjectError> {
        let usage = quota::reserve_project(&account, KeywordCounts::default())?;
        let stored = work.projects().count_all(account.id).await?;
        { self.policies.storage }
            .projects(account.limits.projects, stored)
            .reserve(1)?;
        let project = new
            .clone()
            .begin(account.id, beginning.project, beginning.now);
        work.projects().add(&project).await?;
        work.accounts().save_usage(account.id, usage).await?;
        if keywords.texts.is_empty() {
            return Ok(CreatedProject {
                project,
                keywords: None,
            });
        }
        let account = Account { usage, ..account };
        let (tracked, counted) = self
            .track(
                work,
                (&account, project),
                keywords,
                beginning.keywords,
                beginning.now,
            )
            .await?;
        // Created with its keywords, so still the first version.
        let project = Project {
            row_version: 1,
            ..counted
        };
        work.projects().save(&project).await?;
        Ok(CreatedProject {
            project,
            keywords: Some(tracked),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountLimits;
    use crate::keyword::KeywordText;
    use crate::market::Market;
    use crate::project::ProjectMeta;
    use crate::stored_data::StorageLimits;
    use crate::test_support::fixtures::{account, project};
    use crate::test_support::{ACCOUNT, MemoryStorage, a_project, core};

    fn shop() -> NewProject {
        NewProject {
            domain: a_project().domain,
            name: None,
            meta: ProjectMeta::default(),
        }
    }

    fn keywords(texts: &[&str]) -> NewKeywords {
        let texts = texts
            .iter()
            .map(|it| KeywordText::parse(it).unwrap())
            .collect();
        NewKeywords {
            texts,
            ai_tracked: None,
            market: Market::default(),
            tags: vec![],
        }
    }

    async fn create(
        storage: &MemoryStorage,
        new: &NewProject,
        keywords: &NewKeywords,
    ) -> Result<CreatedProject, CreateProjectError> {
        core(storage.port())
            .create_project(ACCOUNT, new, keywords, None)
            .await
    }

    #[tokio::test]
    async fn a_project_without_a_name_is_named_after_its_domain() {
        let storage = MemoryStorage::default().with(account());
        let created = create(&storage, &shop(), &keywords(&[])).await.unwrap();
        assert_eq!(created.project.name.as_str(), "shop.example.com");
        assert_eq!(storage.commits(), 1);
        let state = storage.state();
        assert_eq!(
            state.projects[&(ACCOUNT, created.project.id)],
            created.project
        );
        assert_eq!(state.accounts[&ACCOUNT].usage.projects, 1);
    }

    #[tokio::test]
    async fn keywords_over_quota_leave_no_project() {
        let storage = MemoryStorage::default().with(account().limited(|it| it.keywords = 1));
        let before = storage.state();
        let outcome = create(&storage, &shop(), &keywords(&["rust", "actix"])).await;
        assert!(matches!(outcome, Err(CreateProjectError::Allowance(_))));
        assert_eq!(storage.commits(), 0);
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn deactivated_projects_count_toward_a_limit() {
        // A low limit of active projects keeps the number of stored ones small.
        let few = AccountLimits {
            projects: 1,
            ..AccountLimits::default()
        };
        let max = StorageLimits::default().projects(few.projects, 0).limit;
        for (stored, fits) in [(max - 1, true), (max, false)] {
            let mut storage = MemoryStorage::default().with(account().limited(|it| *it = few));
            for id in 0..stored {
                storage = storage.with(project().id(100 + i64::from(id)).deactivated());
            }
            let outcome = create(&storage, &shop(), &keywords(&[])).await;
            let refused = matches!(outcome, Err(CreateProjectError::Allowance(_)));
            assert_eq!(refused, !fits, "{stored}");
        }
    }

    #[tokio::test]
    async fn a_monitored_domain_is_refused_with_its_project() {
        let storage = MemoryStorage::default()
            .with(account().using(100, 0, 0))
            .with(project().id(7));
        let outcome = create(&storage, &shop(), &keywords(&[])).await;
        assert!(matches!(
            outcome,
            Err(CreateProjectError::Exists(ProjectId(7)))
        ));
    }
}
