use super::{ItemType, SerpRecord};
use crate::ToSchema;
use crate::findings::envelope::rounded;
use crate::observation::search_page::{Feature, FeatureCoverage, SearchPage};
use crate::statistics::rbo::rbo_ext;
use crate::url_rules::{SiteScope, domain_of_host, page_key};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};

/// Compared results.
const MAX_COMPARED: usize = 20;

/// Of rank-biased overlap.
const PERSISTENCE: f64 = 0.9;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviousSerp {
    /// Page keys of the first 20 organic URLs, best first.
    pub urls: Vec<String>,
    pub features: Vec<Feature>,
    pub feature_coverage: FeatureCoverage,
}

/// What changed since the last snapshot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stability {
    /// Rank-biased overlap of the first 20 URLs, 0 to 1; null when neither page had results.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub rbo_with_previous: Option<f64>,
    /// The share of the first 10 URLs that both have.
    #[serde(serialize_with = "rounded::fraction")]
    pub overlap_top10: f64,
    /// URLs among the first 20 that were not there.
    pub new_urls: Vec<String>,
    /// URLs that were among the first 20 and are not.
    pub lost_urls: Vec<String>,
    /// Domains among the first 20 that were not there.
    #[serde(default)]
    #[schema(required = true)]
    pub new_domains: Vec<String>,
    /// Domains that were among the first 20 and are not.
    #[serde(default)]
    #[schema(required = true)]
    pub lost_domains: Vec<String>,
    /// Other domains that were above the best own result and are not any more; null when neither page has an own result
    /// among the first 20.
    #[serde(default)]
    pub overtaken_domains: Option<Vec<String>>,
    /// Other domains that are above the best own result and were not before; null like `overtakenDomains`.
    #[serde(default)]
    pub overtaken_by_domains: Option<Vec<String>>,
    /// Features that were not there; null when the suppliers report different features.
    pub features_added: Option<Vec<Feature>>,
    /// Features that were there and are not; null when that cannot be compared.
    pub features_removed: Option<Vec<Feature>>,
}

impl PreviousSerp {
    pub fn of_page(page: &SearchPage) -> Self {
        Self::new(
            page.organic().map(|(_, result)| result.url.as_str()),
            page.features().map(|(_, feature)| feature.feature),
            page.feature_coverage,
        )
    }

    /// The compact form of a record; `None` when its measurement failed.
    pub fn of(record: &SerpRecord) -> Option<Self> {
        let organic = record
            .items
            .iter()
            .filter(|it| matches!(it.item_type, ItemType::Organic(_)));
        record.envelope.error.is_none().then(|| {
            Self::new(
                organic.filter_map(|it| it.url.as_deref()),
                record.features.iter().map(|it| it.feature),
                record.feature_coverage,
            )
        })
    }

    fn new<'a>(
        urls: impl Iterator<Item = &'a str>,
        features: impl Iterator<Item = Feature>,
        feature_coverage: FeatureCoverage,
    ) -> Self {
        let mut seen = HashSet::new();
        let urls = urls.map(page_key).filter(|key| seen.insert(key.clone()));
        Self {
            urls: urls.take(MAX_COMPARED).collect(),
            features: features.collect::<BTreeSet<_>>().into_iter().collect(),
            feature_coverage,
        }
    }
}

pub(super) fn compare(site: &SiteScope, now: &PreviousSerp, before: &PreviousSerp) -> Stability {
    let same_coverage = now.feature_coverage == before.feature_coverage
        && now.feature_coverage != FeatureCoverage::Absent;
    let features = |from: &PreviousSerp, without: &PreviousSerp| {
        same_coverage.then(|| only_in(&from.features, &without.features))
    };
    let (domains_now, domains_before) = (domains(&now.urls), domains(&before.urls));
    let (ahead_now, ahead_before) = (Ahead::of(site, &now.urls), Ahead::of(site, &before.urls));
    Stability {
        rbo_with_previous: rbo_ext(&now.urls, &before.urls, PERSISTENCE),
        overlap_top10: overlap_at_ten(&now.urls, &before.urls),
        new_urls: only_in(&now.urls, &before.urls),
        lost_urls: only_in(&before.urls, &now.urls),
        new_domains: only_in(&domains_now, &domains_before),
        lost_domains: only_in(&domains_before, &domains_now),
        overtaken_domains: overtaken(&ahead_before, &ahead_now),
        overtaken_by_domains: overtaken(&ahead_now, &ahead_before),
        features_added: features(now, before),
        features_removed: features(before, now),
    }
}

/// The domains above the best own result: all, if there is none among the compared.
struct Ahead {
    domains: Vec<String>,
    has_own: bool,
}

impl Ahead {
    fn of(site: &SiteScope, keys: &[String]) -> Self {
        let own = keys
            .iter()
            .position(|it| site.owns(&format!("https://{it}")));
        Self {
            domains: domains(&keys[..own.unwrap_or(keys.len())]),
            has_own: own.is_some(),
        }
    }
}

/// The domains that are ahead in the first and not in the second. Without an own result in the second nothing is known
/// of those that left the compared results as well.
fn overtaken(first: &Ahead, second: &Ahead) -> Option<Vec<String>> {
    match (first.has_own, second.has_own) {
        (false, false) => None,
        (_, true) => Some(only_in(&first.domains, &second.domains)),
        (true, false) => Some(Vec::new()),
    }
}

fn overlap_at_ten(now: &[String], before: &[String]) -> f64 {
    let before: HashSet<_> = before.iter().take(10).collect();
    let both = now
        .iter()
        .take(10)
        .filter(|url| before.contains(url))
        .count();
    f64::from(u32::try_from(both).unwrap_or(10)) / 10.0
}

/// The registrable domains of page keys, unique, best first.
fn domains(keys: &[String]) -> Vec<String> {
    let mut domains: Vec<String> = Vec::new();
    for key in keys {
        let host = key.split(['/', '?', ':']).next().unwrap_or(key);
        let domain = domain_of_host(host);
        if !domains.iter().any(|known| known == domain) {
            domains.push(domain.to_owned());
        }
    }
    domains
}

fn only_in<T: Clone + PartialEq>(these: &[T], others: &[T]) -> Vec<T> {
    these
        .iter()
        .filter(|it| !others.contains(it))
        .cloned()
        .collect()
}
