//! Competitors that AI engines mention instead of the project, and cited page types that it lacks.

use crate::findings::suggestions::collect::Findings;
use crate::findings::suggestions::draft::Draft;
use crate::findings::suggestions::evidence::{Evidence, EvidenceSource, RecordRef};
use crate::findings::suggestions::inputs::AiAnswers;
use crate::findings::suggestions::rule;
use crate::page_kind::PageKind;
use crate::result_type::ResultType;
use crate::statistics::newcombe::newcombe;
use std::collections::{BTreeMap, BTreeSet};

/// Per record.
const MIN_ANSWERS: u64 = 5;
/// Competitors that must be mentioned.
const MIN_COMPETITORS: usize = 2;
/// Answers that must cite a page type; our choice.
const MIN_CITING: u64 = 3;

pub(in super::super) fn add(findings: &mut Findings<'_>, answers: &AiAnswers) {
    if answers.answer_count < MIN_ANSWERS {
        return;
    }
    let source = EvidenceSource::Result(ResultType::AiVisibility);
    findings
        .searches
        .tracker
        .record_seen(source, &record_ref(answers));
    findings.answers.push(answers.clone());
}

fn record_ref(answers: &AiAnswers) -> RecordRef {
    RecordRef {
        keyword_id: Some(answers.keyword_id),
        measured_at: Some(answers.measured_at),
        ..RecordRef::default()
    }
    .with("engine", &answers.engine)
}

fn answer_evidence(answers: &AiAnswers, metric: &str, pointer: &str) -> Evidence {
    Evidence::of(
        ResultType::AiVisibility,
        record_ref(answers),
        metric,
        pointer,
    )
}

pub(in super::super) fn drafts(findings: &Findings<'_>) -> Vec<Draft> {
    let mut by_keyword: BTreeMap<i64, Vec<&AiAnswers>> = BTreeMap::new();
    for it in &findings.answers {
        by_keyword.entry(it.keyword_id).or_default().push(it);
    }
    for all in by_keyword.values_mut() {
        all.sort_by(|a, b| a.engine.cmp(&b.engine));
    }
    let tracked = by_keyword.len();
    let mut drafts: Vec<Draft> = { by_keyword.iter() }
        .filter_map(|(keyword_id, all)| unmentioned(findings, *keyword_id, all, tracked))
        .collect();
    drafts.extend(missing_page_types(findings, &by_keyword));
    drafts
}

fn unmentioned(
    findings: &Findings<'_>,
    keyword_id: i64,
    all: &[&AiAnswers],
    tracked: usize,
) -> Option<Draft> {
    let mut steps = Vec::new();
    let mut evidence = Vec::new();
    let (mut is_significant, mut is_simulated) = (false, false);
    for answers in all.iter().filter(|it| it.mention_count == 0) {
        let mut competitors: Vec<(usize, u64, &str)> = { answers.competitors.iter().enumerate() }
            .map(|(at, it)| (at, it.mention_count, it.name.as_str()))
            .filter(|it| it.1 > 0)
            .collect();
        if competitors.len() < MIN_COMPETITORS {
            continue;
        }
        competitors.sort_by(|a, b| b.1.cmp(&a.1).then(a.2.cmp(b.2)));
        competitors.truncate(5);
        // The second competitor must be mentioned significantly more often.
        let second = (competitors[MIN_COMPETITORS - 1].1, answers.answer_count);
        let ours = (0, answers.answer_count);
        is_significant |= newcombe(second, ours).is_some_and(|it| it.low > 0.0);
        is_simulated |= answers.provenance.is_simulated();
        evidence.push(
            answer_evidence(answers, "mentionCount", "/mentionCount")
                .observed(0.0)
                .threshold(1.0),
        );
        for (at, count, _) in &competitors {
            #[expect(clippy::cast_precision_loss, reason = "counts of answers")]
            let count = *count as f64;
            let pointer = format!("/competitors/{at}/mentionCount");
            evidence.push(answer_evidence(answers, "competitorMentions", &pointer).observed(count));
        }
        let names: Vec<String> = { competitors.iter() }
            .map(|it| format!("{} ({})", it.2, it.1))
            .collect();
        steps.push(format!(
            "Of {} answers of {} about “{}” none names the project; they name {}.",
            answers.answer_count,
            answers.engine,
            answers.keyword,
            names.join(", ")
        ));
    }
    if steps.is_empty() {
        return None;
    }
    let variant = if is_significant { "significant" } else { "" };
    let rule = rule::rule("aiUnmentioned", variant)?;
    let mut draft = Draft::new(rule, &format!("keyword {keyword_id}"));
    draft.loose_evidence = evidence;
    draft.keyword_id = Some(keyword_id);
    draft.keyword = all.first().map(|it| it.keyword.clone());
    draft.keyword_ids.insert(keyword_id);
    steps.truncate(5);
    draft.steps = steps;
    draft.steps.push(
        "Answer these questions on a page of your own with facts that can be quoted, and get onto the pages that the answers cite.".to_owned(),
    );
    "AI engines name several rivals for this keyword and never the project."
        .clone_into(&mut draft.rationale);
    draft.set_keyword_reach(potential(findings, keyword_id), tracked);
    draft.is_simulated = is_simulated;
    Some(draft)
}

/// Potential clicks per month on the results page.
fn potential(findings: &Findings<'_>, keyword_id: i64) -> Option<f64> {
    let first = (keyword_id, String::new());
    let all = { findings.searches.keywords.range(first..) }.take_while(|it| it.0.0 == keyword_id);
    all.filter_map(|it| it.1.potential).reduce(f64::max)
}

fn missing_page_types(
    findings: &Findings<'_>,
    by_keyword: &BTreeMap<i64, Vec<&AiAnswers>>,
) -> Vec<Draft> {
    // Without a site audit, missing page types are unknown.
    if findings.own_kinds.is_empty() {
        return Vec::new();
    }
    let is_missing = |it: &PageKind| {
        !matches!(it, PageKind::Other | PageKind::Login) && !findings.own_kinds.contains(it)
    };
    let all = || by_keyword.values().flatten();
    let kinds: BTreeSet<PageKind> = all()
        .flat_map(|it| &it.cited_page_types)
        .map(|it| it.page_type)
        .filter(is_missing)
        .collect();
    { kinds.into_iter() }
        .filter_map(|kind| {
            let name = serde_json::to_value(kind).ok()?;
            let name = name.as_str()?;
            let mut draft = Draft::new(rule::rule("aiPageTypeMissing", "")?, name);
            draft.title = Some(format!("{}: {name}", draft.rule.title));
            let (mut citing, mut answered) = (0_u64, 0_u64);
            for answers in all() {
                answered += answers.answer_count;
                for (at, cited) in answers.cited_page_types.iter().enumerate() {
                    if cited.page_type != kind || cited.answer_count == 0 {
                        continue;
                    }
                    citing += cited.answer_count;
                    draft.keyword_ids.insert(answers.keyword_id);
                    draft.is_simulated |= answers.provenance.is_simulated();
                    #[expect(clippy::cast_precision_loss, reason = "counts of answers")]
                    let count = cited.answer_count as f64;
                    let pointer = format!("/citedPageTypes/{at}/answerCount");
                    let it = answer_evidence(answers, "citedPageType", &pointer).observed(count);
                    draft.loose_evidence.push(it);
                    if let Some(example) = cited.example.as_ref().filter(|_| draft.steps.len() < 3) {
                        draft.steps.push(format!(
                            "{} cites {example} for “{}”.",
                            answers.engine, answers.keyword
                        ));
                    }
                }
            }
            if citing < MIN_CITING {
                return None;
            }
            draft.loose_evidence.truncate(super::super::draft::MAX_NAMED);
            draft.steps.push(format!(
                "Publish a page of the kind {name} about what these searches ask for; the site has none that search engines may list."
            ));
            draft.rationale = format!(
                "{citing} times in {answered} answers a page of the kind {name} is cited, and the site has none."
            );
            draft.set_keyword_reach(None, by_keyword.len());
            Some(draft)
        })
        .collect()
}
