//! Collects findings, and the suggestions about many pages that follow from them.

use super::collected::{CannibalizedPages, Gaps, PageState, VitalsByPage};
use super::draft::{Clicks, Draft};
use super::evidence::{Evidence, EvidenceSource, RecordRef};
use super::inputs::AiAnswers;
use super::rule;
use super::searches::Searches;
use crate::{
    findings::envelope::Envelope, page_kind::PageKind, provenance::RecordStatus,
    result_type::ResultType, url_rules::page_key,
};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Takes the newest findings, in any order. Memory grows with keywords, pages with search traffic and pages with Web
/// Vitals; other pages with faults take some hundred bytes.
#[derive(Debug)]
pub struct Findings<'a> {
    pub(super) searches: Searches<'a>,
    /// Suggestions about many pages, by id and case.
    drafts: BTreeMap<(String, &'static str), Draft>,
    /// Number of indexable pages.
    pub(super) indexable: u64,
    /// Kinds of indexable pages.
    pub(super) own_kinds: BTreeSet<PageKind>,
    /// Pages with search traffic, by page key.
    pub(super) pages: BTreeMap<String, PageState>,
    /// Last known text change of these pages.
    pub(super) text_changes: BTreeMap<String, DateTime<Utc>>,
    pub(super) cannibalized: CannibalizedPages,
    pub(super) gaps: Gaps,
    pub(super) speed: VitalsByPage,
    pub(super) answers: Vec<AiAnswers>,
}

impl<'a> Findings<'a> {
    pub(super) fn of(searches: Searches<'a>) -> Self {
        Self {
            searches,
            drafts: BTreeMap::new(),
            indexable: 0,
            own_kinds: BTreeSet::new(),
            pages: BTreeMap::new(),
            text_changes: BTreeMap::new(),
            cannibalized: BTreeMap::new(),
            gaps: BTreeMap::new(),
            speed: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    /// All records of a type were recomputed at that time, so missing ones are gone. Needed for `broken-links`: its
    /// records exist only while the link is broken. Must not be called for a truncated run.
    pub fn complete(&mut self, result_type: ResultType, at: DateTime<Utc>) {
        self.searches.tracker.mark_complete(result_type, at);
    }

    /// Registers a measured record and returns its page; `None` if it failed.
    pub(super) fn record_seen(
        &mut self,
        envelope: &Envelope,
        with: &[(&str, &str)],
    ) -> Option<String> {
        if matches!(
            envelope.status,
            RecordStatus::Error | RecordStatus::InsufficientData
        ) {
            return None;
        }
        let found = with
            .iter()
            .fold(RecordRef::of(envelope), |found, (name, value)| {
                found.with(name, value)
            });
        let source = EvidenceSource::Result(envelope.result_type);
        self.searches.tracker.record_seen(source, &found);
        envelope.url.clone()
    }

    pub(super) fn add_case(&mut self, fault: Fault<'_>) -> Option<&mut Draft> {
        let rule = rule::rule(fault.rule, fault.variant)?;
        let clicks = self.clicks_of(fault.url);
        let severity = fault.severity.unwrap_or(rule.severity);
        let fresh = Draft {
            severity,
            ..Draft::new(rule, fault.scope)
        };
        let draft = self
            .drafts
            .entry((fresh.id.clone(), rule.variant))
            .or_insert(fresh);
        draft
            .cases
            .add(fault.url, clicks, fault.evidence, fault.description);
        if draft.rationale.is_empty() || fault.rationale < draft.rationale {
            draft.rationale = fault.rationale;
        }
        // The worst severity of all pages.
        draft.severity = draft.severity.min(severity);
        Some(draft)
    }

    /// Clicks per month of a page; `None` if unknown.
    pub(super) fn clicks_of(&self, url: &str) -> Option<Clicks> {
        let landing = self.searches.landings.get(&page_key(url));
        landing.and_then(super::searches::Landing::clicks)
    }

    /// Whether a page is known not to be indexable.
    pub(super) fn is_unlisted(&self, key: &str) -> bool {
        self.pages.get(key).is_some_and(|it| !it.indexable)
    }

    pub(super) fn take_drafts(&mut self) -> Vec<Draft> {
        let drafts = std::mem::take(&mut self.drafts).into_values();
        let has_search_data = self.searches.is_simulated;
        drafts
            .map(|mut draft| {
                draft.set_page_reach(self.indexable);
                let descriptions = draft.cases.descriptions();
                draft.steps.extend(descriptions);
                draft.is_simulated =
                    has_search_data && draft.basis == super::record::ReachBasis::Clicks;
                draft
            })
            .collect()
    }
}

pub(super) struct Fault<'t> {
    pub rule: &'t str,
    pub variant: &'t str,
    pub scope: &'t str,
    pub url: &'t str,
    pub evidence: Vec<Evidence>,
    pub description: Option<String>,
    pub rationale: String,
    /// Overrides the rule's severity.
    pub severity: Option<rule::Severity>,
}
