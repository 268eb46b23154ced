//! Prompts of panels.

use super::*;
use crate::ai_answers::brands::BrandSpec;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn book() -> BrandBook {
    BrandBook::of(&BrandSpec::named("Nordika", "nordika.com"), &[], &[])
}

fn topic<'a>(keyword: &'a str, language: &'a str) -> PromptTopic<'a> {
    PromptTopic {
        keyword_id: 7,
        keyword,
        language,
        location: None,
        intent: None,
    }
}

fn texts(topic: &PromptTopic<'_>) -> Vec<String> {
    let panel = panel(topic, &book(), DEFAULT_PROMPTS);
    panel.prompts.into_iter().map(|it| it.text).collect()
}

#[test]
fn every_language_has_every_template_and_five_different_prompts() {
    for language in LANGUAGES {
        let templates = Templates::of(language).unwrap();
        for template in [
            "Q1",
            "Q2",
            "Q3",
            "Q4",
            "Q6",
            "Q1question",
            "Q2question",
            "B1",
            "B2",
        ] {
            assert!(
                templates.words.contains_key(template),
                "{language} {template}"
            );
        }
        assert!(templates.questions.len() > 8, "{language}");
        let prompts = panel(&topic("standing desk", language), &book(), DEFAULT_PROMPTS).prompts;
        assert_eq!(prompts.len(), 5, "{language}");
        for prompt in &prompts {
            assert!(prompt.text.contains("standing desk") && !prompt.text.contains('{'));
            assert!(!prompt.is_branded);
        }
    }
    assert_eq!(Templates::of("sv").map(|it| it.words.len()), None);
}

#[test]
fn the_english_panel_has_the_documented_prompts() {
    let with_place = PromptTopic {
        location: Some("Leeds"),
        ..topic("standing desk", "en")
    };
    assert_eq!(
        texts(&with_place),
        [
            "Which standing desk would you recommend and why?",
            "What are the best options for standing desk? Compare them.",
            "What should I know about standing desk before I decide?",
            "standing desk",
            "Where can I get standing desk in Leeds?",
        ]
    );
}

#[test]
fn questions_stay_and_verb_phrases_become_questions() {
    assert_eq!(
        texts(&topic("how to fold a sofa", "en")),
        [
            "how to fold a sofa",
            "how to fold a sofa? What would you recommend, and why?",
            "how to fold a sofa? Please compare the best options.",
        ]
    );
    let marked = texts(&topic("Was kostet ein Sofa?", "de"));
    assert_eq!(marked[0], "Was kostet ein Sofa?");
    assert!(marked[1].starts_with("Was kostet ein Sofa? Was "));
    assert!(texts(&topic("fold a sofa", "en")).contains(&"fold a sofa".to_owned()));
    assert!(texts(&topic("clean a sofa", "en")).contains(&"How do I clean a sofa?".to_owned()));
    assert!(texts(&topic("jak složit pohovku", "cs")).contains(&"jak složit pohovku".to_owned()));
}

#[test]
fn the_intent_decides_which_prompt_is_first() {
    let first = |intent| {
        let topic = PromptTopic {
            intent: Some(intent),
            ..topic("sofa", "en")
        };
        panel(&topic, &book(), 1).prompts[0].template.clone()
    };
    assert_eq!(first(Intent::Informational), "Q3");
    assert_eq!(first(Intent::Commercial), "Q2");
    assert_eq!(first(Intent::Transactional), "Q1");
    assert_eq!(first(Intent::Navigational), "Q5");
}

#[test]
fn prompts_that_name_the_project_are_branded() {
    let prompts = panel(&topic("nordika sofa reviews", "en"), &book(), 5).prompts;
    assert!(prompts.iter().all(|it| it.is_branded));
    let branded = branded_prompts("Nordika", Some("Möbel"), "de");
    let texts: Vec<&str> = branded.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["Was ist Nordika?", "Ist Nordika gut für: Möbel?"]);
    assert!(
        branded
            .iter()
            .all(|it| it.is_branded && it.keyword_id.is_none())
    );
}

#[test]
fn without_templates_the_keyword_is_the_only_prompt() {
    let found = panel(&topic("skrivbord", "sv"), &book(), 5);
    assert!(!found.has_templates);
    assert_eq!(found.prompts.len(), 1);
    assert_eq!(found.prompts[0].text, "skrivbord");
}

#[test]
fn no_template_requests_sources() {
    for row in include_str!("templates.tsv").lines() {
        let row = row.to_lowercase();
        for word in [
            "source", "quellen", "zdroj", "forrás", "źród", "fuente", "fonti", "bron",
        ] {
            assert!(!row.contains(word), "{row}");
        }
    }
}

proptest! {
    #[test]
    fn panels_are_deterministic_and_prompt_ids_are_unique(
        keyword in "[a-zá-ž ]{1,30}", at in 0_usize..10, max_prompts in 0_usize..9
    ) {
        let topic = topic(&keyword, LANGUAGES[at]);
        let one = panel(&topic, &book(), max_prompts);
        prop_assert_eq!(&one, &panel(&topic, &book(), max_prompts));
        prop_assert!(!one.prompts.is_empty() && one.prompts.len() <= MAX_PROMPTS);
        let ids: BTreeSet<&String> = one.prompts.iter().map(|it| &it.prompt_id).collect();
        prop_assert_eq!(ids.len(), one.prompts.len());
    }
}
