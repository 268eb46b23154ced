//! From drafts to records: with priorities, ordered, without contradictions.

use super::collect::Findings;
use super::draft::{Draft, MAX_NAMED};
use super::record::{ReachBasis, State, SuggestionRecord, Superseded};
use super::{METHOD_VERSION, generate, life_cycle, score};
use crate::findings::envelope::{Envelope, FindingContext};
use crate::keyword_text::normalized;
use crate::provenance::Provenance;
use crate::result_type::ResultType;
use crate::url_rules::page_key;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Variants that remove pages, which contradict improving them.
const REMOVING_VARIANTS: [&str; 3] = ["redirect301", "canonical", "merge"];

impl Findings<'_> {
    /// The project's suggestions, independent of the order of input; sorted by state, then priority.
    pub fn suggestions(mut self) -> Vec<SuggestionRecord> {
        let (drafts, absorbed) = distinct(generate::drafts(&mut self));
        let (kept, mut superseded) = without_contradictions(drafts);
        superseded.extend(absorbed);
        let context = self.searches.context;
        let found = kept
            .into_iter()
            .map(|(draft, others)| record(&draft, others, &context))
            .collect();
        let mut records =
            life_cycle::update_states(found, superseded, &self.searches.tracker, &context);
        set_priorities(&mut records, context.other_values);
        records
    }
}

/// Unique ids: of two variants the one of higher value stays. And one draft per rule and page (or keyword without
/// a page): the one with the smallest keyword absorbs the others. Their ids are returned second.
fn distinct(drafts: Vec<Draft>) -> (Vec<Draft>, Vec<String>) {
    let mut by_id: BTreeMap<String, Draft> = BTreeMap::new();
    for draft in drafts {
        match by_id.entry(draft.id.clone()) {
            Entry::Vacant(place) => {
                place.insert(draft);
            }
            Entry::Occupied(mut place) => {
                if by_value(&draft, place.get()) == Ordering::Less {
                    place.insert(draft);
                }
            }
        }
    }
    let mut drafts: Vec<Draft> = by_id.into_values().collect();
    drafts.sort_by(|one, other| {
        let smallest = |it: &Draft| it.keyword_ids.first().copied();
        (smallest(one), &one.id).cmp(&(smallest(other), &other.id))
    });
    let mut by_subject: BTreeMap<(&str, String), Draft> = BTreeMap::new();
    let mut absorbed = Vec::new();
    for draft in drafts {
        match by_subject.entry((draft.rule.id, subject(&draft))) {
            Entry::Vacant(place) => {
                place.insert(draft);
            }
            Entry::Occupied(mut place) => {
                absorbed.push(draft.id.clone());
                place.get_mut().merge(draft);
            }
        }
    }
    (by_subject.into_values().collect(), absorbed)
}

/// What a draft is about: its page, else its keyword, else its own id.
fn subject(draft: &Draft) -> String {
    match (&draft.url, &draft.keyword) {
        (Some(url), _) => format!("page {}", page_key(url)),
        (None, Some(keyword)) if draft.cases.count() == 0 => {
            format!("keyword {}", normalized(keyword))
        }
        _ => format!("id {}", draft.id),
    }
}

/// A total order, highest value first.
fn by_value(one: &Draft, other: &Draft) -> Ordering {
    other
        .value()
        .total_cmp(&one.value())
        .then_with(|| one.severity.cmp(&other.severity))
        .then_with(|| (one.rule.id, one.rule.variant).cmp(&(other.rule.id, other.rule.variant)))
        .then_with(|| one.id.cmp(&other.id))
}

/// If one suggestion removes a page that another improves, the one of lower value is superseded.
fn without_contradictions(mut drafts: Vec<Draft>) -> (Vec<(Draft, Vec<Superseded>)>, Vec<String>) {
    drafts.sort_by(by_value);
    let mut kept: Vec<(Draft, Vec<Superseded>)> = Vec::new();
    let mut left_out = Vec::new();
    for draft in drafts {
        let conflict = kept.iter_mut().find(|(it, _)| contradict(it, &draft));
        match conflict {
            Some((_, others)) => {
                left_out.push(draft.id.clone());
                others.push(Superseded {
                    title: draft.title(),
                    suggestion_id: draft.id,
                    rule_id: draft.rule.id.to_owned(),
                    first_seen_at: chrono::DateTime::UNIX_EPOCH,
                });
            }
            None => kept.push((draft, Vec::new())),
        }
    }
    (kept, left_out)
}

fn contradict(one: &Draft, other: &Draft) -> bool {
    let takes = |it: &Draft| REMOVING_VARIANTS.contains(&it.rule.variant);
    (takes(one) || takes(other)) && !one.claims.is_disjoint(&other.claims)
}

fn record(
    draft: &Draft,
    supersedes: Vec<Superseded>,
    context: &super::SuggestionContext<'_>,
) -> SuggestionRecord {
    let provenance = match draft.basis {
        _ if draft.is_simulated => Provenance::Simulated,
        ReachBasis::ShareOfPages | ReachBasis::ShareOfKeywords => Provenance::Measured,
        ReachBasis::Clicks | ReachBasis::PotentialClicks => Provenance::Estimated,
    };
    let finding = FindingContext {
        project_id: context.project_id,
        measured_at: context.at,
    };
    let mut evidence = draft.cases.evidence();
    evidence.extend(draft.loose_evidence.iter().cloned());
    evidence.truncate(MAX_NAMED);
    let sample = usize::try_from(draft.cases.count()).unwrap_or(usize::MAX);
    let sample = sample.max(draft.keyword_ids.len()).max(1);
    SuggestionRecord {
        envelope: Envelope {
            keyword_id: draft.keyword_id,
            provenance,
            sample_size: u32::try_from(sample).unwrap_or(u32::MAX),
            ..Envelope::measured(
                ResultType::Suggestions,
                METHOD_VERSION,
                draft.page(),
                &finding,
            )
        },
        suggestion_id: draft.id.clone(),
        rule_id: draft.rule.id.to_owned(),
        variant: Some(draft.rule.variant)
            .filter(|it| !it.is_empty())
            .map(str::to_owned),
        category: draft.rule.category,
        severity: draft.severity,
        title: draft.title(),
        keyword: draft.keyword.clone(),
        rationale: draft.rationale.clone(),
        evidence,
        affected_urls: draft.cases.urls().map(str::to_owned).collect(),
        affected_count: draft.cases.count(),
        keyword_ids: draft.keyword_ids.iter().copied().take(MAX_NAMED).collect(),
        reach: draft.reach,
        reach_basis: draft.basis,
        impact: draft.rule.impact,
        confidence: draft.rule.confidence,
        effort: draft.effort(),
        priority_score: 0.0,
        expected_gain: draft.gain.clone(),
        steps: draft.steps.clone(),
        docs: draft.rule.docs.iter().map(|it| (*it).to_owned()).collect(),
        supersedes,
        first_seen_at: context.at,
        last_seen_at: context.at,
        state: State::Open,
        fixed_at: None,
        effect: None,
    }
}

/// Sets priorities and the order: open, ignored, fixed; then by priority, severity, rule, page, id.
fn set_priorities(records: &mut [SuggestionRecord], other_values: &[f64]) {
    let open = records.iter().filter(|it| it.is_open());
    let mut values: Vec<f64> = open.map(SuggestionRecord::value).collect();
    values.extend(other_values.iter().filter(|it| it.is_finite()));
    let scale = score::scale(&values);
    for it in records.iter_mut() {
        it.priority_score = score::priority(it.value(), scale);
    }
    records.sort_by(order);
}

pub(super) fn order(one: &SuggestionRecord, other: &SuggestionRecord) -> Ordering {
    let group = |it: &SuggestionRecord| match it.state {
        State::Open | State::Regressed => 0,
        State::Ignored => 1,
        State::Fixed => 2,
    };
    let page = |it: &SuggestionRecord| it.envelope.url.as_deref().map(page_key);
    group(one)
        .cmp(&group(other))
        .then_with(|| other.priority_score.total_cmp(&one.priority_score))
        // Scores far above the median are all exactly 100.
        .then_with(|| other.value().total_cmp(&one.value()))
        .then_with(|| one.severity.cmp(&other.severity))
        .then_with(|| one.rule_id.cmp(&other.rule_id))
        .then_with(|| page(one).cmp(&page(other)))
        .then_with(|| one.suggestion_id.cmp(&other.suggestion_id))
}
