//! Creates a project, with its first keywords.

use crate::{
    account::Account,
    allowance::AllowanceExceeded,
    ids::{AccountId, ProjectId},
    keyword::NewKeywords,
    ports::{
        keywords::KeywordCounts,
        storage::{StorageError, Transaction},
    },
    project::{NewProject, Project},
    use_cases::{
        Core,
        keywords::track::{TrackKeywordsError, TrackedKeywords},
        may_be_storage, places,
        repeats::{Receipt, UsedMeanwhile},
    },
};
use chrono::{DateTime, Utc};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedProject {
    pub project: Project,
    /// What became of its first keywords; `None` when there were none.
    pub keywords: Option<TrackedKeywords>,
}

#[derive(Debug, Error)]
pub enum CreateProjectError {
    #[error("the account has a project for this domain")]
    Exists(ProjectId),
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    UsedMeanwhile(#[from] UsedMeanwhile),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(CreateProjectError);

impl From<TrackKeywordsError> for CreateProjectError {
    fn from(error: TrackKeywordsError) -> Self {
        match error {
            TrackKeywordsError::Allowance(error) => error.into(),
            TrackKeywordsError::Storage(error) => error.into(),
            TrackKeywordsError::UsedMeanwhile(error) => error.into(),
            TrackKeywordsError::NoSuchProject | TrackKeywordsError::ProjectDeactivated => {
                StorageError::Corrupt {
                    what: "a project that was just added",
                }
                .into()
            }
        }
    }
}

impl Core {
    /// The project with all its keywords, or nothing.
    pub async fn create_project(
        &self,
        account: AccountId,
        new: &NewProject,
        keywords: &NewKeywords,
        receipt: Option<Receipt<'_, CreatedProject>>,
    ) -> Result<CreatedProject, CreateProjectError> {
        let create = |mut work: Box<dyn Transaction>, now| async move {
            let account = work.accounts().lock(account).await?;
            let account = account.ok_or(StorageError::Corrupt {
                what: "the account of a token",
            })?;
            if let Some(receipt) = &receipt {
                receipt
                    .begin::<CreateProjectError>(work.as_mut(), account.id, now)
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
                .begin_project(work.as_mut(), account, new, keywords, now)
                .await?;
            if let Some(receipt) = &receipt {
                receipt
                    .keep::<CreateProjectError>(work.as_mut(), id, now, &created)
                    .await?;
            }
            work.commit().await?;
            Ok(created)
        };
        self.transaction_at(create).await
    }

    async fn begin_project(
        &self,
        work: &mut dyn Transaction,
        account: Account,
        new: &NewProject,
        keywords: &NewKeywords,
        now: DateTime<Utc>,
    ) -> Result<CreatedProject, CreateProjectError> {
        let usage = places::take_project(&account, KeywordCounts::default())?;
        let stored = work.projects().count_all(account.id).await?;
        { self.policies.storage }
            .projects(account.limits.projects, stored)
            .reserve(1)?;
        let project = new.clone().begin(account.id, &self.mint, now);
        work.projects().add(&project).await?;
        work.accounts().save_usage(account.id, usage).await?;
        if keywords.texts.is_empty() {
            return Ok(CreatedProject {
                project,
                keywords: None,
            });
        }
        let account = Account { usage, ..account };
        let (tracked, counted) = self.track(work, &account, project, keywords, now).await?;
        // Created with its keywords, a project is still in its first version.
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
    use crate::{
        account::{AccountLimits, AccountUsage},
        domain_name::SiteDomain,
        keyword::KeywordText,
        market::Market,
        project::ProjectMeta,
        stored_data::StorageLimits,
        test_support::{ACCOUNT, FakeStorage, an_account, core},
    };
    use std::sync::Arc;

    fn shop() -> NewProject {
        let domain = SiteDomain::accepted("shop.example.com".into(), "shop.example.com".into());
        NewProject {
            domain,
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
        storage: &Arc<FakeStorage>,
        new: &NewProject,
        keywords: &NewKeywords,
    ) -> Result<CreatedProject, CreateProjectError> {
        core(storage.clone())
            .create_project(ACCOUNT, new, keywords, None)
            .await
    }

    #[tokio::test]
    async fn a_project_without_a_name_is_called_by_its_domain() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.accounts
                .expect_lock()
                .return_once(|_| Ok(Some(an_account())));
            work.projects
                .expect_active_with_domain()
                .return_once(|_, _| Ok(None));
            { work.projects.expect_count_all() }.returning(|_| Ok(0));
            work.projects.expect_add().once().returning(|_| Ok(()));
            work.accounts
                .expect_save_usage()
                .withf(|_, usage| usage.projects == 1)
                .once()
                .returning(|_, _| Ok(()));
        });
        let created = create(&storage, &shop(), &keywords(&[])).await.unwrap();
        assert_eq!(created.project.name.as_str(), "shop.example.com");
        assert_eq!(storage.commits(), 1);
    }

    #[tokio::test]
    async fn keywords_without_room_leave_no_project_behind() {
        let storage = Arc::new(FakeStorage::default());
        let tight = Account {
            limits: AccountLimits {
                keywords: 1,
                ..AccountLimits::default()
            },
            ..an_account()
        };
        storage.expect(|work| {
            work.accounts.expect_lock().return_once(|_| Ok(Some(tight)));
            work.projects
                .expect_active_with_domain()
                .return_once(|_, _| Ok(None));
            { work.projects.expect_count_all() }.returning(|_| Ok(0));
            work.projects.expect_add().returning(|_| Ok(()));
            work.accounts.expect_save_usage().returning(|_, _| Ok(()));
            work.keywords
                .expect_with_texts()
                .return_once(|_, _, _, _| Ok(vec![]));
        });
        let outcome = create(&storage, &shop(), &keywords(&["rust", "actix"])).await;
        assert!(matches!(outcome, Err(CreateProjectError::Allowance(_))));
        assert_eq!(storage.commits(), 0);
    }

    #[tokio::test]
    async fn deactivated_projects_count_toward_a_limit() {
        let most = StorageLimits::default().projects(100, 0).limit;
        for (stored, fits) in [(most - 1, true), (most, false)] {
            let storage = Arc::new(FakeStorage::default());
            storage.expect(|work| {
                work.accounts
                    .expect_lock()
                    .return_once(|_| Ok(Some(an_account())));
                work.projects
                    .expect_active_with_domain()
                    .return_once(|_, _| Ok(None));
                { work.projects.expect_count_all() }.return_once(move |_| Ok(stored));
                work.projects.expect_add().returning(|_| Ok(()));
                work.accounts.expect_save_usage().returning(|_, _| Ok(()));
            });
            let outcome = create(&storage, &shop(), &keywords(&[])).await;
            let refused = matches!(outcome, Err(CreateProjectError::Allowance(_)));
            assert_eq!(refused, !fits, "{stored}");
        }
    }

    #[tokio::test]
    async fn a_domain_that_is_monitored_names_its_project() {
        let storage = Arc::new(FakeStorage::default());
        let full = Account {
            usage: AccountUsage {
                projects: 100,
                ..AccountUsage::default()
            },
            ..an_account()
        };
        storage.expect(|work| {
            work.accounts.expect_lock().return_once(|_| Ok(Some(full)));
            work.projects
                .expect_active_with_domain()
                .return_once(|_, _| Ok(Some(ProjectId(7))));
        });
        let outcome = create(&storage, &shop(), &keywords(&[])).await;
        assert!(matches!(
            outcome,
            Err(CreateProjectError::Exists(ProjectId(7)))
        ));
    }
}
