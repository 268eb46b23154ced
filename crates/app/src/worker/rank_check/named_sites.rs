//! The sites that the project's owner names, as what follows from search pages wants them.

use crate::worker::Tools;
use analysis::{
    findings::competitors::Pinned,
    url_rules::{OwnSites, SiteScope},
};
use domain::{
    domain_name::SiteDomain,
    job::Job,
    owners_words::{NamedSite, SiteRole},
    ports::storage::StorageError,
};
use std::collections::{BTreeMap, BTreeSet};

/// The project's site, and those that its owner names.
pub(super) struct NamedSites {
    /// Everything that is the owner's.
    pub(super) own: OwnSites,
    /// Registrable domains of rivals that are followed.
    pub(super) tracked: BTreeSet<String>,
    /// What was said of domains that are not the owner's.
    pub(super) pinned: BTreeMap<String, Pinned>,
}

impl NamedSites {
    pub(super) async fn of(
        tools: &Tools,
        job: &Job,
        site: &SiteDomain,
    ) -> Result<Self, StorageError> {
        let mut read = tools.storage.read().await?;
        let named = read
            .owners_words()
            .named_sites(job.account, job.project)
            .await?;
        Ok(Self::told(site, &named))
    }

    fn told(site: &SiteDomain, named: &[NamedSite]) -> Self {
        let (own, others): (Vec<&NamedSite>, Vec<&NamedSite>) =
            named.iter().partition(|it| it.role == SiteRole::Own);
        let aliases = own.iter().map(|it| SiteScope::of(&it.domain)).collect();
        let is_rival = |it: &&NamedSite| it.role == SiteRole::Competitor;
        let pinned = others.iter().map(|it| {
            let pinned = Pinned {
                class: it.class,
                is_tracked: is_rival(it),
            };
            (it.domain.clone(), pinned)
        });
        Self {
            own: OwnSites::with_aliases(SiteScope::of(site.ascii()), aliases),
            pinned: pinned.collect(),
            tracked: { others.iter().copied() }
                .filter(is_rival)
                .map(|it| it.domain.clone())
                .collect(),
        }
    }
}
