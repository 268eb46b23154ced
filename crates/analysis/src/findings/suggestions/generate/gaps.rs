//! Keyword gaps: competitors rank, the project does not.

use crate::findings::competitors::CompetitorRecord;
use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::collected::Gap;
use crate::findings::suggestions::draft::{Draft, MAX_TITLE_CHARACTERS, page_label};
use crate::findings::suggestions::evidence::{Evidence, EvidenceSource, RecordRef};
use crate::findings::suggestions::record::{ExpectedGain, GainMetric, GainRange};
use crate::findings::suggestions::rule;
use crate::keyword_text::normalized;
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::text::words::shortened;
use std::{cmp::Ordering, collections::BTreeMap};

const RULE: &str = "keywordGap";
/// New suggestions, besides pending ones.
const MAX_NEW_SUGGESTIONS: usize = 100;
/// Competitors per suggestion.
const MAX_NAMED_COMPETITORS: usize = 5;
/// The project's position is below this, or unknown.
const MAX_RANKED_POSITION: u32 = 20;

pub(in super::super) fn add(findings: &mut Findings<'_>, record: &CompetitorRecord) {
    if matches!(
        record.envelope.status,
        RecordStatus::Error | RecordStatus::InsufficientData
    ) {
        return;
    }
    let found = RecordRef::of(&record.envelope).with("domain", &record.domain);
    // A truncated list may omit gaps that still exist.
    if record.gap_keyword_count <= record.gap_keywords.len() as u64 {
        let source = EvidenceSource::Result(ResultType::Competitors);
        findings.searches.tracker.record_seen(source, &found);
    }
    for (at, keyword) in record.gap_keywords.iter().enumerate() {
        let evidence = Evidence::of(
            ResultType::Competitors,
            found.clone(),
            "theirPosition",
            format!("/gapKeywords/{at}/theirPosition"),
        )
        .observed(keyword.their_position)
        .threshold(10_u32);
        let gap = findings
            .gaps
            .entry(keyword.keyword_id)
            .or_insert_with(|| Gap {
                keyword: keyword.clone(),
                competitors: BTreeMap::new(),
                is_simulated: false,
            });
        let place = (keyword.their_position, record.domain.clone());
        gap.is_simulated |= record.envelope.provenance.is_simulated();
        gap.competitors.insert(place, evidence);
        if gap.competitors.len() > MAX_NAMED_COMPETITORS {
            gap.competitors.pop_last();
        }
    }
}

/// One suggestion per keyword, for those with the most potential clicks.
pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    let mut gaps: Vec<(&i64, &Gap)> = findings.gaps.iter().collect();
    gaps.sort_by(|a, b| order(a.1, b.1).then(a.0.cmp(b.0)));
    // Ranking pages by normalized keyword.
    let pages: BTreeMap<String, String> = { findings.searches.keywords.values() }
        .filter_map(|it| Some((normalized(&it.text), it.url.clone()?)))
        .collect();
    let mut drafts = Vec::new();
    for (at, (keyword_id, gap)) in gaps.into_iter().enumerate() {
        let Some(draft) = draft(findings, &pages, *keyword_id, gap) else {
            continue;
        };
        if at < MAX_NEW_SUGGESTIONS || findings.searches.tracker.is_pending(&draft.id) {
            drafts.push(draft);
        }
    }
    drafts
}

/// Most clicks first, unknown last.
fn order(one: &Gap, other: &Gap) -> Ordering {
    let known = |it: &Gap| it.keyword.potential_clicks.unwrap_or(-1.0);
    known(other).total_cmp(&known(one))
}

fn draft(
    findings: &Findings<'_>,
    pages: &BTreeMap<String, String>,
    keyword_id: i64,
    gap: &Gap,
) -> Option<Draft> {
    let searches = &findings.searches;
    let mut draft = Draft::new(rule::rule(RULE, "")?, &format!("keyword {keyword_id}"));
    let first = (keyword_id, String::new());
    let mut own = { searches.keywords.range(first..) }
        .take_while(|it| it.0.0 == keyword_id)
        .map(|it| it.1);
    let own = own.next();
    // The project ranks by now.
    if own.is_some_and(|it| it.position.is_some_and(|it| it <= MAX_RANKED_POSITION)) {
        return None;
    }
    let text = &gap.keyword.keyword;
    draft.keyword = Some(text.clone());
    let mut evidence: Vec<Evidence> = gap.competitors.values().cloned().collect();
    if let Some(own) = own {
        let mut ours = Evidence::of(
            ResultType::Rankings,
            own.record.clone(),
            "position",
            "/position",
        )
        .threshold(MAX_RANKED_POSITION);
        ours.observed = own.position.map(Into::into);
        evidence.push(ours);
    }
    // Falls back to the page that ranks for the keyword in another market or on another device.
    let page = own.and_then(|it| it.url.clone());
    let page = page.or_else(|| pages.get(&normalized(text)).cloned());
    let competitors: Vec<String> = { gap.competitors.keys() }
        .map(|(position, domain)| format!("{domain} ({position})"))
        .collect();
    let competitors = competitors.join(", ");
    let quoted = format!("“{}”", shortened(text, MAX_TITLE_CHARACTERS));
    match &page {
        Some(url) => {
            let place = own.and_then(|it| it.position).map_or_else(
                || "is not among the results here".to_owned(),
                |it| format!("stands at {it}"),
            );
            draft.steps.push(format!(
                "For “{text}” {url} {place}; above it stand {competitors}. Make it answer “{text}” more fully than they do."
            ));
            draft.title = Some(format!("Improve {} for {quoted}", page_label(url)));
            draft.url = Some(url.clone());
        }
        None if gap.keyword.our_position.is_some() => {
            draft.title = Some(format!("Improve the page that ranks for {quoted}"));
            draft.steps.push(format!(
                "For “{text}” {competitors} stand among the first ten. Make the project's page answer it more fully than they do."
            ));
        }
        None => {
            draft.title = Some(format!("Write about {quoted}"));
            draft.steps.push(format!(
                "Write a page about “{text}”: {competitors} have one among the first ten, the project has none among the results."
            ));
        }
    }
    // Without a page the subject is the keyword.
    if let Some(url) = &page {
        draft
            .cases
            .add(url, findings.clicks_of(url), evidence, None);
    } else {
        draft.loose_evidence = evidence;
    }
    draft.rationale = format!(
        "{} of the rivals are among the first ten for “{text}”, and the project is not among the first {MAX_RANKED_POSITION}.",
        gap.competitors.len()
    );
    draft.keyword_ids.insert(keyword_id);
    draft.keyword_id = Some(keyword_id);
    if let Some(clicks) = gap.keyword.potential_clicks {
        draft.gain = gain(own, clicks);
        draft.steps.extend(draft.gain.as_ref().map(|it| {
            format!(
                "Position 3 would bring some {} clicks a month, position 1 some {}.",
                super::clicks(it.mid),
                super::clicks(it.high)
            )
        }));
    }
    draft.set_keyword_reach(gap.keyword.potential_clicks, searches.keywords.len());
    draft.is_simulated = gap.is_simulated;
    Some(draft)
}

/// Low: no change; mid: the target position; high: position 1.
fn gain(own: Option<&super::super::searches::Keyword>, top: f64) -> Option<ExpectedGain> {
    let own = own?;
    #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
    let mid = own.target_gain? * own.volume? as f64;
    Some(ExpectedGain {
        metric: GainMetric::ClicksPerMonth,
        low: 0.0,
        mid,
        high: top.max(mid),
        range: GainRange::Outcomes,
    })
}
