//! Cannibalization: one suggestion per set of pages, over all keywords.

use super::{clicks, percent};
use crate::findings::cannibalization::{Action, CannibalizationRecord, CompetingUrl, Severity};
use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::collected::CannibalizedKeyword;
use crate::findings::suggestions::draft::{Clicks, Draft};
use crate::findings::suggestions::evidence::{Evidence, EvidenceSource, RecordRef};
use crate::findings::suggestions::record::{ExpectedGain, GainMetric, GainRange};
use crate::findings::suggestions::rule;
use crate::result_type::ResultType;
use crate::url_rules::page_key;
use std::collections::{BTreeMap, BTreeSet};

const RULE: &str = "cannibalization";
/// Lower scores are ignored.
const MIN_SCORE: f64 = 10.0;

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &CannibalizationRecord) {
    let (Some(keyword_id), Some(score)) = (record.envelope.keyword_id, record.score) else {
        return;
    };
    let found = RecordRef {
        // Without the primary URL, which may change.
        url: None,
        ..RecordRef::of(&record.envelope)
    }
    .with("engine", &record.market.engine);
    let source = EvidenceSource::Result(ResultType::Cannibalization);
    findings.searches.tracker.record_seen(source, &found);
    let action = record.action.filter(|it| *it != Action::None);
    let is_none = record.severity.is_none_or(|it| it == Severity::None);
    let Some(action) = action.filter(|_| !is_none) else {
        return;
    };
    let others = record.urls.iter().filter(|it| it.url != record.primary_url);
    let urls: Vec<String> = std::iter::once(record.primary_url.clone())
        .chain(others.map(|it| it.url.clone()))
        .collect();
    let share = |it: &CompetingUrl| (it.url == record.primary_url).then_some(it.share);
    let contest = CannibalizedKeyword {
        record: found,
        keyword: record.market.keyword.clone(),
        share: record.urls.iter().find_map(share).unwrap_or(0.0),
        score,
        action,
        lost: record.lost_clicks,
        flip_rate: record.flip_rate,
        similarity: record.text_similarity,
        snapshots: record.window.snapshots,
        is_simulated: record.envelope.provenance.is_simulated(),
        urls,
    };
    let pages = contest.urls.iter().map(|it| page_key(it)).collect();
    let place = (keyword_id, record.market.engine.clone());
    findings
        .cannibalized
        .entry(pages)
        .or_default()
        .insert(place, contest);
}

pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    { findings.cannibalized.iter() }
        // Pages that are not indexable do not compete.
        .filter(|(pages, _)| !pages.iter().any(|it| findings.is_unlisted(it)))
        .filter_map(|(pages, contests)| draft(findings, pages, contests))
        .collect()
}

fn draft(
    findings: &Findings<'_>,
    pages: &BTreeSet<String>,
    contests: &BTreeMap<(i64, String), CannibalizedKeyword>,
) -> Option<Draft> {
    // The worst keyword decides the action; on a tie the first.
    let worst = contests
        .values()
        .reduce(|a, b| if b.score > a.score { b } else { a })?;
    let (variant, steps) = advice(worst);
    let keys: Vec<&str> = pages.iter().map(String::as_str).collect();
    let mut draft = Draft::new(rule::rule(RULE, variant)?, &keys.join(" "));
    draft.keyword = Some(worst.keyword.clone());
    let mut lost: Option<Clicks> = None;
    for ((keyword_id, _), contest) in contests {
        draft.keyword_ids.insert(*keyword_id);
        draft.is_simulated |= contest.is_simulated;
        if let Some(clicks) = contest.lost {
            lost.get_or_insert_default().add(Clicks::of(clicks));
        }
        let of = |metric: &str, pointer| {
            Evidence::of(
                ResultType::Cannibalization,
                contest.record.clone(),
                metric,
                pointer,
            )
        };
        let mut evidence = vec![
            of("score", "/score")
                .observed(contest.score)
                .threshold(MIN_SCORE),
        ];
        evidence.extend(
            contest
                .flip_rate
                .map(|it| of("flipRate", "/flipRate").observed(it)),
        );
        for url in &contest.urls {
            draft
                .cases
                .add(url, findings.clicks_of(url), evidence.clone(), None);
        }
    }
    let flips = worst.flip_rate.map_or_else(String::new, |it| {
        format!(
            ", and the better one changed in {} of the steps",
            percent(it)
        )
    });
    draft.rationale = format!(
        "For “{}” {} pages of the site compete: over {} measurements the first had {} of the expected clicks{flips}.",
        worst.keyword,
        worst.urls.len(),
        worst.snapshots,
        percent(worst.share)
    );
    draft.steps = steps;
    if let Some(lost) = lost.map(Clicks::get) {
        draft.steps.push(format!(
            "Against the best position that one of them held some {} clicks a month are lost.",
            clicks(lost)
        ));
        draft.gain = (lost > 0.0).then_some(ExpectedGain {
            metric: GainMetric::ClicksPerMonth,
            low: 0.0,
            mid: lost / 2.0,
            high: lost,
            range: GainRange::Outcomes,
        });
    }
    draft.set_page_reach(findings.indexable);
    draft.claims.clone_from(pages);
    draft.keyword_id =
        Some(draft.keyword_ids.first().copied()?).filter(|_| draft.keyword_ids.len() == 1);
    Some(draft)
}

/// The rule's variant and the steps.
fn advice(contest: &CannibalizedKeyword) -> (&'static str, Vec<String>) {
    let primary = contest.urls.first().map_or("", String::as_str);
    let others = contest.urls.get(1..).unwrap_or_default().join(", ");
    let alike = contest.similarity.map_or_else(String::new, |it| {
        format!(" Their main texts agree in {}.", percent(it))
    });
    let keyword = &contest.keyword;
    match contest.action {
        Action::Redirect301 => (
            "redirect301",
            vec![
                format!("Redirect {others} to {primary} with status 301.{alike}"),
                format!("Link to {primary} wherever the site links to {others}."),
            ],
        ),
        Action::Canonical => (
            "canonical",
            vec![format!("Name {primary} as canonical on {others}.{alike}")],
        ),
        Action::Merge => (
            "merge",
            vec![
                format!("Take what only {others} says over into {primary}.{alike}"),
                format!("Then redirect {others} to {primary} with status 301."),
            ],
        ),
        Action::Differentiate => (
            "differentiate",
            vec![format!(
                "Give {others} topics of their own, and leave “{keyword}” to {primary}: title, first heading and links should name one page only.{alike}"
            )],
        ),
        Action::InternalLinks | Action::None => (
            "internalLinks",
            vec![format!(
                "Link from {others} to {primary} with “{keyword}” as text."
            )],
        ),
    }
}
