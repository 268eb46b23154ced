//! Links found on crawled pages whose target does not work, with the place they stand.
//!
//! What is listed: every verdict except `ok`, `redirectOk` (one temporary redirect to a page that
//! works) and `blockedByRobots`; those three are counted in the summary. There is one record per
//! page and target; `position` is the first place on the page, `occurrences` counts the places.
//!
//! A broken target on another host is only `suspect` until the check of an earlier run, at least
//! ten minutes before, agrees: its severity is `notice` and the summary counts it apart.

mod contact;
mod fragment;
mod history;
mod judge;
mod record;
mod site_index;
mod suggestion;
mod summary;
mod verdict;

pub use crate::findings::envelope::FindingContext;
pub(crate) use fragment::{FragmentCheck, examine, percent_decoded};
pub use history::{PreviousBrokenLinks, TargetHistory};
pub use record::{BrokenLink, Confirmation, Severity, SuggestedTarget, SuggestionReason};
pub use summary::BrokenLinksSummary;
pub use verdict::{Outcome, Verdict};

use crate::{
    findings::envelope::Envelope,
    observation::web_site::{PageLink, SiteObservation, WebPage},
    provenance::RecordStatus,
    result_type::ResultType,
    text::words::shortened,
};
use judge::{Judged, judge};
use site_index::SiteIndex;
use std::collections::{BTreeMap, BTreeSet};
use suggestion::Suggestions;

/// The method that these records come from.
pub const METHOD: &str = "broken-links/2";

/// The findings of one crawl.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenLinks {
    /// By severity, source URL and position.
    pub records: Vec<BrokenLink>,
    /// Counts.
    pub summary: BrokenLinksSummary,
    /// What the next run needs to know of this one.
    pub history: PreviousBrokenLinks,
}

/// Finds the broken links of a site.
#[must_use]
pub fn find(
    site: &SiteObservation,
    previous: &PreviousBrokenLinks,
    context: &FindingContext,
) -> BrokenLinks {
    let index = SiteIndex::of(site);
    let found = gather(site, &index);
    let source_pages = count_source_pages(&found);
    let suggestions = Suggestions::from(&index);
    let mut records: Vec<BrokenLink> = found
        .iter()
        .filter(|it| it.judged.verdict.is_listed())
        .map(|it| {
            it.record(
                previous,
                context,
                source_pages[&it.judged.target],
                &suggestions,
            )
        })
        .collect();
    records.sort_by(BrokenLink::order);
    let history = previous.followed_by(found.iter().map(|it| &it.judged), context.measured_at);
    let summary = BrokenLinksSummary::of(site, found.iter().map(|it| &it.judged), &records);
    BrokenLinks {
        records,
        summary,
        history,
    }
}

/// A target on a page, with how often it stands there.
struct Found<'a> {
    page: &'a WebPage,
    first: &'a PageLink,
    occurrences: u32,
    judged: Judged<'a>,
}

fn gather<'a>(site: &'a SiteObservation, index: &SiteIndex<'a>) -> Vec<Found<'a>> {
    let mut all = Vec::new();
    for page in &site.pages {
        let mut on_page: BTreeMap<(String, Verdict), Found<'a>> = BTreeMap::new();
        for link in &page.links {
            let judged = judge(page, link, index);
            on_page
                .entry((judged.target.clone(), judged.verdict))
                .and_modify(|it| it.occurrences += 1)
                .or_insert(Found {
                    page,
                    first: link,
                    occurrences: 1,
                    judged,
                });
        }
        all.extend(on_page.into_values());
    }
    all
}

fn count_source_pages(found: &[Found<'_>]) -> BTreeMap<String, u32> {
    let mut pages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for it in found {
        pages
            .entry(&it.judged.target)
            .or_default()
            .insert(&it.page.url);
    }
    pages
        .into_iter()
        .map(|(target, pages)| (target.to_owned(), summary::count(pages.len())))
        .collect()
}

impl Found<'_> {
    fn record(
        &self,
        previous: &PreviousBrokenLinks,
        context: &FindingContext,
        source_pages: u32,
        suggestions: &Suggestions<'_>,
    ) -> BrokenLink {
        let judged = &self.judged;
        let past = previous.of(&judged.target);
        let confirmation = judged.confirmation(past, context.measured_at);
        let fetched = judged.fetched;
        let link = self.first;
        BrokenLink {
            envelope: self.envelope(context, confirmation),
            source_url: self.page.url.clone(),
            source_title: self.page.title.clone(),
            target_url: judged.target.clone(),
            final_url: fetched
                .filter(|it| it.hops() > 0)
                .map(|it| it.final_url.clone()),
            anchor_text: link.text.clone(),
            element: link.element.clone(),
            attribute: link.attribute.clone(),
            rel: link.rel.clone(),
            position: link.position.clone(),
            is_internal: judged.is_internal,
            placement: link.placement,
            verdict: judged.verdict,
            outcome: judged.verdict.outcome(),
            confirmation,
            status_code: fetched.and_then(|it| it.status),
            redirect_chain: fetched
                .filter(|it| it.hops() > 0)
                .map(|it| it.chain.clone())
                .unwrap_or_default(),
            hops: fetched.map_or(0, |it| summary::count(it.hops())),
            error_detail: judged.detail.clone(),
            attempts: fetched.map_or(0, |it| it.attempts),
            first_seen_at: past
                .and_then(|it| it.bad_since)
                .unwrap_or(context.measured_at),
            last_ok_at: past.and_then(|it| it.last_ok_at),
            occurrences: self.occurrences,
            source_pages,
            suggested_target: suggestions.for_link(judged, link),
            severity: record::severity(judged, link, confirmation),
        }
    }

    fn envelope(&self, context: &FindingContext, confirmation: Confirmation) -> Envelope {
        let mut warnings = Vec::new();
        let unknown = self.judged.verdict.outcome() == Outcome::Unknown;
        if unknown {
            warnings.push("targetUnknown".to_owned());
        }
        if confirmation == Confirmation::Suspect {
            warnings.push("suspect".to_owned());
        }
        let url = shortened(&self.page.url, 4_096);
        Envelope {
            status: if unknown {
                RecordStatus::Partial
            } else {
                RecordStatus::Ok
            },
            sample_size: if confirmation == Confirmation::ConfirmedByEarlierRun {
                2
            } else {
                1
            },
            warnings,
            ..Envelope::measured(ResultType::BrokenLinks, METHOD, Some(url), context)
        }
    }
}

#[cfg(test)]
mod tests;
