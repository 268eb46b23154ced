//! All results pages of a project in compact form: positions and expected clicks by domain. 10,000 keywords take tens
//! of MB.

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
pub(crate) use page::Cited;
pub use page::PanelPage;
pub use prominence::DomainProminence;

/// Older pages count as missing.
const WINDOW: TimeDelta = TimeDelta::days(7);

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

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PanelTopic {
    pub keyword_id: i64,
    pub keyword: String,
    /// Per month.
    pub search_volume: Option<u64>,
    pub tags: Vec<String>,
    pub page_group: Option<String>,
}

#[derive(Debug, Clone)]
pub struct PanelKeyword {
    pub topic: PanelTopic,
    pub intent: Option<Intent>,
    pub depth_checked: u32,
    /// Expected share of searches at position 1 of this page.
    pub top_share: f64,
    range: (usize, usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    pub domain: DomainId,
    /// The best position.
    pub position: u32,
    /// Expected share of searches of all its results.
    pub share: f64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeatureHolders {
    pub pages: u64,
    /// Pages on which it links to the project.
    pub own: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overviews {
    /// Pages for which it is known whether they have one.
    pub known: u64,
    pub present: u64,
    /// Pages by cited domain.
    pub citing: BTreeMap<DomainId, u64>,
}

impl<'a> Panel<'a> {
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

    /// For keywords that failed or were not measured.
    pub fn add_missing(&mut self, topic: PanelTopic) {
        self.missing.push(topic);
    }

    /// Pages older than seven days count as missing.
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
        page.add_standings(self.own, &clicks, &mut self.domains, &mut self.standings);
        self.add_features(page);
        self.keywords.push(PanelKeyword {
            topic,
            intent: page.intent,
            depth_checked: page.depth_checked,
            top_share: clicks.at(crate::ctr::Placement::plain(1)),
            range: (start, self.standings.len()),
        });
    }

    fn add_features(&mut self, page: &PanelPage<'_>) {
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
                .filter_map(|url| self.domains.id_of_url(url, self.own))
                .collect();
            for domain in cited {
                *self.overviews.citing.entry(domain).or_default() += 1;
            }
        }
    }

    pub fn keywords(&self) -> &[PanelKeyword] {
        &self.keywords
    }

    /// Keywords without a current page.
    pub fn missing(&self) -> &[PanelTopic] {
        &self.missing
    }

    /// By ascending domain id, unique.
    pub fn standings(&self, keyword: &PanelKeyword) -> &[Standing] {
        &self.standings[keyword.range.0..keyword.range.1]
    }

    /// Includes the own domain.
    pub fn domain_count(&self) -> usize {
        self.domains.len()
    }

    /// The project's host for the own domain.
    pub fn name(&self, domain: DomainId) -> &str {
        self.domains.name(domain)
    }

    pub fn domain(&self, name: &str) -> Option<DomainId> {
        self.domains.id_by_name(name)
    }

    /// From suppliers that report features.
    pub const fn features(&self) -> &BTreeMap<Feature, FeatureHolders> {
        &self.features
    }

    pub const fn overviews(&self) -> &Overviews {
        &self.overviews
    }

    /// `simulated` if any page is, else `estimated`: clicks come from a model.
    pub const fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// Of the newest page.
    pub fn measured_at(&self) -> DateTime<Utc> {
        self.measured_at.unwrap_or(self.as_of)
    }

    pub fn curve(&self) -> &str {
        self.curve.name()
    }

    /// All have a volume, and not all are 0.
    pub fn has_volumes(&self) -> bool {
        let volumes = || self.keywords.iter().map(|it| it.topic.search_volume);
        volumes().all(|it| it.is_some()) && volumes().flatten().any(|it| it > 0)
    }
}

#[cfg(test)]
pub(crate) mod tests;
