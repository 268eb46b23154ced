use super::evidence::{Evidence, EvidenceSource, RecordRef};
use super::record::{State, SuggestionRecord};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default)]
pub(super) struct EvidenceTracker {
    /// Suggestions that are not fixed, and their keywords.
    pending: BTreeMap<String, BTreeSet<i64>>,
    seen: BTreeMap<(EvidenceSource, RecordRef), Option<DateTime<Utc>>>,
    complete: BTreeMap<ResultType, DateTime<Utc>>,
    /// Suggestions that this run can neither confirm nor refute.
    inconclusive: BTreeSet<String>,
}

impl EvidenceTracker {
    pub fn of(previous: &[SuggestionRecord]) -> Self {
        let mut watch = Self::default();
        for it in previous.iter().filter(|it| it.state != State::Fixed) {
            let keywords = it.keyword_ids.iter().copied().collect();
            watch.pending.insert(it.suggestion_id.clone(), keywords);
            let refs = it.evidence.iter().map(evidence_key);
            watch.seen.extend(refs.map(|it| (it, None)));
        }
        watch
    }

    pub fn is_pending(&self, id: &str) -> bool {
        self.pending.contains_key(id)
    }

    pub fn keywords_of(&self, id: &str) -> Option<&BTreeSet<i64>> {
        self.pending.get(id)
    }

    /// A record was read that may be evidence of a pending suggestion.
    pub fn record_seen(&mut self, source: EvidenceSource, found: &RecordRef) {
        let place = (source, found.without_time());
        if let Some(last) = self.seen.get_mut(&place) {
            *last = (*last).max(found.measured_at);
        }
    }

    /// A record was read that is evidence of the suggestion, but is inconclusive this time.
    pub fn mark_inconclusive(&mut self, source: EvidenceSource, found: &RecordRef, id: String) {
        if self.is_pending(&id) && self.seen.contains_key(&(source, found.without_time())) {
            self.inconclusive.insert(id);
        }
    }

    /// This run does not measure the suggestion's evidence.
    pub fn mark_unmeasured(&mut self, id: &str) {
        self.inconclusive.insert(id.to_owned());
    }

    pub fn mark_complete(&mut self, result_type: ResultType, at: DateTime<Utc>) {
        let last = self.complete.entry(result_type).or_insert(at);
        *last = (*last).max(at);
    }

    /// When all evidence of a suggestion was remeasured; `None` if some was not.
    pub fn remeasured_at(&self, suggestion: &SuggestionRecord) -> Option<DateTime<Utc>> {
        let since = |it: &Evidence| {
            let seen = self.seen.get(&evidence_key(it)).copied().flatten();
            let complete = match it.result_type {
                EvidenceSource::Result(result_type) => self.complete.get(&result_type).copied(),
                EvidenceSource::Imported(_) => None,
            };
            let newest = seen.max(complete)?;
            let before = it.record_ref.measured_at.unwrap_or(suggestion.last_seen_at);
            (newest > before).then_some(newest)
        };
        if self.inconclusive.contains(&suggestion.suggestion_id) {
            return None;
        }
        let all: Option<Vec<_>> = suggestion.evidence.iter().map(since).collect();
        all?.into_iter().max()
    }
}

fn evidence_key(evidence: &Evidence) -> (EvidenceSource, RecordRef) {
    (evidence.result_type, evidence.record_ref.without_time())
}
