//! Second pass over the pages: the records of one page at a time, numbered in their final order.

use super::cards::LinkCards;
use super::missing_names::FoundNames;
use super::on_page::{OnPage, on_page};
use super::record::{BrokenLink, Confirmation, Severity};
use super::site_index::Answer;
use super::suggestion::Suggestions;
use super::summary::BrokenLinksSummary;
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
const MOST_ADDRESS: usize = 4_096;
/// Bits of a page's position by URL.
const PLACE_BITS: u32 = 28;

#[derive(Debug)]
pub struct LinkRecords<'a> {
    cards: &'a LinkCards,
    context: &'a FindingContext,
    suggestions: Suggestions,
    names: FoundNames<'a>,
}

impl<'a> LinkRecords<'a> {
    /// Call after all pages were added.
    pub fn new(cards: &'a LinkCards, context: &'a FindingContext) -> Self {
        Self {
            cards,
            context,
            suggestions: Suggestions::from(&cards.index),
            names: FoundNames::new(&cards.missing),
        }
    }

    /// A page's records with their ordinals: by severity, URL and position; unique, with gaps.
    pub fn of(&mut self, page: &PageContent) -> Vec<(usize, BrokenLink)> {
        self.names.look_for(page, &self.cards.index);
        let Some(place) = self.cards.index.place_of_page(&page.url) else {
            return Vec::new();
        };
        let mut records: Vec<BrokenLink> = on_page(page, &self.cards.index)
            .filter(|it| it.judged.verdict.is_listed())
            .map(|it| self.record(page, &it))
            .collect();
        records.sort_by(BrokenLink::order);
        let place = place.min((1 << PLACE_BITS) - 1);
        let numbered = (0..1 << NUMBER_BITS).zip(records);
        let placed = numbered.map(|(number, it)| (ordinal(it.severity, place, number), it));
        placed.collect()
    }

    pub fn summary(&self) -> BrokenLinksSummary {
        BrokenLinksSummary::of(self.cards, self.context.measured_at)
    }

    fn record(&mut self, page: &PageContent, found: &OnPage<'_>) -> BrokenLink {
        let judged = &found.judged;
        let past = self.cards.past_of(&judged.target);
        let checked_at = self.cards.checked_at(self.context.measured_at);
        let confirmation = judged.confirmation(past, checked_at);
        let answer = judged.answer;
        let link = found.first;
        BrokenLink {
            envelope: envelope(self.context, page, judged.verdict.outcome(), confirmation),
            source_url: page.url.clone(),
            source_title: page.title().map(|it| shortened(it, 300).to_owned()),
            target_url: shortened(&judged.target, MOST_ADDRESS).to_owned(),
            final_url: answer
                .filter(|it| it.hops() > 0)
                .map(|it| it.landed().to_owned()),
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
            status_code: answer.and_then(Answer::status),
            redirect_chain: answer.map_or_else(Vec::new, |it| it.redirects().to_vec()),
            hops: answer.map_or(0, |it| summary::count(it.hops())),
            error_detail: answer.and_then(Answer::detail).map(str::to_owned),
            attempts: answer.map_or(0, Answer::attempts),
            first_seen_at: past
                .and_then(|it| it.bad_since)
                .unwrap_or(self.context.measured_at),
            last_ok_at: past.and_then(|it| it.last_ok_at),
            occurrences: found.occurrences,
            source_pages: self.cards.card(&judged.target).sources,
            suggested_target: {
                let (index, names) = (&self.cards.index, &self.names);
                self.suggestions.for_link(judged, link, index, names)
            },
            severity: record::severity(judged, link, confirmation),
        }
    }
}

const fn ordinal(severity: Severity, place: usize, number: usize) -> usize {
    let rank = match severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Notice => 2,
    };
    (rank << (PLACE_BITS + NUMBER_BITS)) | (place << NUMBER_BITS) | number
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
    let url = shortened(&page.url, MOST_ADDRESS);
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
