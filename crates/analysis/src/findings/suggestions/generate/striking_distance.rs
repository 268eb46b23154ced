use super::clicks;
use crate::ctr::ClickCurve;
use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::draft::{Clicks, Draft, id};
use crate::findings::suggestions::evidence::Evidence;
use crate::findings::suggestions::record::{ExpectedGain, GainMetric, GainRange};
use crate::findings::suggestions::rule;
use crate::findings::suggestions::searches::Keyword;
use crate::keyword_metrics::STRIKING_DISTANCE;
use crate::result_type::ResultType;
use crate::statistics::describe::quantile;
use crate::url_rules::page_key;
use std::collections::BTreeMap;

const RULE: &str = "strikingDistance";
/// Quantile of the gain of keywords in striking distance; only keywords above it are suggested.
const WORTH_QUANTILE: f64 = 0.75;

#[derive(Debug, Clone, Copy, Default)]
struct Gain {
    low: f64,
    mid: f64,
    high: f64,
}

/// One suggestion per page with keywords at 4 to 20 and a gain in the upper quarter. Pending ones stay
/// until the target is reached.
pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    let searches = &findings.searches;
    let has_volumes = searches.has_volumes();
    let worth = |it: &Keyword| {
        if has_volumes {
            it.potential
        } else {
            it.target_gain
        }
    };
    let within: Vec<f64> = { searches.keywords.values() }
        .filter(|it| is_within(it))
        .filter_map(worth)
        .collect();
    let min_worth = quantile(&within, WORTH_QUANTILE);
    let mut pages: BTreeMap<String, Vec<(i64, &Keyword)>> = BTreeMap::new();
    for ((keyword_id, _), keyword) in &searches.keywords {
        let page = keyword.url.as_deref().map(page_key);
        let is_worth = is_within(keyword)
            && worth(keyword)
                .zip(min_worth)
                .is_some_and(|(it, min_worth)| it > 0.0 && it >= min_worth);
        if let Some(page) = page.filter(|_| is_worth) {
            pages.entry(page).or_default().push((*keyword_id, keyword));
        }
    }
    keep_pending(findings, &mut pages);
    { pages.into_iter() }
        .filter(|(page, _)| !findings.is_unlisted(page))
        .filter_map(|(page, keywords)| draft(findings, &page, &keywords, min_worth, has_volumes))
        .collect()
}

fn is_within(keyword: &Keyword) -> bool {
    keyword
        .position
        .is_some_and(|it| STRIKING_DISTANCE.contains(&it))
        && keyword.target_gain.is_some_and(|it| it > 0.0)
}

/// Pending suggestions keep their keywords until these reach the target, even if others have more gain.
fn keep_pending<'k>(
    findings: &'k Findings<'_>,
    pages: &mut BTreeMap<String, Vec<(i64, &'k Keyword)>>,
) {
    let searches = &findings.searches;
    for previous in searches.context.previous {
        let (Some(url), RULE) = (&previous.envelope.url, previous.rule_id.as_str()) else {
            continue;
        };
        let page = page_key(url);
        let Some(known) = searches.tracker.keywords_of(&id(RULE, &page)) else {
            continue;
        };
        for ((keyword_id, _), keyword) in &searches.keywords {
            let reached = match (keyword.position, keyword.target) {
                (Some(position), Some(target)) => position <= target,
                _ => false,
            };
            let listed = pages.entry(page.clone()).or_default();
            if known.contains(keyword_id)
                && !reached
                && !listed.iter().any(|(_, it)| it.record == keyword.record)
            {
                listed.push((*keyword_id, keyword));
            }
        }
    }
    pages.retain(|_, keywords| !keywords.is_empty());
}

fn draft(
    findings: &Findings<'_>,
    page: &str,
    keywords: &[(i64, &Keyword)],
    min_worth: Option<f64>,
    has_volumes: bool,
) -> Option<Draft> {
    let searches = &findings.searches;
    let mut draft = Draft::new(rule::rule(RULE, "")?, page);
    let url = { searches.landings.get(page) }
        .map(|it| it.url.clone())
        .or_else(|| {
            let before = searches.context.previous.iter();
            let mut before = before.filter(|it| it.suggestion_id == draft.id);
            before.next().and_then(|it| it.envelope.url.clone())
        })?;
    let curve = searches
        .context
        .own_curve
        .unwrap_or_else(|| ClickCurve::published());
    let mut sum = [Clicks::default(); 3];
    let mut potential = Clicks::default();
    let mut best: Vec<(f64, &Keyword, Gain)> = Vec::new();
    for (keyword_id, keyword) in keywords {
        draft.keyword_ids.insert(*keyword_id);
        let gain = gain(keyword, curve, has_volumes);
        for (sum, part) in sum.iter_mut().zip([gain.low, gain.mid, gain.high]) {
            sum.add(Clicks::of(part));
        }
        potential.add(Clicks::of(keyword.potential.unwrap_or(0.0)));
        let of = |metric: &str, pointer| {
            Evidence::of(
                ResultType::Rankings,
                keyword.record.clone(),
                metric,
                pointer,
            )
        };
        let mut position = of("position", "/position").threshold(keyword.target.unwrap_or(3));
        position.observed = keyword.position.map(Into::into);
        let mut evidence = vec![position];
        if let (true, Some(clicks), Some(min_worth)) = (has_volumes, keyword.potential, min_worth) {
            let potential = of("potentialClicks", "/potentialClicks");
            evidence.push(potential.observed(clicks).threshold(min_worth));
        }
        draft
            .cases
            .add(&url, findings.clicks_of(&url), evidence, None);
        best.push((gain.mid, keyword, gain));
    }
    best.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then_with(|| a.1.record.cmp(&b.1.record))
    });
    draft.keyword = best.first().map(|it| it.1.text.clone());
    for (_, keyword, gain) in best.iter().take(5) {
        draft.steps.push(describe(&url, keyword, gain, has_volumes));
    }
    draft.steps.push(format!(
        "On {url} answer what these searches ask for more fully than the pages above it, say it in title and first heading, and link to it from pages about the same."
    ));
    draft.rationale = format!(
        "{} of the project's keywords stand close below the first places with this page.",
        keywords.len()
    );
    let [low, mid, high] = sum.map(Clicks::get);
    draft.gain = (mid > 0.0).then_some(ExpectedGain {
        metric: if has_volumes {
            GainMetric::ClicksPerMonth
        } else {
            GainMetric::ClickShare
        },
        low,
        mid,
        high,
        range: GainRange::Outcomes,
    });
    draft.set_keyword_reach(
        has_volumes.then(|| potential.get()),
        searches.keywords.len(),
    );
    draft.is_simulated = searches.is_simulated;
    draft.claims.insert(page.to_owned());
    draft.url = Some(url);
    Some(draft)
}

/// Clicks gained half way to the target (in ln of the position), at the target, and at position 1. The
/// record has the last two; the first is interpolated along the curve.
fn gain(keyword: &Keyword, curve: &ClickCurve, has_volumes: bool) -> Gain {
    let (Some(share), Some(target)) = (keyword.target_gain, keyword.target) else {
        return Gain::default();
    };
    #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
    let scale = if has_volumes {
        keyword.volume.map_or(0.0, |it| it as f64)
    } else {
        1.0
    };
    let mid = share * scale;
    let below = keyword
        .position
        .unwrap_or(keyword.depth_checked + 1)
        .max(target);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between two positions"
    )]
    let halfway = (f64::from(below) * f64::from(target)).sqrt().round() as u32;
    let whole = curve.at(target) - curve.at(below);
    let part = |to: u32| {
        if whole > 0.0 {
            ((curve.at(to) - curve.at(below)) / whole).max(0.0)
        } else {
            0.0
        }
    };
    let top = if has_volumes {
        keyword.potential.unwrap_or(mid)
    } else {
        mid * part(1)
    };
    Gain {
        low: mid * part(halfway).min(1.0),
        mid,
        high: top.max(mid),
    }
}

fn describe(url: &str, keyword: &Keyword, gain: &Gain, has_volumes: bool) -> String {
    let target = keyword.target.unwrap_or(3);
    let stands = keyword.position.map_or_else(
        || format!("no longer among the first {}", keyword.depth_checked),
        |it| format!("at position {it}"),
    );
    let more = if has_volumes {
        format!("some {} more clicks a month", clicks(gain.mid))
    } else {
        format!("{} of its searches", super::percent(gain.mid))
    };
    format!(
        "For “{}” {url} stands {stands}; position {target} would bring {more}.",
        keyword.text
    )
}
