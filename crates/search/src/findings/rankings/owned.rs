use crate::observation::search_page::{Feature, FeatureCoverage, SearchPage};
use crate::url_rules::SiteScope;
use crate::{ToSchema, keyword_text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The AI overview of a page and the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiOverviewStanding {
    /// Whether the page had one.
    pub present: bool,
    /// Whether it cites the project's site.
    pub own_cited: bool,
    /// The place of the first own citation, from 1.
    pub own_citation_index: Option<u32>,
}

/// The features of a page, and those that link to the project; `None` if the supplier reports no features.
pub(super) fn features(
    page: &SearchPage,
    site: &SiteScope,
) -> Option<(Vec<Feature>, Vec<Feature>)> {
    if page.feature_coverage == FeatureCoverage::Absent {
        return None;
    }
    let mut found: BTreeMap<Feature, bool> = BTreeMap::new();
    for (_, block) in page.features() {
        let is_own = block.links.iter().any(|link| site.owns(&link.url));
        *found.entry(block.feature).or_default() |= is_own;
    }
    let standing = overview(page, site);
    if let Some(standing) = standing.filter(|it| it.present) {
        *found.entry(Feature::AiOverview).or_default() |= standing.own_cited;
    }
    let owned = found.iter().filter(|(_, own)| **own).map(|(it, _)| *it);
    Some((found.keys().copied().collect(), owned.collect()))
}

pub(super) fn overview(page: &SearchPage, site: &SiteScope) -> Option<AiOverviewStanding> {
    page.ai_overview.as_ref().map(|overview| {
        let own = (1..)
            .zip(&overview.citations)
            .find(|(_, link)| site.owns(&link.url))
            .map(|(index, _)| index);
        AiOverviewStanding {
            present: overview.present,
            own_cited: own.is_some(),
            own_citation_index: own,
        }
    })
}

/// Whether a keyword contains the site's domain label (at least four letters) as a word or as joined words.
pub fn is_branded(keyword: &str, site: &SiteScope) -> bool {
    let root = site.root();
    let label = crate::url_rules::registrable_domain(root)
        .unwrap_or(root)
        .split('.')
        .next()
        .unwrap_or_default()
        .replace('-', "");
    if label.len() < 4 {
        return false;
    }
    let words: Vec<String> = keyword_text::normalized(keyword)
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect();
    (0..words.len()).any(|from| {
        let mut joined = String::new();
        words[from..].iter().any(|word| {
            joined.push_str(word);
            joined == label
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_with_the_sites_name_is_branded() {
        let site = SiteScope::of("www.running-shop.co.uk");
        for branded in [
            "running shop",
            "Running-Shop returns",
            "best runningshop shoes",
        ] {
            assert!(is_branded(branded, &site), "{branded}");
        }
        for other in ["running shoes shop", "running", "shop running"] {
            assert!(!is_branded(other, &site), "{other}");
        }
        assert!(!is_branded("hp ink", &SiteScope::of("hp.com")));
    }
}
