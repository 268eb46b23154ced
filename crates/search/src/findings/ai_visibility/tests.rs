//! AI visibility records.

use super::*;
use crate::ai_answers::brands::{BrandBook, BrandSpec};
use crate::ai_answers::{EvaluatedAnswer, evaluate};
use crate::observation::ai_answer::{
    AiAnswer, AnswerCitation, AnswerState, AnswerUsage, CitationPart, EnginePrompt,
};
use crate::provenance::{Provenance, RecordStatus};
use crate::statistics::wilson::wilson;
use chrono::{DateTime, Utc};
use proptest::prelude::*;

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default()
}

pub(crate) fn book() -> BrandBook {
    let competitors = [
        BrandSpec::named("Zyxwor", "zyxwor.com"),
        BrandSpec::named("Quorvex", "quorvex.io"),
    ];
    BrandBook::of(
        &BrandSpec::named("Acme", "acme.com"),
        &competitors,
        &["desk".to_owned()],
    )
}

/// An answer to the prompt with this number.
pub(crate) fn answer(prompt: usize, sample: u32, text: &str, cited: &[&str]) -> AiAnswer {
    let citations = cited.iter().map(|url| AnswerCitation {
        url: (*url).to_owned(),
        title: None,
        domain: None,
        part: CitationPart::SourceList,
        spans: Vec::new(),
    });
    AiAnswer {
        engine: "perplexity".to_owned(),
        provider: "perplexity".to_owned(),
        provenance: Provenance::Measured,
        requested_model: Some("sonar".to_owned()),
        served_model: Some("sonar-1".to_owned()),
        prompt: EnginePrompt {
            prompt_id: format!("7.Q{prompt}.en.v1.00000000"),
            keyword_id: Some(7),
            template: format!("Q{prompt}"),
            template_version: 1,
            language: "en".to_owned(),
            is_branded: false,
            text: "Which standing desk would you recommend and why?".to_owned(),
        },
        sample,
        state: AnswerState::Answered,
        text: text.to_owned(),
        citations: Some(citations.collect()),
        searches: Some(2),
        queries: Vec::new(),
        answered_at: now(),
        usage: AnswerUsage {
            cost_micros: Some(1_500),
            ..AnswerUsage::default()
        },
    }
}

pub(crate) fn evaluated_answers(
    answers: Vec<AiAnswer>,
    book: &BrandBook,
) -> Vec<(AiAnswer, EvaluatedAnswer)> {
    { answers.into_iter() }
        .map(|it| {
            let evaluated = evaluate(&it, book);
            (it, evaluated)
        })
        .collect()
}

fn record(answers: Vec<AiAnswer>) -> AiVisibilityRecord {
    let book = book();
    let answers = evaluated_answers(answers, &book);
    visibility(&VisibilityInput {
        subject: VisibilitySubject {
            project_id: 3,
            keyword: Some((7, "standing desk")),
            country: Some("us"),
            location: None,
            language: "en",
        },
        engine: "perplexity",
        panel: PromptPanelKind::Discovery,
        answers: &answers,
        book: &book,
        measured_at: now(),
    })
}

/// Four prompts, five answers each: the first is named always, the second in two, the others never.
fn panel() -> Vec<AiAnswer> {
    let named = "Acme is the best option. Zyxwor is fine.";
    let other = "Zyxwor is a desk maker.";
    let mut answers = Vec::new();
    for sample in 1..=5 {
        answers.push(answer(
            1,
            sample,
            named,
            &["https://acme.com/a?utm_source=openai", "https://b.org/"],
        ));
        let text = if sample < 3 { named } else { other };
        answers.push(answer(2, sample, text, &["https://b.org/"]));
        answers.push(answer(
            3,
            sample,
            other,
            &[
                "https://www.acme.com/a",
                "https://www.youtube.com/watch?v=1",
            ],
        ));
        answers.push(answer(4, sample, "Nobody is named here.", &[]));
    }
    answers
}

#[test]
fn figures_match_a_count_by_hand() {
    let found = record(panel());
    assert_eq!(
        (found.answer_count, found.prompt_count, found.mention_count),
        (20, 4, 7)
    );
    assert!((found.mention_rate.unwrap() - 0.35).abs() < 1e-12);
    let interval = wilson(7, 20).unwrap();
    assert!((found.mention_rate_low.unwrap() - interval.low).abs() < 1e-12);
    assert!((found.mention_rate_high.unwrap() - interval.high).abs() < 1e-12);
    assert_eq!(found.citation_count, Some(10));
    assert!((found.citation_rate.unwrap() - 0.5).abs() < 1e-12);
    // Ten of twenty-five pages are own: first of two in five answers, first of two in five more.
    assert!((found.citation_share.unwrap() - 10.0 / 25.0).abs() < 1e-12);
    assert!((found.average_citation_index.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(
        (found.ghost_citation_count, found.uncited_mention_count),
        (Some(5), Some(2))
    );
    // Acme in 7 answers, Zyxwor in 15.
    assert!((found.share_of_voice.unwrap() - 7.0 / 22.0).abs() < 1e-12);
    assert!((found.competitors[0].share_of_voice.unwrap() - 15.0 / 22.0).abs() < 1e-12);
    assert!((found.competitors[0].mention_rate.unwrap() - 0.75).abs() < 1e-12);
    assert_eq!(found.competitors[1].mention_count, 0);
    assert!((found.first_mention_rank.unwrap() - 1.0).abs() < 1e-12);
    assert!((found.recommendation_rate.unwrap() - 0.35).abs() < 1e-12);
    // 4 and 2 words of three letters or more, by 1 and exp(-1).
    let share = 4.0 / (4.0 + 2.0 * (-1.0_f64).exp());
    let over_prompts = (share + share * 0.4 + 0.0) / 3.0;
    assert!(
        (found.position_adjusted_share.unwrap() - over_prompts).abs() < 1e-9,
        "{found:?}"
    );
    assert!((found.search_triggered_rate.unwrap() - 1.0).abs() < 1e-12);
    // Prompt 2: 1 pair of both, 3 of one, 6 of a half; prompts 1 and 3 agree.
    assert!((found.consistency.unwrap() - (1.0 + 0.7 + 1.0) / 3.0).abs() < 1e-12);
    assert_eq!(found.cost_units, Some(30_000));
    assert_eq!(found.sentiment_sample_size, 7);
    assert_eq!(found.sentiment_counts.unwrap().positive, 7);
    let domains: Vec<(&str, u64, CitedDomainType)> = { found.cited_domains.iter() }
        .map(|it| (it.domain.as_str(), it.count, it.domain_type))
        .collect();
    assert_eq!(
        domains,
        [
            ("acme.com", 10, CitedDomainType::Own),
            ("b.org", 10, CitedDomainType::Other),
            ("youtube.com", 5, CitedDomainType::Platform),
        ]
    );
    assert_eq!(found.envelope.status, RecordStatus::Ok);
    assert!(found.ai_visibility_score.is_some());
}

#[test]
fn missing_answers_lower_no_rate() {
    let whole = record(panel());
    let mut answers = panel();
    for (at, state) in [
        AnswerState::Refused,
        AnswerState::Empty,
        AnswerState::NotShown,
        AnswerState::CutShort,
        AnswerState::Failed("timedOut".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let mut missing = answer(at + 1, 6, "", &[]);
        missing.state = state;
        missing.usage.cost_micros = Some(0);
        answers.push(missing);
    }
    let found = record(answers);
    assert_eq!(found.mention_rate, whole.mention_rate);
    assert_eq!(found.mention_rate_low, whole.mention_rate_low);
    assert_eq!(found.citation_rate, whole.citation_rate);
    assert_eq!(found.ai_visibility_score, whole.ai_visibility_score);
    assert_eq!(found.envelope.status, RecordStatus::Partial);
    assert_eq!(
        found.envelope.warnings,
        [
            "answersFailed",
            "answersRefused",
            "answersEmpty",
            "answersNotShown",
            "answersCutShort"
        ]
    );
    let counts = [
        found.refusal_count,
        found.empty_count,
        found.not_shown_count,
        found.cut_short_count,
        found.failed_count,
    ];
    assert_eq!(counts, [1; 5]);
    assert_eq!(found.failures[0].code, "timedOut");
    assert_eq!(found.answers.len(), 25);
}

#[test]
fn failed_runs_are_errors_and_small_ones_insufficient() {
    let mut failed = answer(1, 1, "", &[]);
    failed.state = AnswerState::Failed("outOfFunds".to_owned());
    let found = record(vec![failed]);
    assert_eq!(found.envelope.status, RecordStatus::Error);
    assert_eq!(found.envelope.error.as_deref(), Some("outOfFunds"));
    assert_eq!(
        (found.mention_rate, found.ai_visibility_score),
        (None, None)
    );
    let few = record(panel().into_iter().take(3).collect());
    assert_eq!(few.envelope.status, RecordStatus::InsufficientData);
    assert_eq!(few.envelope.warnings, ["fewAnswers"]);
    assert_eq!(few.ai_visibility_score, None);
    assert_eq!(
        record(Vec::new()).envelope.status,
        RecordStatus::InsufficientData
    );
}

#[test]
fn without_sources_citations_are_null_and_not_zero() {
    let mut answers = panel();
    for it in &mut answers {
        it.citations = None;
    }
    let found = record(answers);
    assert_eq!(
        (
            found.citation_count,
            found.citation_rate,
            found.ghost_citation_count
        ),
        (None, None, None)
    );
    assert!(
        found
            .envelope
            .warnings
            .contains(&"citationsNotApplicable".to_owned())
    );
    assert!(found.ai_visibility_score.is_some());
}

#[test]
fn branded_and_prompted_brands_are_kept_apart() {
    let mut answers = panel();
    for it in answers.iter_mut().filter(|it| it.prompt.template == "Q2") {
        it.prompt.text = "Is Zyxwor any good?".to_owned();
    }
    let mut branded = answer(9, 1, "Acme is great.", &[]);
    branded.prompt.is_branded = true;
    answers.push(branded);
    let found = record(answers);
    assert_eq!(found.answer_count, 20);
    assert_eq!(
        (
            found.competitors[0].mention_count,
            found.competitors[0].prompted_count
        ),
        (10, 1)
    );
    assert!((found.competitors[0].mention_rate.unwrap() - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn engines_are_averaged_by_weight() {
    let mut one = record(panel());
    let mut other = one.clone();
    one.ai_visibility_score = Some(20.0);
    other.ai_visibility_score = Some(80.0);
    other.engine = "gemini".to_owned();
    let weights = EngineWeights::from([("gemini".to_owned(), 3.0)]);
    let found = AiVisibilitySummary::of(&[one, other], &weights);
    assert!((found.ai_visibility_score.unwrap() - 65.0).abs() < 1e-9);
    assert_eq!(found.coverage.measured, 40);
    let competitor = &found.competitors[0];
    assert_eq!(
        (competitor.name.as_str(), competitor.mention_count),
        ("Zyxwor", 30)
    );
    assert!((competitor.mention_rate.unwrap() - 0.75).abs() < 1e-12);
    assert_eq!(
        AiVisibilitySummary::of(&[], &weights).ai_visibility_score,
        None
    );
}

#[test]
fn a_visibility_record_round_trips_through_json() {
    let found = record(panel());
    let json = serde_json::to_string(&found).unwrap();
    let back: AiVisibilityRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
    for field in [
        "\"type\":\"ai-visibility\"",
        "\"mentionRateLow\":",
        "\"firstMentionRank\":",
        "\"runIndex\":",
        "\"aiVisibilityScore\":",
        "\"costUnits\":",
        "\"searchTriggeredRate\":",
        "\"citedOwnUrls\":",
    ] {
        assert!(json.contains(field), "{field}");
    }
}

#[test]
fn tallies_add_up_to_the_record() {
    let book = book();
    let answers = evaluated_answers(panel(), &book);
    let record = record(panel());
    let tallies = tallies(answers.iter().map(|it| (&it.0, &it.1)));
    assert_eq!(tallies.len(), 4);
    assert_eq!(
        tallies.iter().map(|it| it.answers).sum::<u64>(),
        record.answer_count
    );
    assert_eq!(
        tallies.iter().map(|it| it.mentions).sum::<u64>(),
        record.mention_count
    );
    assert_eq!(
        tallies.iter().map(|it| it.citations).sum::<u64>(),
        record.citation_count.unwrap()
    );
    assert_eq!(tallies.iter().map(|it| it.namings).sum::<u64>(), 22);
}

fn any_answer() -> impl Strategy<Value = AiAnswer> {
    let text = "((Acme|Zyxwor|Quorvex|acme\\.com|The best desk|is not|a shop)[ .,:\n]{1,2}){0,8}";
    (1_usize..5, 1_u32..6, text, 0_u8..8, proptest::bool::ANY).prop_map(
        |(prompt, sample, text, state, cites)| {
            let urls: &[&str] = if cites { &["https://acme.com/x"] } else { &[] };
            let mut it = answer(prompt, sample, &text, urls);
            it.state = match state {
                0 => AnswerState::Refused,
                1 => AnswerState::Failed("x".to_owned()),
                2 => AnswerState::Empty,
                _ => AnswerState::Answered,
            };
            it
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rates_are_rates_and_lie_in_their_intervals(answers in proptest::collection::vec(any_answer(), 0..20)) {
        let found = record(answers);
        prop_assert!(found.mention_count <= found.answer_count);
        if let Some(rate) = found.mention_rate {
            prop_assert!(found.mention_rate_low.unwrap() <= rate + 1e-12);
            prop_assert!(rate <= found.mention_rate_high.unwrap() + 1e-12);
        }
        for share in [found.share_of_voice, found.citation_share, found.position_adjusted_share, found.consistency, found.recommendation_rate] {
            prop_assert!(share.is_none_or(|it| (-1e-12..=1.0 + 1e-12).contains(&it)), "{:?}", share);
        }
        prop_assert!(found.ai_visibility_score.is_none_or(|it| (-1e-9..=100.0 + 1e-9).contains(&it)));
    }

    #[test]
    fn a_failed_or_refused_answer_never_lowers_a_rate(
        answers in proptest::collection::vec(any_answer(), 1..16), refused in proptest::bool::ANY, prompt in 1_usize..5
    ) {
        let before = record(answers.clone());
        let mut more = answers;
        let mut missing = answer(prompt, 9, "", &[]);
        missing.state = if refused { AnswerState::Refused } else { AnswerState::Failed("x".to_owned()) };
        more.push(missing);
        let after = record(more);
        prop_assert_eq!(before.mention_rate, after.mention_rate);
        prop_assert_eq!(before.mention_rate_low, after.mention_rate_low);
        prop_assert_eq!(before.citation_rate, after.citation_rate);
        prop_assert_eq!(before.ai_visibility_score, after.ai_visibility_score);
    }

    #[test]
    fn the_order_of_answers_makes_no_difference(answers in proptest::collection::vec(any_answer(), 0..12)) {
        let mut answers = answers;
        for (at, it) in answers.iter_mut().enumerate() {
            it.sample = u32::try_from(at).unwrap();
        }
        let forth = record(answers.clone());
        answers.reverse();
        let mut back = record(answers);
        // The example page of a kind depends on the order.
        back.cited_page_types.clone_from(&forth.cited_page_types);
        back.envelope.error.clone_from(&forth.envelope.error);
        prop_assert_eq!(serde_json::to_string(&forth).unwrap(), serde_json::to_string(&back).unwrap());
    }
}
