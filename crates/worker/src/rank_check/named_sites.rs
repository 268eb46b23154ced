use crate::Tools;
use analysis::findings::competitors::Pinned;
use analysis::url_rules::{OwnSites, SiteScope};
use domain::domain_name::SiteDomain;
use domain::job::Job;
use domain::owners_words::{NamedSite, SiteRole};
use domain::ports::storage::StorageError;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct NamedSites {
    pub(super) own: OwnSites,
    /// Registrable domains of tracked competitors.
    pub(super) tracked: BTreeSet<String>,
    pub(super) pinned: BTreeMap<String, Pinned>,
}

impl NamedSites {
    pub(super) async fn of(
        tools: &Tools,
        job: &Job,
        site: &SiteDomain,
    ) -> Result<Self, StorageError> {
        let mut read = tools.core.storage.read().await?;
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
