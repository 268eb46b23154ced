use super::SuggestionContext;
use super::evidence::EvidenceSource;
use super::evidence_tracker::EvidenceTracker;
use super::record::{State, SuggestionRecord};
use crate::result_type::ResultType;
use chrono::TimeDelta;
use std::collections::{BTreeMap, BTreeSet};

/// How long fixed suggestions are kept, to detect regressions.
const FIXED_RETENTION: TimeDelta = TimeDelta::days(365);
/// How long a fix in rankings or answers must last, so that normal fluctuation is not a regression. Same length as
/// the window of effects.
const MIN_FIX_TIME: TimeDelta = TimeDelta::days(28);
/// Kept fixed suggestions, the latest ones.
const MAX_FIXED: usize = 500;

/// Merges the current suggestions with the previous ones, and sets states and dates.
///
/// | before | found now | not found, remeasured | not found, not remeasured |
/// | --- | --- | --- | --- |
/// | – | open | – | – |
/// | open, regressed | unchanged | fixed | unchanged |
/// | fixed | regressed; open if its evidence fluctuates and it was fixed for less than 28 days | fixed | fixed |
/// | ignored | ignored | fixed | ignored |
///
/// Ignored suggestions stay ignored until fixed, and are open once no longer ignored. Superseded suggestions keep
/// their first date.
pub(super) fn update_states(
    found: Vec<SuggestionRecord>,
    left_out: Vec<String>,
    watch: &EvidenceTracker,
    context: &SuggestionContext<'_>,
) -> Vec<SuggestionRecord> {
    let known: BTreeMap<&str, &SuggestionRecord> = { context.previous.iter() }
        .map(|it| (it.suggestion_id.as_str(), it))
        .collect();
    let superseded: BTreeMap<&str, chrono::DateTime<chrono::Utc>> = { context.previous.iter() }
        .flat_map(|it| &it.supersedes)
        .map(|it| (it.suggestion_id.as_str(), it.first_seen_at))
        .collect();
    let first = |id: &str| {
        let known = known.get(id).map(|it| it.first_seen_at);
        known
            .or_else(|| superseded.get(id).copied())
            .unwrap_or(context.at)
    };
    let mut present: BTreeSet<String> = left_out.into_iter().collect();
    let mut records = Vec::new();
    for mut it in found {
        present.insert(it.suggestion_id.clone());
        let before = known.get(it.suggestion_id.as_str()).copied();
        it.first_seen_at = first(&it.suggestion_id);
        it.last_seen_at = context.at;
        it.state = if context.ignored.contains(&it.suggestion_id) {
            State::Ignored
        } else {
            state_when_found(before, context)
        };
        for other in &mut it.supersedes {
            other.first_seen_at = first(&other.suggestion_id);
        }
        records.push(it);
    }
    let mut fixed = Vec::new();
    for before in known.values() {
        if present.contains(&before.suggestion_id) {
            continue;
        }
        let now = not_found(before, watch, context);
        if now.state == State::Fixed {
            fixed.push(now);
        } else {
            records.push(now);
        }
    }
    fixed.retain(|it| {
        it.fixed_at
            .is_none_or(|at| context.at - at <= FIXED_RETENTION)
    });
    fixed.sort_by(|a, b| {
        let order = b.fixed_at.cmp(&a.fixed_at);
        order.then_with(|| a.suggestion_id.cmp(&b.suggestion_id))
    });
    fixed.truncate(MAX_FIXED);
    records.extend(fixed);
    records
}

fn state_when_found(before: Option<&SuggestionRecord>, context: &SuggestionContext<'_>) -> State {
    let Some(before) = before else {
        return State::Open;
    };
    let lasted = || {
        before
            .fixed_at
            .is_none_or(|it| context.at - it >= MIN_FIX_TIME)
    };
    match before.state {
        State::Fixed if fluctuates(before) && !lasted() => State::Open,
        State::Fixed | State::Regressed => State::Regressed,
        State::Open | State::Ignored => State::Open,
    }
}

/// Whether the evidence fluctuates from day to day: positions, competitors and answers do, pages do not.
fn fluctuates(record: &SuggestionRecord) -> bool {
    record.evidence.iter().any(|it| {
        let EvidenceSource::Result(found) = it.result_type else {
            return true;
        };
        matches!(
            found,
            ResultType::Rankings
                | ResultType::Competitors
                | ResultType::Cannibalization
                | ResultType::AiVisibility
        )
    })
}

fn not_found(
    before: &SuggestionRecord,
    watch: &EvidenceTracker,
    context: &SuggestionContext<'_>,
) -> SuggestionRecord {
    let mut now = before.clone();
    if now.state == State::Fixed {
        return now;
    }
    if let Some(at) = watch.remeasured_at(before) {
        now.state = State::Fixed;
        now.fixed_at = Some(at);
        now.supersedes.clear();
        return now;
    }
    let is_ignored = context.ignored.contains(&now.suggestion_id);
    now.state = match (is_ignored, now.state) {
        (true, _) => State::Ignored,
        (false, State::Ignored) => State::Open,
        (false, state) => state,
    };
    now
}
