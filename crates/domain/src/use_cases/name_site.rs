//! Takes down what a site is to a project: a rival, another own one, or of some class.

use super::may_be_storage;
use crate::{
    ids::{AccountId, ProjectId},
    owners_words::{NamedSite, SiteClass, SiteRole},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    project::Project,
};
use analysis::url_rules::registrable_domain;
use std::sync::Arc;
use thiserror::Error;

/// A project names no more sites.
pub const MOST_SITES: usize = 200;

pub struct NameSite {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

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

impl NameSite {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// Names the registrable domain of an accepted host name, in place of what was said of it before.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
        role: SiteRole,
        class: Option<SiteClass>,
    ) -> Result<NamedSite, NameSiteError> {
        let site = NamedSite {
            domain: registrable_domain(host).unwrap_or(host).to_owned(),
            role,
            class,
            named_at: self.clock.now(),
        };
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let found = work.projects().lock(account, project).await?;
            let found = found.filter(Project::is_active);
            let found = found.ok_or(NameSiteError::NoSuchProject)?;
            let own = found.domain.ascii();
            if registrable_domain(own).unwrap_or(own) == site.domain {
                return Err(NameSiteError::TheProject);
            }
            let named = work.owners_words().named_sites(account, project).await?;
            let is_new = named.iter().all(|it| it.domain != site.domain);
            if is_new && named.len() >= MOST_SITES {
                return Err(NameSiteError::TooMany);
            }
            work.owners_words()
                .name_site(account, project, &site)
                .await?;
            work.commit().await?;
            Ok(site.clone())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{FakeStorage, FrozenClock, a_project};

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
        let name = NameSite::new(storage.clone(), Arc::new(FrozenClock::default()));
        let outcome = name
            .run(AccountId(1), ProjectId(2), host, SiteRole::Competitor, None)
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
