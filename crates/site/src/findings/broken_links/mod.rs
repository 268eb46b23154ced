//! Links on crawled pages to targets that do not work. Every verdict is listed except `ok`, `redirectOk` (one temporary
//! redirect to a working page) and `blockedByRobots`, which are only counted. There is one record per page and target:
//! `position` is its first place on the page, `occurrences` the number of places. A broken target on another host is
//! `suspect` (a `notice`, counted separately) until a check of an earlier run, at least ten minutes before, agrees.
//! Pages are read twice: [`TargetIndex`] collects the targets, [`LinkRecords`] writes the records of each page. Targets
//! stay in memory, links do not.

mod contact;
mod evaluate;
mod history;
mod page_targets;
mod record;
mod records;
mod similar_names;
mod site_index;
mod suggestion;
mod summary;
mod target_index;
mod verdict;

pub use crate::findings::envelope::FindingContext;
pub use history::{PreviousBrokenLinks, TargetHistory};
pub use record::{BrokenLink, Confirmation, Severity, SuggestedTarget, SuggestionReason};
pub use records::LinkRecords;
pub use summary::BrokenLinksSummary;
pub use target_index::TargetIndex;
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

/// Finds the broken links of a site that fits into memory; pages in any order.
pub fn find(
    site: SiteObservation,
    pages: &[PageContent],
    previous: PreviousBrokenLinks,
    context: &FindingContext,
) -> BrokenLinks {
    let mut targets = TargetIndex::of(site, previous);
    for page in pages {
        targets.add(page);
    }
    let mut writer = LinkRecords::new(&targets, context);
    let mut records: Vec<(usize, BrokenLink)> = Vec::new();
    for page in pages {
        records.extend(writer.page_records(page));
    }
    records.sort_by_key(|it| it.0);
    BrokenLinks {
        records: records.into_iter().map(|it| it.1).collect(),
        summary: writer.summary(),
        history: targets.history(context.measured_at),
    }
}

#[cfg(test)]
mod tests;
