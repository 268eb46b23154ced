//! Annotates sites of a project: competitors, other own sites, or a class.

use super::{Core, impl_as_storage_error};
use crate::ids::{AccountId, ProjectId};
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::project_overrides::{SiteAnnotation, SiteClass, SiteRole};
use analysis::url_rules::registrable_domain;
use thiserror::Error;

/// Maximum annotated sites per project.
pub const MAX_SITES: usize = 200;

#[derive(Debug, Error)]
pub enum SetSiteRoleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("it is the project's own domain")]
    OwnDomain,
    #[error("a project names at most {MAX_SITES} sites")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SetSiteRoleError);

impl Core {
    /// In domain order.
    pub async fn site_annotations(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<SiteAnnotation>, StorageError> {
        let mut read = self.storage.read().await?;
        read.project_overrides()
            .site_annotations(account, project)
            .await
    }

    /// Annotates the registrable domain of a validated host name, replacing an earlier annotation.
    pub async fn set_site_role(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        role: SiteRole,
        class: Option<SiteClass>,
    ) -> Result<SiteAnnotation, SetSiteRoleError> {
        let site = &SiteAnnotation {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            role,
            class,
            annotated_at: self.clock.now(),
        };
        let name = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            let found = found.filter(Project::is_active);
            let found = found.ok_or(SetSiteRoleError::NoSuchProject)?;
            let own = found.domain.ascii();
            if registrable_domain(own).unwrap_or(own) == site.domain {
                return Err(SetSiteRoleError::OwnDomain);
            }
            let words = work.project_overrides();
            let named = words.site_annotations(account, project).await?;
            let is_new = named.iter().all(|it| it.domain != site.domain);
            if is_new && named.len() >= MAX_SITES {
                return Err(SetSiteRoleError::TooMany);
            }
            words.set_site_role(account, project, site).await?;
            work.commit().await?;
            Ok(site.clone())
        };
        self.storage.transaction(name).await
    }

    /// Returns whether the host's registrable domain was annotated.
    pub async fn remove_site_role(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
    ) -> Result<bool, StorageError> {
        let domain = registrable_domain(host).unwrap_or(host);
        let forget = |mut work: Box<dyn Transaction>| async move {
            let words = work.project_overrides();
            let was_there = words.remove_site_role(account, project, domain).await?;
            work.commit().await?;
            Ok(was_there)
        };
        self.storage.transaction(forget).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{FakeStorage, FrozenClock, a_project, core};
    use std::sync::Arc;

    async fn named(host: &str, known: usize) -> (Result<SiteAnnotation, SetSiteRoleError>, u32) {
        let storage = Arc::new(FakeStorage::default());
        let known: Vec<SiteAnnotation> = (0..known)
            .map(|n| SiteAnnotation {
                domain: format!("competitor{n}.com"),
                role: SiteRole::Competitor,
                class: None,
                annotated_at: FrozenClock::default().now(),
            })
            .collect();
        storage.expect(|tx| {
            tx.projects
                .expect_lock()
                .returning(|_, _| Ok(Some(a_project())));
            tx.project_overrides
                .expect_site_annotations()
                .returning(move |_, _| Ok(known.clone()));
            tx.project_overrides
                .expect_set_site_role()
                .returning(|_, _, _| Ok(()));
        });
        let outcome = core(storage.clone())
            .set_site_role(AccountId(1), ProjectId(2), host, SiteRole::Competitor, None)
            .await;
        (outcome, storage.commits())
    }

    #[tokio::test]
    async fn a_site_role_is_set_for_the_registrable_domain() {
        let (site, commits) = named("www.competitor.co.uk", 0).await;
        assert_eq!(
            (site.unwrap().domain.as_str(), commits),
            ("competitor.co.uk", 1)
        );
    }

    #[tokio::test]
    async fn the_projects_own_domain_is_no_competitor() {
        let (outcome, commits) = named("blog.example.com", 0).await;
        assert!(matches!(outcome, Err(SetSiteRoleError::OwnDomain)));
        assert_eq!(commits, 0);
    }

    #[tokio::test]
    async fn the_number_of_annotated_sites_is_limited() {
        let (outcome, _) = named("competitor.org", MAX_SITES).await;
        assert!(matches!(outcome, Err(SetSiteRoleError::TooMany)));
        let (again, commits) = named("www.competitor7.com", MAX_SITES).await;
        assert!(
            again.is_ok() && commits == 1,
            "one that is there may change"
        );
    }
}
