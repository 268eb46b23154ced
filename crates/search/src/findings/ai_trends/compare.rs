//! Compares the last full period with the four before, over their common prompts.

use super::MIN_ANSWERS;
use super::record::{RateChange, TrendReason};
use crate::findings::ai_visibility::PromptTally;
use crate::statistics::panel_rate;
use crate::statistics::panel_rate::{Count, PanelChange};
use std::collections::BTreeMap;

pub(super) type CountFn = fn(&PromptTally) -> Count;

#[derive(Debug)]
pub(super) struct Sides<'a> {
    pub now: Vec<&'a PromptTally>,
    pub before: Vec<&'a PromptTally>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Compared {
    pub change: Result<PanelChange, TrendReason>,
    pub shared: u64,
    pub either: u64,
}

/// Compares a rate; refuses if less than half of the prompts are on both sides, or a side has fewer than five answers.
pub(super) fn compare(sides: &Sides<'_>, of: CountFn, key: &str) -> Compared {
    let (now, before) = (by_prompt(&sides.now, of), by_prompt(&sides.before, of));
    let shared: Vec<(Count, Count)> = { now.iter() }
        .filter_map(|(prompt, count)| Some((*count, *before.get(prompt)?)))
        .collect();
    let either = now.len() + before.len() - shared.len();
    let (later, earlier): (Vec<Count>, Vec<Count>) = shared.iter().copied().unzip();
    let trials = |side: &[Count]| side.iter().map(|it| it.trials).sum::<u64>();
    let change = if now.is_empty() {
        Err(TrendReason::NoAnswersInLastPeriod)
    } else if before.is_empty() {
        Err(TrendReason::NoAnswersBefore)
    } else if shared.len() * 2 < now.len().max(before.len()) {
        Err(TrendReason::FewSharedPrompts)
    } else if trials(&later).min(trials(&earlier)) < MIN_ANSWERS {
        Err(TrendReason::FewAnswers)
    } else {
        panel_rate::change(&later, &earlier, key).ok_or(TrendReason::FewAnswers)
    };
    Compared {
        change,
        shared: shared.len() as u64,
        either: either as u64,
    }
}

pub(super) fn by_prompt<'a>(tallies: &[&'a PromptTally], of: CountFn) -> BTreeMap<&'a str, Count> {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for tally in tallies {
        let count = of(tally);
        if count.trials > 0 {
            counts.entry(&tally.prompt_id).or_default().add(count);
        }
    }
    counts
}

impl RateChange {
    pub(super) fn of(found: &PanelChange) -> Self {
        Self {
            change_abs: found.change,
            change_low: found.interval.low,
            change_high: found.interval.high,
            significant: found.is_significant(),
        }
    }
}
