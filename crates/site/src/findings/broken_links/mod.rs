//! Links found on crawled pages whose target does not work, with the place they stand.
//!
//! What is listed: every verdict except `ok`, `redirectOk` (one temporary redirect to a page that
//! works) and `blockedByRobots`; those three are counted in the summary. There is one record per
//! page and target; `position` is the first place on the page, `occurrences` counts the places.
//!
//! A broken target on another host is only `suspect` until the check of an earlier run, at least
//! ten minutes before, agrees: its severity is `notice` and the summary counts it apart.
//!
//! Pages come by twice, one by one: [`LinkCards`] learns what they have in common, [`LinkRecords`]
//! writes the records of each. What stays in memory are the targets, not the links.

mod cards;
mod contact;
mod history;
mod judge;
mod missing_names;
mod on_page;
mod record;
mod records;
mod site_index;
mod suggestion;
mod summary;
mod verdict;

pub use crate::findings::envelope::FindingContext;
pub use cards::LinkCards;
pub use history::{PreviousBrokenLinks, TargetHistory};
pub use record::{BrokenLink, Confirmation, Severity, SuggestedTarget, SuggestionReason};
pub use records::LinkRecords;
pub use summary::BrokenLinksSummary;
pub use verdict::{Outcome, Verdict};

use crate::observation::{page_content::PageContent, web_site::SiteObservation};

pub const METHOD: &str = "broken-links/4";

#[derive(Debug, Clone, PartialEq)]
pub struct BrokenLinks {
    /// By severity, source URL and position.
    pub records: Vec<BrokenLink>,
    pub summary: BrokenLinksSummary,
    pub history: PreviousBrokenLinks,
}

/// Finds the broken links of a site whose pages fit into memory, in any order.
pub fn find(
    site: SiteObservation,
    pages: &[PageContent],
    previous: PreviousBrokenLinks,
    context: &FindingContext,
) -> BrokenLinks {
    let mut cards = LinkCards::of(site, previous);
    for page in pages {
        cards.add(page);
    }
    let mut writer = LinkRecords::new(&cards, context);
    let mut records: Vec<(usize, BrokenLink)> = Vec::new();
    for page in pages {
        records.extend(writer.of(page));
    }
    records.sort_by_key(|it| it.0);
    BrokenLinks {
        records: records.into_iter().map(|it| it.1).collect(),
        summary: writer.summary(),
        history: cards.history(context.measured_at),
    }
}

#[cfg(test)]
mod tests;
