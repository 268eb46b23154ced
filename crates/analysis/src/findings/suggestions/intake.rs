//! Second step: passes each finding to its generators.

use super::collect::Findings;
use super::collected::PageState;
use super::generate::{access, ai, cannibalization, gaps, issues, links, markup, speed, traffic};
use super::inputs::AiAnswers;
use crate::findings::broken_links::BrokenLink;
use crate::findings::cannibalization::CannibalizationRecord;
use crate::findings::competitors::CompetitorRecord;
use crate::findings::content::ContentRecord;
use crate::findings::content_changes::{ChangeRecord, ChangedField};
use crate::findings::eeat::EeatRecord;
use crate::findings::geo_score::GeoRecord;
use crate::findings::schema::SchemaRecord;
use crate::findings::vitals::VitalsRecord;
use crate::url_rules::page_key;

impl Findings<'_> {
    pub fn add_content(&mut self, record: &ContentRecord) {
        let Some(url) = self.record_seen(&record.envelope, &[]) else {
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
            .record_seen(&record.envelope, &[("targetUrl", &record.target_url)])
            .is_some()
        {
            links::add(self, record);
        }
    }

    pub fn add_schema(&mut self, record: &SchemaRecord) {
        if let Some(url) = self.record_seen(&record.envelope, &[]) {
            markup::add(self, record, &url);
        }
    }

    pub fn add_vitals(&mut self, record: &VitalsRecord) {
        let names = speed::record_fields(record);
        let with = [("formFactor", names.0), ("source", names.1)];
        if let Some(url) = self.record_seen(&record.envelope, &with) {
            speed::add(self, record, &url);
        }
    }

    pub fn add_geo_score(&mut self, record: &GeoRecord) {
        if let Some(url) = self.record_seen(&record.envelope, &[]) {
            access::add_geo(self, record, &url);
        }
    }

    pub fn add_eeat(&mut self, record: &EeatRecord) {
        let with = [("scope", access::scope_name(record.scope))];
        if let Some(url) = self.record_seen(&record.envelope, &with) {
            access::add_eeat(self, record, &url);
        }
    }

    pub fn add_content_change(&mut self, record: &ChangeRecord) {
        let Some(url) = self.record_seen(&record.envelope, &[]) else {
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
        cannibalization::add(self, record);
    }

    pub fn add_competitor(&mut self, record: &CompetitorRecord) {
        gaps::add(self, record);
    }

    pub fn add_ai_answers(&mut self, answers: &AiAnswers) {
        ai::add(self, answers);
    }
}
