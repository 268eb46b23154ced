use crate::WorkerContext;
use analysis::findings::competitors::Pinned;
use analysis::url_rules::{OwnSites, SiteScope};
use domain::domain_name::SiteDomain;
use domain::job::Job;
use domain::ports::storage::StorageError;
use domain::project_overrides::{SiteAnnotation, SiteRole};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct SiteOverrides {
    pub(super) own: OwnSites,
    /// Registrable domains of tracked competitors.
    pub(super) tracked: BTreeSet<String>,
    pub(super) pinned: BTreeMap<String, Pinned>,
}

impl SiteOverrides {
    pub(super) async fn of(
        tools: &WorkerContext,
        job: &Job,
        site: &SiteDomain,
    ) -> Result<Self, StorageError> {
        let mut read = tools.core.storage.read().await?;
        let named = read
            .project_overrides()
            .site_annotations(job.account, job.project)
            .await?;
        Ok(Self::from_overrides(site, &named))
    }

    fn from_overrides(site: &SiteDomain, named: &[SiteAnnotation]) -> Self {
        let (own, others): (Vec<&SiteAnnotation>, Vec<&SiteAnnotation>) =
            named.iter().partition(|it| it.role == SiteRole::Own);
        let aliases = own.iter().map(|it| SiteScope::of(&it.domain)).collect();
        let is_competitor = |it: &&SiteAnnotation| it.role == SiteRole::Competitor;
        let pinned = others.iter().map(|it| {
            let pinned = Pinned {
                class: it.class,
                is_tracked: is_competitor(it),
            };
            (it.domain.clone(), pinned)
        });
        Self {
            own: OwnSites::with_aliases(SiteScope::of(site.ascii()), aliases),
            pinned: pinned.collect(),
            tracked: { others.iter().copied() }
                .filter(is_competitor)
                .map(|it| it.domain.clone())
                .collect(),
        }
    }
}
