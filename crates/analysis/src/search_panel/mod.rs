//! All results pages of a project side by side, in compact form: who stands where for what, and what
//! clicks that is worth. Share of voice, competitors and the prominence of domains come from it.
//!
//! Of a page it keeps a few bytes per domain, so that ten thousand keywords with a hundred results
//! each fit into some tens of megabytes.

use crate::{
    ctr::ClickCurve, observation::search_page::Feature, provenance::Provenance,
    search_intent::Intent, url_rules::OwnSites,
};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::{BTreeMap, BTreeSet};

mod domains;
mod page;
mod prominence;

use domains::Domains;
pub use domains::{DomainId, OWN};
pub use page::PanelPage;
pub use prominence::DomainProminence;

/// A page older than this when the panel is looked at does not count.
const WINDOW: TimeDelta = TimeDelta::days(7);

/// The keywords of a project with their results pages, as of one moment.
#[derive(Debug, Clone)]
pub struct Panel<'a> {
    own: &'a OwnSites,
    curve: &'a ClickCurve,
    as_of: DateTime<Utc>,
    domains: Domains,
    keywords: Vec<PanelKeyword>,
    missing: Vec<PanelTopic>,
    standings: Vec<Standing>,
    features: BTreeMap<Feature, FeatureHolders>,
    overviews: Overviews,
    provenance: Provenance,
    measured_at: Option<DateTime<Utc>>,
}

/// What a keyword belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PanelTopic {
    /// The keyword.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// Searches per month, when known.
    pub search_volume: Option<u64>,
    /// What the owner calls it.
    pub tags: Vec<String>,
    /// The group of own pages that it is meant for, when the owner has groups.
    pub page_group: Option<String>,
}

/// A keyword whose page counts.
#[derive(Debug, Clone)]
pub struct PanelKeyword {
    /// What it belongs to.
    pub topic: PanelTopic,
    /// What the searcher wants, when it could be told.
    pub intent: Option<Intent>,
    /// How many organic results were seen.
    pub depth_checked: u32,
    /// The share of searches that position 1 of this page is expected to get.
    pub top_share: f64,
    /// Where its standings begin and end.
    range: (usize, usize),
}

/// A domain on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Who.
    pub domain: DomainId,
    /// Its best position.
    pub position: u32,
    /// The share of searches that its results together are expected to get.
    pub share: f64,
}

/// Pages with a feature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeatureHolders {
    /// How many show it.
    pub pages: u64,
    /// On how many it leads to the project.
    pub own: u64,
}

/// The AI overviews of the pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overviews {
    /// Pages of which it is known whether they have one.
    pub known: u64,
    /// Pages that have one.
    pub present: u64,
    /// How many of them cite each domain.
    pub citing: BTreeMap<DomainId, u64>,
}

impl<'a> Panel<'a> {
    /// An empty panel of the owner of these sites; clicks follow that curve.
    #[must_use]
    pub fn new(own: &'a OwnSites, curve: &'a ClickCurve, as_of: DateTime<Utc>) -> Self {
        Self {
            own,
            curve,
            as_of,
            domains: Domains::with_own(own.site().root()),
            keywords: Vec::new(),
            missing: Vec::new(),
            standings: Vec::new(),
            features: BTreeMap::new(),
            overviews: Overviews::default(),
            provenance: Provenance::Estimated,
            measured_at: None,
        }
    }

    /// A keyword without a page: it failed, or was not measured.
    pub fn miss(&mut self, topic: PanelTopic) {
        self.missing.push(topic);
    }

    /// A keyword with its page; one that is older than seven days counts as missing.
    pub fn add(&mut self, topic: PanelTopic, page: &PanelPage<'_>) {
        if page.fetched_at + WINDOW < self.as_of {
            self.missing.push(topic);
            return;
        }
        if page.provenance.is_simulated() {
            self.provenance = Provenance::Simulated;
        }
        self.measured_at = self.measured_at.max(Some(page.fetched_at));
        let start = self.standings.len();
        let clicks = page.clicks(self.curve);
        page.stand(self.own, &clicks, &mut self.domains, &mut self.standings);
        self.note_features(page);
        self.keywords.push(PanelKeyword {
            topic,
            intent: page.intent,
            depth_checked: page.depth_checked,
            top_share: clicks.at(crate::ctr::Placement::plain(1)),
            range: (start, self.standings.len()),
        });
    }

    fn note_features(&mut self, page: &PanelPage<'_>) {
        for (feature, is_own) in &page.features {
            let holders = self.features.entry(*feature).or_default();
            holders.pages += 1;
            holders.own += u64::from(*is_own);
        }
        if let Some(overview) = &page.overview {
            self.overviews.known += 1;
            self.overviews.present += u64::from(overview.present);
            let urls = overview.urls.iter();
            let cited: BTreeSet<DomainId> = urls
                .filter_map(|url| self.domains.of(url, self.own))
                .collect();
            for domain in cited {
                *self.overviews.citing.entry(domain).or_default() += 1;
            }
        }
    }

    /// The keywords that count.
    #[must_use]
    pub fn keywords(&self) -> &[PanelKeyword] {
        &self.keywords
    }

    /// The keywords without a page that counts.
    #[must_use]
    pub fn missing(&self) -> &[PanelTopic] {
        &self.missing
    }

    /// The domains on a keyword's page, in the order of their numbers; each stands there once.
    #[must_use]
    pub fn standings(&self, keyword: &PanelKeyword) -> &[Standing] {
        &self.standings[keyword.range.0..keyword.range.1]
    }

    /// How many domains were seen, the own one included.
    #[must_use]
    pub fn domain_count(&self) -> usize {
        self.domains.len()
    }

    /// The name of a domain; of the own one, the project's host.
    #[must_use]
    pub fn name(&self, domain: DomainId) -> &str {
        self.domains.name(domain)
    }

    /// The domain of that name, if it was seen.
    #[must_use]
    pub fn domain(&self, name: &str) -> Option<DomainId> {
        self.domains.named(name)
    }

    /// Pages per feature, of suppliers that tell about features.
    #[must_use]
    pub const fn features(&self) -> &BTreeMap<Feature, FeatureHolders> {
        &self.features
    }

    /// The AI overviews.
    #[must_use]
    pub const fn overviews(&self) -> &Overviews {
        &self.overviews
    }

    /// `simulated` as soon as one page was, else `estimated`: clicks are a model's.
    #[must_use]
    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// When the newest page was fetched.
    #[must_use]
    pub fn measured_at(&self) -> DateTime<Utc> {
        self.measured_at.unwrap_or(self.as_of)
    }

    /// The name of the curve that clicks follow.
    #[must_use]
    pub fn curve(&self) -> &str {
        self.curve.name()
    }

    /// Whether every keyword that counts has a search volume, and not all of them are 0.
    #[must_use]
    pub fn has_volumes(&self) -> bool {
        let volumes = || self.keywords.iter().map(|it| it.topic.search_volume);
        volumes().all(|it| it.is_some()) && volumes().flatten().any(|it| it > 0)
    }
}

#[cfg(test)]
pub(crate) mod tests;
