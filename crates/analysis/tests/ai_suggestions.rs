//! Suggestions read published AI visibility records.

use analysis::{
    ai_answers::{
        brands::{BrandBook, BrandSpec},
        evaluate,
    },
    document::Document,
    findings::{
        ai_visibility::{PromptPanelKind, VisibilityInput, VisibilitySubject, visibility},
        suggestions::AiAnswers,
    },
    observation::ai_answer::{
        AiAnswer, AnswerCitation, AnswerState, AnswerUsage, CitationPart, EnginePrompt,
    },
    page_kind::PageKind,
    provenance::Provenance,
    result_type::ResultType,
};
use chrono::{DateTime, Utc};

fn answer(sample: u32) -> AiAnswer {
    let cited = AnswerCitation {
        url: "https://magazine.org/blog/the-ten-best-desks-of-all".to_owned(),
        title: None,
        domain: None,
        part: CitationPart::SourceList,
        spans: Vec::new(),
    };
    AiAnswer {
        engine: "gemini".to_owned(),
        provider: "gemini".to_owned(),
        provenance: Provenance::Measured,
        requested_model: None,
        served_model: None,
        prompt: EnginePrompt {
            prompt_id: "7.Q1.en.v1.00000000".to_owned(),
            keyword_id: Some(7),
            template: "Q1".to_owned(),
            template_version: 1,
            language: "en".to_owned(),
            is_branded: false,
            text: "Which standing desk would you recommend and why?".to_owned(),
        },
        sample,
        state: AnswerState::Answered,
        text: "Zyxwor and Quorvex make good ones.".to_owned(),
        citations: Some(vec![cited]),
        searches: Some(1),
        queries: Vec::new(),
        answered_at: DateTime::<Utc>::UNIX_EPOCH,
        usage: AnswerUsage::default(),
    }
}

#[test]
fn ai_answers_are_read_from_a_published_record() {
    let competitors = [
        BrandSpec::named("Zyxwor", "zyxwor.com"),
        BrandSpec::named("Quorvex", "quorvex.io"),
    ];
    let book = BrandBook::of(&BrandSpec::named("Acme", "acme.com"), &competitors, &[]);
    let answers: Vec<_> = (1..=5)
        .map(|sample| {
            let it = answer(sample);
            let evaluated = evaluate(&it, &book);
            (it, evaluated)
        })
        .collect();
    let record = visibility(&VisibilityInput {
        subject: VisibilitySubject {
            project_id: 3,
            keyword: Some((7, "standing desk")),
            country: None,
            location: None,
            language: "en",
        },
        engine: "gemini",
        panel: PromptPanelKind::Discovery,
        answers: &answers,
        book: &book,
        measured_at: DateTime::<Utc>::UNIX_EPOCH,
    });
    let read: AiAnswers = serde_json::from_str(Document::of(&record).as_str())
        .expect("a record that suggestions read");
    assert_eq!(read.result_type, ResultType::AiVisibility);
    assert_eq!(
        (read.keyword_id, read.keyword.as_str()),
        (7, "standing desk")
    );
    assert_eq!((read.answer_count, read.mention_count), (5, 0));
    let named: Vec<(&str, u64)> = { read.competitors.iter() }
        .map(|it| (it.name.as_str(), it.mention_count))
        .collect();
    assert_eq!(named, [("Quorvex", 5), ("Zyxwor", 5)]);
    assert_eq!(read.cited_page_types[0].page_type, PageKind::Article);
    assert_eq!(read.cited_page_types[0].answer_count, 5);
}
