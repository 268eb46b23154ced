//! What was found on the site and beside competitors, and the suggestions about many pages that come of it.

use super::draft::{Clicks, Draft};
use super::evidence::{Evidence, EvidenceSource, RecordRef};
use super::inputs::AiAnswers;
use super::kept::{Contests, Gaps, PageState, Speeds};
use super::rule;
use super::searches::Searches;
use crate::{
    findings::envelope::Envelope, page_kind::PageKind, provenance::RecordStatus,
    result_type::ResultType, url_rules::page_key,
};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Takes in findings, newest records alone, in any order. Memory grows with keywords, pages that people find and pages
/// whose speed was measured; of others, faulty pages take some hundred bytes.
#[derive(Debug)]
pub struct Findings<'a> {
    pub(super) searches: Searches<'a>,
    /// Suggestions about many pages, by id and case.
    drafts: BTreeMap<(String, &'static str), Draft>,
    /// Pages that search engines may list.
    pub(super) indexable: u64,
    /// Kinds of these.
    pub(super) own_kinds: BTreeSet<PageKind>,
    /// Pages that people find, by page key.
    pub(super) pages: BTreeMap<String, PageState>,
    /// When the text of these changed last, as far as it was seen.
    pub(super) text_changes: BTreeMap<String, DateTime<Utc>>,
    pub(super) contests: Contests,
    pub(super) gaps: Gaps,
    pub(super) speed: Speeds,
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
            contests: BTreeMap::new(),
            gaps: BTreeMap::new(),
            speed: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    /// All records of a type were made anew at that time: what is not among them is gone. Call it for `broken-links`
    /// above all, whose records end with their faults, and never for a run that a limit cut short.
    pub fn complete(&mut self, result_type: ResultType, at: DateTime<Utc>) {
        self.searches.watch.completed(result_type, at);
    }

    /// Notes that a record was measured, and names its page; `None` of one that failed.
    pub(super) fn saw(&mut self, envelope: &Envelope, with: &[(&str, &str)]) -> Option<String> {
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
        self.searches.watch.saw(source, &found);
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
            .add(fault.url, clicks, fault.evidence, fault.told);
        if draft.rationale.is_empty() || fault.rationale < draft.rationale {
            draft.rationale = fault.rationale;
        }
        // The worst of all pages.
        draft.severity = draft.severity.min(severity);
        Some(draft)
    }

    /// Clicks per month of a page; `None` where nobody told.
    pub(super) fn clicks_of(&self, url: &str) -> Option<Clicks> {
        let landing = self.searches.landings.get(&page_key(url));
        landing.and_then(super::searches::Landing::clicks)
    }

    /// Whether search engines are kept from a page, as far as the audit tells.
    pub(super) fn is_unlisted(&self, key: &str) -> bool {
        self.pages.get(key).is_some_and(|it| !it.indexable)
    }

    pub(super) fn take_drafts(&mut self) -> Vec<Draft> {
        let drafts = std::mem::take(&mut self.drafts).into_values();
        let has_search_data = self.searches.is_simulated;
        drafts
            .map(|mut draft| {
                draft.reach_pages(self.indexable);
                let told = draft.cases.told();
                draft.steps.extend(told);
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
    pub told: Option<String>,
    pub rationale: String,
    /// How bad it is here; the rule's own where nothing is said.
    pub severity: Option<rule::Severity>,
}
