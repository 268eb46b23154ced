use super::FALSE_DISCOVERY_RATE;
use super::compare::{Sides, compare};
use super::record::{CitedDomainChange, KeywordMove, RateChange};
use crate::findings::ai_visibility::PromptTally;
use crate::statistics::benjamini_hochberg;
use crate::statistics::newcombe::newcombe;
use std::collections::{BTreeMap, BTreeSet};

const MAX_LISTED_KEYWORDS: usize = 10;
const MAX_LISTED_DOMAINS: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Movers {
    pub gainers: Vec<KeywordMove>,
    pub losers: Vec<KeywordMove>,
    pub compared: u64,
    pub moved: u64,
}

/// Keywords with a changed mention rate, at a false discovery rate of [`super::FALSE_DISCOVERY_RATE`].
pub(super) fn keywords(sides: &Sides<'_>, key: &str) -> Movers {
    let mut parts: BTreeMap<i64, Sides<'_>> = BTreeMap::new();
    for (is_now, side) in [(true, &sides.now), (false, &sides.before)] {
        for tally in side {
            let Some(keyword_id) = tally.keyword_id else {
                continue;
            };
            let part = parts.entry(keyword_id).or_insert_with(|| Sides {
                now: Vec::new(),
                before: Vec::new(),
            });
            if is_now {
                part.now.push(tally);
            } else {
                part.before.push(tally);
            }
        }
    }
    let changes: Vec<_> = { parts.iter() }
        .filter_map(|(keyword_id, part)| {
            let key = format!("{key}/{keyword_id}");
            let found = compare(part, PromptTally::mention_count, &key)
                .change
                .ok()?;
            Some((*keyword_id, found))
        })
        .collect();
    let p_values: Vec<f64> = changes.iter().map(|it| it.1.p).collect();
    let q_values = benjamini_hochberg::adjusted(&p_values);
    let mut moved: Vec<KeywordMove> = { changes.iter().zip(q_values) }
        .filter(|(_, q)| *q <= FALSE_DISCOVERY_RATE)
        .map(|((keyword_id, found), q_value)| KeywordMove {
            keyword_id: *keyword_id,
            change: RateChange::of(found),
            p_value: found.p,
            q_value,
        })
        .collect();
    moved.sort_by(|a, b| {
        (b.change
            .change_abs
            .abs()
            .total_cmp(&a.change.change_abs.abs()))
        .then(a.keyword_id.cmp(&b.keyword_id))
    });
    let side = |is_up: bool| -> Vec<KeywordMove> {
        let of_side = moved
            .iter()
            .filter(|it| (it.change.change_abs > 0.0) == is_up);
        of_side.take(MAX_LISTED_KEYWORDS).cloned().collect()
    };
    Movers {
        gainers: side(true),
        losers: side(false),
        compared: changes.len() as u64,
        moved: moved.len() as u64,
    }
}

/// Domains that are never cited on one side, where Newcombe's interval of the change excludes 0.
#[expect(clippy::cast_precision_loss, reason = "counts of answers")]
pub(super) fn domains(sides: &Sides<'_>) -> (Vec<CitedDomainChange>, Vec<CitedDomainChange>) {
    let (now, now_of) = cited(&sides.now);
    let (before, before_of) = cited(&sides.before);
    let (mut came, mut went) = (Vec::new(), Vec::new());
    let all: BTreeSet<&str> = now.keys().chain(before.keys()).copied().collect();
    for domain in all {
        let count = |side: &BTreeMap<&str, u64>| side.get(domain).copied().unwrap_or(0);
        let (later, earlier) = (count(&now), count(&before));
        let change = newcombe((later, now_of), (earlier, before_of));
        if !change.is_some_and(|it| it.excludes(0.0)) {
            continue;
        }
        let row = CitedDomainChange {
            domain: domain.to_owned(),
            rate: later as f64 / now_of as f64,
            rate_before: earlier as f64 / before_of as f64,
        };
        if earlier == 0 {
            came.push(row);
        } else if later == 0 {
            went.push(row);
        }
    }
    came.sort_by(|a, b| {
        b.rate
            .total_cmp(&a.rate)
            .then_with(|| a.domain.cmp(&b.domain))
    });
    went.sort_by(|a, b| {
        (b.rate_before.total_cmp(&a.rate_before)).then_with(|| a.domain.cmp(&b.domain))
    });
    came.truncate(MAX_LISTED_DOMAINS);
    went.truncate(MAX_LISTED_DOMAINS);
    (came, went)
}

/// Answers by cited domain, and answers with sources.
fn cited<'a>(side: &[&'a PromptTally]) -> (BTreeMap<&'a str, u64>, u64) {
    let mut domains: BTreeMap<&str, u64> = BTreeMap::new();
    for (domain, count) in side.iter().flat_map(|it| &it.cited_domains) {
        *domains.entry(domain).or_default() += count;
    }
    (domains, side.iter().map(|it| it.sourced).sum())
}
