//! Prompt panels: the prompts to AI engines about a keyword, and about a project by name.
//!
//! The templates (`templates.tsv`, ours) ask neither for sources nor for brands, which would change
//! the answers. A panel is a pure function of the keyword, so that it is the same in every run; every
//! change of a template needs a new [`TEMPLATE_VERSION`].

use crate::{
    ai_answers::brands::BrandBook, keyword_text, observation::ai_answer::EnginePrompt,
    search_intent::Intent,
};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, sync::LazyLock};

pub const TEMPLATE_VERSION: u32 = 1;
/// Default per keyword.
pub const DEFAULT_PROMPTS: usize = 5;
pub const MAX_PROMPTS: usize = 6;

pub const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "it", "nl", "pl", "cs", "sk", "hu"];

#[derive(Debug, Clone, Copy)]
pub struct PromptTopic<'a> {
    pub keyword_id: i64,
    /// As the owner wrote it.
    pub keyword: &'a str,
    /// ISO 639-1, lower case.
    pub language: &'a str,
    /// In the spelling of the language.
    pub location: Option<&'a str>,
    pub intent: Option<Intent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPanel {
    /// Most important first.
    pub prompts: Vec<EnginePrompt>,
    /// Whether the language has templates; without them the keyword is the only prompt.
    pub has_templates: bool,
}

/// `max_prompts` is clamped to 1 to [`MAX_PROMPTS`]. Prompts for the intent come first; those that name the project
/// are branded.
pub fn panel(topic: &PromptTopic<'_>, book: &BrandBook, max_prompts: usize) -> PromptPanel {
    let templates = Templates::of(topic.language);
    let mut prompts: Vec<EnginePrompt> = Vec::new();
    for template in template_order(topic, templates) {
        if prompts.len() == max_prompts.clamp(1, MAX_PROMPTS) {
            break;
        }
        let Some((template, text)) = prompt_text(topic, templates, template) else {
            continue;
        };
        let repeats = prompts.iter().any(|it| it.text == text);
        if !repeats {
            prompts.push(prompt(
                Some(topic.keyword_id),
                topic.language,
                template,
                text,
                book,
            ));
        }
    }
    PromptPanel {
        prompts,
        has_templates: templates.is_some(),
    }
}

/// Prompts that name the project, with its `category` if known; empty in a language without templates.
pub fn branded_prompts(brand: &str, category: Option<&str>, language: &str) -> Vec<EnginePrompt> {
    let Some(templates) = Templates::of(language) else {
        return Vec::new();
    };
    let brand = keyword_text::display(brand);
    let branded_prompt = |template: &'static str, words: String| EnginePrompt {
        is_branded: true,
        ..unbranded_prompt(None, language, template, words)
    };
    let mut prompts = Vec::new();
    if let Some(words) = templates.words.get("B1") {
        prompts.push(branded_prompt("B1", words.replace("{brand}", &brand)));
    }
    if let (Some(words), Some(category)) = (templates.words.get("B2"), category) {
        let words = words.replace("{category}", &keyword_text::display(category));
        prompts.push(branded_prompt("B2", words.replace("{brand}", &brand)));
    }
    prompts
}

/// Without a location Q6 replaces Q4. A question is used unchanged, with its follow-up.
fn template_order(
    topic: &PromptTopic<'_>,
    templates: Option<&Templates>,
) -> &'static [&'static str] {
    if templates.is_some_and(|it| it.questions.contains(&first_word(topic.keyword).as_str())) {
        return &["Q3question", "Q1question", "Q2question"];
    }
    match topic.intent {
        Some(Intent::Informational) => &["Q3", "Q5", "Q2", "Q1", "Q4", "Q6"],
        Some(Intent::Commercial) => &["Q2", "Q1", "Q5", "Q3", "Q4", "Q6"],
        Some(Intent::Transactional) => &["Q1", "Q4", "Q2", "Q5", "Q3", "Q6"],
        Some(Intent::Navigational) => &["Q5", "Q3", "Q1", "Q2", "Q4", "Q6"],
        None => &["Q1", "Q2", "Q3", "Q5", "Q4", "Q6"],
    }
}

fn first_word(keyword: &str) -> String {
    let normalised = keyword_text::normalized(keyword);
    normalised.split(' ').next().unwrap_or_default().to_owned()
}

fn as_question(keyword: &str) -> String {
    let words = keyword.trim_end_matches(['?', '!', '.', ' ', '\u{a0}']);
    format!("{words}?")
}

fn prompt_text(
    topic: &PromptTopic<'_>,
    templates: Option<&Templates>,
    template: &'static str,
) -> Option<(&'static str, String)> {
    let keyword = keyword_text::display(topic.keyword);
    if ["Q5", "Q3question"].contains(&template) {
        return Some((template, keyword));
    }
    let templates = templates?;
    let template = match template {
        "Q3" if templates.verbs.contains(&first_word(&keyword).as_str()) => "Q3howTo",
        other => other,
    };
    let words = templates.words.get(template)?;
    let words = match topic.location {
        Some(location) => words.replace("{location}", &keyword_text::display(location)),
        None if words.contains("{location}") => return None,
        None => (*words).to_owned(),
    };
    let words = words.replace("{question}", &as_question(&keyword));
    Some((template, words.replace("{keyword}", &keyword)))
}

fn prompt(
    keyword_id: Option<i64>,
    language: &str,
    template: &str,
    text: String,
    book: &BrandBook,
) -> EnginePrompt {
    EnginePrompt {
        is_branded: book.names_own(&text, language),
        ..unbranded_prompt(keyword_id, language, template, text)
    }
}

fn unbranded_prompt(
    keyword_id: Option<i64>,
    language: &str,
    template: &str,
    text: String,
) -> EnginePrompt {
    EnginePrompt {
        prompt_id: prompt_id(keyword_id, template, language, &text),
        keyword_id,
        template: template.to_owned(),
        template_version: TEMPLATE_VERSION,
        language: language.to_owned(),
        is_branded: false,
        text,
    }
}

/// Depends on the prompt only, not on the run.
fn prompt_id(keyword_id: Option<i64>, template: &str, language: &str, text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let sum = u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]);
    let subject = keyword_id.map_or_else(|| "project".to_owned(), |it| it.to_string());
    format!("{subject}.{template}.{language}.v{TEMPLATE_VERSION}.{sum:08x}")
}

#[derive(Debug, Default)]
struct Templates {
    words: HashMap<&'static str, &'static str>,
    questions: Vec<&'static str>,
    verbs: Vec<&'static str>,
}

impl Templates {
    fn of(language: &str) -> Option<&'static Self> {
        static ALL: LazyLock<HashMap<&'static str, Templates>> = LazyLock::new(read);
        ALL.get(language)
    }
}

fn read() -> HashMap<&'static str, Templates> {
    let mut all: HashMap<&'static str, Templates> = HashMap::new();
    let rows = include_str!("templates.tsv").lines();
    for row in rows.filter(|it| !it.starts_with('#')) {
        let mut cells = row.splitn(3, '\t');
        let (Some(language), Some(template), Some(words)) =
            (cells.next(), cells.next(), cells.next())
        else {
            continue;
        };
        let of_language = all.entry(language).or_default();
        match template {
            "questions" => of_language.questions = words.split(' ').collect(),
            "verbs" => of_language.verbs = words.split(' ').collect(),
            template => {
                of_language.words.insert(template, words);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests;
