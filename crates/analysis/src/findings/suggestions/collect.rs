//! Second step: takes in what was found on the site and beside competitors.

use super::{
    draft::{Clicks, Draft},
    evidence::{Evidence, EvidenceSource, RecordRef},
    generate::{access, ai, cannibals, gaps, issues, links, markup, speed, traffic},
    inputs::AiAnswers,
    rule,
    searches::Searches,
};
use crate::{
    findings::{
        broken_links::BrokenLink,
        cannibalization::CannibalizationRecord,
        competitors::CompetitorRecord,
        content::ContentRecord,
        content_changes::{ChangeRecord, ChangedField},
        eeat::EeatRecord,
        envelope::Envelope,
        geo_score::GeoRecord,
        schema::SchemaRecord,
        vitals::VitalsRecord,
    },
    page_kind::PageKind,
    provenance::RecordStatus,
    result_type::ResultType,
    url_rules::page_key,
};
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeMap, BTreeSet};

/// Takes in findings, newest records alone and in any order. Memory grows with keywords, with pages
/// that people find and with pages whose speed was measured; of all other pages some hundred bytes
/// are kept where something is wrong with them, and a count.
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
    pub(super) contests: cannibals::Contests,
    pub(super) gaps: gaps::Gaps,
    pub(super) speed: speed::Speeds,
    pub(super) answers: Vec<AiAnswers>,
}

#[derive(Debug, Clone)]
pub(super) struct PageState {
    pub record: RecordRef,
    pub indexable: bool,
    /// The later of the days on which it was published and changed, and where the record says it.
    pub dated: Option<(NaiveDate, &'static str)>,
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

    /// All records of a type were made anew at that time, so that what is not among them is gone: the
    /// audit read the whole site, the links of all pages were checked. To be called for
    /// `broken-links` above all, whose records end with their faults, and never for a run that a
    /// limit cut short.
    pub fn complete(&mut self, result_type: ResultType, at: DateTime<Utc>) {
        self.searches.watch.completed(result_type, at);
    }

    pub fn add_content(&mut self, record: &ContentRecord) {
        let Some(url) = self.saw(&record.envelope, &[]) else {
            return;
        };
        if record.indexable {
            self.indexable += 1;
            self.own_kinds.insert(record.page_type);
        }
        let key = page_key(&url);
        if self.searches.landings.contains_key(&key) {
            let state = PageState::of(record);
            self.pages.insert(key, state);
        }
        issues::add(self, record, &url);
        traffic::add(self, record, &url);
    }

    pub fn add_broken_link(&mut self, record: &BrokenLink) {
        if self
            .saw(&record.envelope, &[("targetUrl", &record.target_url)])
            .is_some()
        {
            links::add(self, record);
        }
    }

    pub fn add_schema(&mut self, record: &SchemaRecord) {
        if let Some(url) = self.saw(&record.envelope, &[]) {
            markup::add(self, record, &url);
        }
    }

    pub fn add_vitals(&mut self, record: &VitalsRecord) {
        let names = speed::names(record);
        let with = [("formFactor", names.0), ("source", names.1)];
        if let Some(url) = self.saw(&record.envelope, &with) {
            speed::add(self, record, &url);
        }
    }

    pub fn add_geo_score(&mut self, record: &GeoRecord) {
        if let Some(url) = self.saw(&record.envelope, &[]) {
            access::add_geo(self, record, &url);
        }
    }

    pub fn add_eeat(&mut self, record: &EeatRecord) {
        let with = [("scope", access::scope_name(record.scope))];
        if let Some(url) = self.saw(&record.envelope, &with) {
            access::add_eeat(self, record, &url);
        }
    }

    pub fn add_content_change(&mut self, record: &ChangeRecord) {
        let Some(url) = self.saw(&record.envelope, &[]) else {
            return;
        };
        let has_text = |it: ChangedField| matches!(it, ChangedField::MainText);
        let key = page_key(&url);
        if record.fields.iter().any(|it| has_text(it.name))
            && self.searches.landings.contains_key(&key)
        {
            let last = self.text_changes.entry(key).or_insert(record.to_at);
            *last = (*last).max(record.to_at);
        }
    }

    pub fn add_cannibalization(&mut self, record: &CannibalizationRecord) {
        cannibals::add(self, record);
    }

    pub fn add_competitor(&mut self, record: &CompetitorRecord) {
        gaps::add(self, record);
    }

    pub fn add_ai_answers(&mut self, answers: &AiAnswers) {
        ai::add(self, answers);
    }

    /// Notes that a record was measured, and names its page; `None` of one that failed.
    fn saw(&mut self, envelope: &Envelope, with: &[(&str, &str)]) -> Option<String> {
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

    /// The suggestions about many pages, with their reach and steps.
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
    /// The case in a sentence.
    pub told: Option<String>,
    pub rationale: String,
    /// How bad it is here; the rule's own where nothing is said.
    pub severity: Option<rule::Severity>,
}

impl PageState {
    fn of(record: &ContentRecord) -> Self {
        let days = [
            (record.freshness.published, "/freshness/published"),
            (record.freshness.modified, "/freshness/modified"),
        ];
        let dated = days.into_iter().filter_map(|(day, at)| Some((day?, at)));
        Self {
            record: RecordRef::of(&record.envelope),
            indexable: record.indexable,
            dated: dated.max_by_key(|it| it.0),
        }
    }
}
