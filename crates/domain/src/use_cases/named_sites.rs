//! Annotates sites of a project: competitors, other own sites, or a class.

use super::{Core, may_be_storage};
use crate::ids::{AccountId, ProjectId};
use crate::owners_words::{NamedSite, SiteClass, SiteRole};
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use analysis::url_rules::registrable_domain;
use thiserror::Error;

/// Maximum annotated sites per project.
pub const MOST_SITES: usize = 200;

#[derive(Debug, Error)]
pub enum NameSiteError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("it is the project's own domain")]
    TheProject,
    #[error("a project names at most {MOST_SITES} sites")]
    TooMany,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(NameSiteError);

impl Core {
    /// In domain order.
    pub async fn named_sites(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Vec<NamedSite>, StorageError> {
        let mut read = self.storage.read().await?;
        read.owners_words().named_sites(account, project).await
    }

    /// Annotates the registrable domain of a validated host name, replacing an earlier annotation.
    pub async fn name_site(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        role: SiteRole,
        class: Option<SiteClass>,
    ) -> Result<NamedSite, NameSiteError> {
        let site = &NamedSite {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            role,
            class,
            named_at: self.clock.now(),
        };
        let name = |mut work: Box<dyn Transaction>| async move {
            let found = work.projects().lock(account, project).await?;
            let found = found.filter(Project::is_active);
            let found = found.ok_or(NameSiteError::NoSuchProject)?;
            let own = found.domain.ascii();
            if registrable_domain(own).unwrap_or(own) == site.domain {
                return Err(NameSiteError::TheProject);
            }
            let words = work.owners_words();
            let named = words.named_sites(account, project).await?;
            let is_new = named.iter().all(|it| it.domain != site.domain);
            if is_new && named.len() >= MOST_SITES {
                return Err(NameSiteError::TooMany);
            }
            words.name_site(account, project, site).await?;
            work.commit().await?;
            Ok(site.clone())
        };
        self.storage.transaction(name).await
    }

    /// Returns whether the host's registrable domain was annotated.
    pub async fn forget_site(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
    ) -> Result<bool, StorageError> {
        let domain = registrable_domain(host).unwrap_or(host);
        let forget = |mut work: Box<dyn Transaction>| async move {
            let words = work.owners_words();
            let was_there = words.forget_site(account, project, domain).await?;
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

    async fn named(host: &str, known: usize) -> (Result<NamedSite, NameSiteError>, u32) {
        let storage = Arc::new(FakeStorage::default());
        let known: Vec<NamedSite> = (0..known)
            .map(|n| NamedSite {
                domain: format!("rival{n}.com"),
                role: SiteRole::Competitor,
                class: None,
                named_at: FrozenClock::default().now(),
            })
            .collect();
        storage.expect(|tx| {
            tx.projects
                .expect_lock()
                .returning(|_, _| Ok(Some(a_project())));
            tx.owners_words
                .expect_named_sites()
                .returning(move |_, _| Ok(known.clone()));
            tx.owners_words
                .expect_name_site()
                .returning(|_, _, _| Ok(()));
        });
        let outcome = core(storage.clone())
            .name_site(AccountId(1), ProjectId(2), host, SiteRole::Competitor, None)
            .await;
        (outcome, storage.commits())
    }

    #[tokio::test]
    async fn the_registrable_domain_is_named() {
        let (site, commits) = named("www.rival.co.uk", 0).await;
        assert_eq!((site.unwrap().domain.as_str(), commits), ("rival.co.uk", 1));
    }

    #[tokio::test]
    async fn the_projects_own_domain_is_no_rival() {
        let (outcome, commits) = named("blog.example.com", 0).await;
        assert!(matches!(outcome, Err(NameSiteError::TheProject)));
        assert_eq!(commits, 0);
    }

    #[tokio::test]
    async fn there_is_an_end_of_them() {
        let (outcome, _) = named("rival.org", MOST_SITES).await;
        assert!(matches!(outcome, Err(NameSiteError::TooMany)));
        let (again, commits) = named("www.rival7.com", MOST_SITES).await;
        assert!(
            again.is_ok() && commits == 1,
            "one that is there may change"
        );
    }
}
