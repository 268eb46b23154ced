use super::{DomainId, OWN, Panel};
use crate::url_rules;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Considered results of a page.
const TOP: u32 = 10;
/// With fewer pages, prominence is unknown.
const MIN_PAGES: u64 = 10;

/// Pages of a panel by domain among the first ten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DomainProminence {
    pages: u64,
    /// Without domains on a single page.
    domains: BTreeMap<String, u64>,
}

crate::json!(DomainProminence);

impl Panel<'_> {
    pub fn prominence(&self) -> DomainProminence {
        let mut counts = vec![0_u64; self.domain_count()];
        for keyword in self.keywords() {
            for standing in self.standings(keyword) {
                if standing.position <= TOP {
                    counts[standing.domain as usize] += 1;
                }
            }
        }
        let own = counts[OWN as usize];
        let often = (0..).zip(counts).filter(|(_, count)| *count > 1);
        let mut domains: BTreeMap<String, u64> = often
            .map(|(id, count): (DomainId, u64)| (self.name(id).to_owned(), count))
            .collect();
        // All own sites count as one, whatever their domains.
        for root in self.own.roots() {
            let name = url_rules::domain_of_host(root);
            let count = domains.entry(name.to_owned()).or_default();
            *count = own.max(*count).max(1);
        }
        DomainProminence {
            pages: self.keywords().len() as u64,
            domains,
        }
    }
}

impl DomainProminence {
    /// Mean over domains, 0 to 1: ln(1 + pages of the domain) / ln(1 + all pages). `None` for few pages or no URLs.
    pub fn of<'u>(&self, urls: impl Iterator<Item = &'u str>) -> Option<f64> {
        if self.pages < MIN_PAGES {
            return None;
        }
        let shares: Vec<f64> = urls
            .filter_map(url_rules::domain_of_url)
            .map(|domain| self.share(&domain))
            .collect();
        crate::statistics::describe::mean(&shares)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of pages are far below 2^52"
    )]
    fn share(&self, domain: &str) -> f64 {
        let count = self.domains.get(domain).copied().unwrap_or(1) as f64;
        count.ln_1p() / (self.pages as f64).ln_1p()
    }
}
