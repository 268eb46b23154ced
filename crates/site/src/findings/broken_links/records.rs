//! Second pass over the pages: the records of one page at a time, numbered in their final order.

use super::page_targets::{PageTarget, page_targets};
use super::record::{BrokenLink, Confirmation, Severity};
use super::similar_names::SimilarNames;
use super::site_index::Response;
use super::suggestion::Suggestions;
use super::summary::BrokenLinksSummary;
use super::target_index::TargetIndex;
use super::verdict::Outcome;
use super::{METHOD, record, summary};
use crate::findings::envelope::{Envelope, FindingContext};
use crate::observation::page_content::PageContent;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::text::words::shortened;

/// Bits of a record's number on its page: more than a page has links.
const NUMBER_BITS: u32 = 24;
/// Characters of a URL.
const MAX_URL_CHARACTERS: usize = 4_096;
/// Bits of a page's position by URL.
const PAGE_BITS: u32 = 28;

#[derive(Debug)]
pub struct LinkRecords<'a> {
    targets: &'a TargetIndex,
    context: &'a FindingContext,
    suggestions: Suggestions,
    names: SimilarNames<'a>,
}

impl<'a> LinkRecords<'a> {
    /// Call after all pages were added.
    pub fn new(cards: &'a TargetIndex, context: &'a FindingContext) -> Self {
        Self {
            targets: cards,
            context,
            suggestions: Suggestions::new(&cards.index),
            names: SimilarNames::new(&cards.wanted_names),
        }
    }

    /// A page's records with their ordinals: by severity, URL and position; unique, with gaps.
    pub fn page_records(&mut self, page: &PageContent) -> Vec<(usize, BrokenLink)> {
        self.names.scan_page(page, &self.targets.index);
        let Some(page_index) = self.targets.index.page_index(&page.url) else {
            return Vec::new();
        };
        let mut records: Vec<BrokenLink> = page_targets(page, &self.targets.index)
            .filter(|it| it.evaluated.verdict.is_listed())
            .map(|it| self.record(page, &it))
            .collect();
        records.sort_by(BrokenLink::order);
        let page_index = page_index.min((1 << PAGE_BITS) - 1);
        let numbered = (0..1 << NUMBER_BITS).zip(records);
        let placed = numbered.map(|(number, it)| (ordinal(it.severity, page_index, number), it));
        placed.collect()
    }

    pub fn summary(&self) -> BrokenLinksSummary {
        BrokenLinksSummary::of(self.targets, self.context.measured_at)
    }

    fn record(&mut self, page: &PageContent, found: &PageTarget<'_>) -> BrokenLink {
        let evaluated = &found.evaluated;
        let past = self.targets.previous_history(&evaluated.target);
        let checked_at = self.targets.checked_at(self.context.measured_at);
        let confirmation = evaluated.confirmation(past, checked_at);
        let response = evaluated.response;
        let link = found.first;
        BrokenLink {
            envelope: envelope(
                self.context,
                page,
                evaluated.verdict.outcome(),
                confirmation,
            ),
            source_url: page.url.clone(),
            source_title: page.title().map(|it| shortened(it, 300).to_owned()),
            target_url: shortened(&evaluated.target, MAX_URL_CHARACTERS).to_owned(),
            final_url: response
                .filter(|it| it.hops() > 0)
                .map(|it| it.final_url().to_owned()),
            anchor_text: link.text.clone(),
            element: link.element.clone(),
            attribute: link.attribute.clone(),
            rel: link.rel.clone(),
            position: link.position.clone(),
            is_internal: evaluated.is_internal,
            placement: link.placement,
            verdict: evaluated.verdict,
            outcome: evaluated.verdict.outcome(),
            confirmation,
            status_code: response.and_then(Response::status),
            redirect_chain: response.map_or_else(Vec::new, |it| it.redirects().to_vec()),
            hops: response.map_or(0, |it| summary::saturating_u32(it.hops())),
            error_detail: response.and_then(Response::detail).map(str::to_owned),
            attempts: response.map_or(0, Response::attempts),
            first_seen_at: past
                .and_then(|it| it.bad_since)
                .unwrap_or(self.context.measured_at),
            last_ok_at: past.and_then(|it| it.last_ok_at),
            occurrences: found.occurrences,
            source_pages: self.targets.summary(&evaluated.target).sources,
            suggested_target: {
                let (index, names) = (&self.targets.index, &self.names);
                self.suggestions.for_link(evaluated, link, index, names)
            },
            severity: record::severity(evaluated, link, confirmation),
        }
    }
}

const fn ordinal(severity: Severity, page_index: usize, number: usize) -> usize {
    let rank = match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Notice => 2,
    };
    (rank << (PAGE_BITS + NUMBER_BITS)) | (page_index << NUMBER_BITS) | number
}

fn envelope(
    context: &FindingContext,
    page: &PageContent,
    outcome: Outcome,
    confirmation: Confirmation,
) -> Envelope {
    let mut warnings = Vec::new();
    let unknown = outcome == Outcome::Unknown;
    if unknown {
        warnings.push("targetUnknown".to_owned());
    }
    if confirmation == Confirmation::Suspect {
        warnings.push("suspect".to_owned());
    }
    let url = shortened(&page.url, MAX_URL_CHARACTERS);
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
