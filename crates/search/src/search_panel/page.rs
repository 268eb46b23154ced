//! Input of a panel, from a snapshot or (in `findings::serp`) from a record.

use super::{DomainId, Domains, Standing};
use crate::ctr::{ClickCurve, MAX_CTR, PageClicks, Placement, SerpLayout};
use crate::observation::search_page::{Feature, FeatureCoverage, SearchPage};
use crate::provenance::Provenance;
use crate::search_intent::Intent;
use crate::url_rules;
use crate::url_rules::OwnSites;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
pub struct PanelPage<'p> {
    pub(crate) fetched_at: DateTime<Utc>,
    pub(crate) provenance: Provenance,
    pub(crate) intent: Option<Intent>,
    pub(crate) depth_checked: u32,
    pub(crate) features: BTreeMap<Feature, bool>,
    /// `None` if unknown whether there was one.
    pub(crate) overview: Option<Cited<'p>>,
    pub(crate) layout: SerpLayout,
    pub(crate) results: Vec<(&'p str, Placement)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Cited<'p> {
    pub present: bool,
    pub urls: Vec<&'p str>,
}

impl<'p> PanelPage<'p> {
    /// `None` if blocked.
    pub fn of_page(page: &'p SearchPage, intent: Option<Intent>, own: &OwnSites) -> Option<Self> {
        if page.is_blocked() {
            return None;
        }
        let mut features = BTreeMap::new();
        if page.feature_coverage != FeatureCoverage::Absent {
            for (_, block) in page.features() {
                let is_own = block.links.iter().any(|link| own.owns(&link.url));
                *features.entry(block.feature).or_default() |= is_own;
            }
        }
        Some(Self {
            fetched_at: page.fetched_at,
            provenance: page.provenance,
            intent,
            depth_checked: page.depth_checked(),
            features,
            overview: page.ai_overview.as_ref().map(|overview| Cited {
                present: overview.present,
                urls: overview
                    .citations
                    .iter()
                    .map(|it| it.url.as_str())
                    .collect(),
            }),
            layout: SerpLayout::of(page, intent),
            results: page
                .organic()
                .map(|(_, result)| {
                    let place = Placement {
                        position: result.position,
                        has_sitelinks: !result.sitelinks.is_empty(),
                    };
                    (result.url.as_str(), place)
                })
                .collect(),
        })
    }

    pub(super) fn clicks<'c>(&self, curve: &'c ClickCurve) -> PageClicks<'c> {
        PageClicks::new(curve, &self.layout)
    }

    /// Adds one standing per domain; duplicate pages count once.
    pub(super) fn add_standings(
        &self,
        own: &OwnSites,
        clicks: &PageClicks<'_>,
        domains: &mut Domains,
        standings: &mut Vec<Standing>,
    ) {
        let mut places: Vec<(DomainId, Placement, &str)> = self
            .results
            .iter()
            .filter_map(|(url, place)| Some((domains.id_of_url(url, own)?, *place, *url)))
            .collect();
        places.sort_by_key(|(domain, place, _)| (*domain, place.position));
        for of_one in places.chunk_by(|one, other| one.0 == other.0) {
            let share = distinct(of_one)
                .map(|place| clicks.at(place))
                .fold(0.0, |sum, share| sum + share);
            standings.push(Standing {
                domain: of_one[0].0,
                position: of_one[0].1.position,
                share: share.min(MAX_CTR),
            });
        }
    }
}

fn distinct<'p>(
    places: &'p [(DomainId, Placement, &'p str)],
) -> impl Iterator<Item = Placement> + 'p {
    let alone = places.len() == 1;
    let mut seen: Vec<String> = Vec::new();
    places.iter().filter_map(move |(_, place, url)| {
        if alone {
            return Some(*place);
        }
        let key = url_rules::page_key(url);
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new.then_some(*place)
    })
}
