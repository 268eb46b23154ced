//! Plans what AI engines are asked: each prompt of a keyword's panel, several times, on every engine.

use super::{know_brands::KnownBrands, list_ai_models::AskedEngine};
use crate::{
    kept_answers::AnswerKey, keyword::Keyword, market::Market, ports::ai_answers::AiQuestion,
};
use analysis::{
    ai_prompts::{self, PromptTopic},
    observation::ai_answer::AskedPrompt,
    search_intent,
};
use chrono::NaiveDate;
use std::{collections::HashSet, sync::Arc};

/// Branded prompts of a project at the most.
pub const BRANDED_PROMPTS: u64 = 2;

/// Plans prompts.
pub struct PlanPrompts {
    brands: Arc<KnownBrands>,
    site: String,
    day: NaiveDate,
}

/// What an engine is asked, once.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The prompt.
    pub prompt: AskedPrompt,
    /// Which repeat, from 1.
    pub sample: u32,
    /// As the engine hears it.
    pub asked: AiQuestion,
}

/// How many questions a run has at the most, with so many keywords.
#[must_use]
pub fn most_questions(engine: &AskedEngine, keywords: u64, with_brand: bool) -> u64 {
    let settings = &engine.settings;
    let branded = if with_brand { BRANDED_PROMPTS } else { 0 };
    let prompts = keywords.saturating_mul(settings.prompts.into());
    prompts
        .saturating_add(branded)
        .saturating_mul(settings.samples.into())
}

impl Question {
    /// What tells its answer from others of the run.
    #[must_use]
    pub fn key(&self, engine: &AskedEngine) -> AnswerKey {
        AnswerKey {
            engine: engine.label.name.clone(),
            prompt_id: self.prompt.prompt_id.clone(),
            sample: self.sample,
        }
    }
}

impl PlanPrompts {
    /// For a site with these brands, on that day.
    #[must_use]
    pub fn new(brands: Arc<KnownBrands>, site: &str, day: NaiveDate) -> Self {
        Self {
            brands,
            site: site.to_owned(),
            day,
        }
    }

    /// What an engine is asked about a keyword. Every prompt comes once before any comes again, so
    /// that a run that is cut short has asked each of them.
    #[must_use]
    pub fn about(&self, engine: &AskedEngine, keyword: &Keyword) -> Vec<Question> {
        let settings = &engine.settings;
        let text = keyword.text.as_str();
        let market = &keyword.market;
        let language = settings.language.unwrap_or(market.language).to_string();
        let location = market.location.as_ref().map(ToString::to_string);
        let topic = PromptTopic {
            keyword_id: keyword.id.0,
            keyword: text,
            language: &language,
            location: location.as_deref(),
            intent: search_intent::of(text, &language, None),
        };
        let most = usize::try_from(settings.prompts).unwrap_or(usize::MAX);
        let panel = ai_prompts::panel(&topic, &self.brands.book, most);
        self.repeated(engine, &panel.prompts, market)
    }

    /// What an engine is asked about the project by its name, where most of its keywords are
    /// searched. Nothing in a language without templates.
    #[must_use]
    pub fn about_the_brand(&self, engine: &AskedEngine, market: &Market) -> Vec<Question> {
        let language = engine.settings.language.unwrap_or(market.language);
        let brands = &self.brands;
        let prompts = ai_prompts::branded(
            &brands.name,
            brands.category.as_deref(),
            &language.to_string(),
        );
        self.repeated(engine, &prompts, market)
    }

    fn repeated(
        &self,
        engine: &AskedEngine,
        prompts: &[AskedPrompt],
        market: &Market,
    ) -> Vec<Question> {
        let settings = &engine.settings;
        let country = settings.country.unwrap_or(market.country).to_string();
        let location = market.location.as_ref().map(ToString::to_string);
        (1..=settings.samples)
            .flat_map(|sample| prompts.iter().map(move |prompt| (sample, prompt)))
            .map(|(sample, prompt)| Question {
                prompt: prompt.clone(),
                sample,
                asked: AiQuestion {
                    prompt: prompt.text.clone(),
                    language: prompt.language.clone(),
                    country: country.clone(),
                    location: location.clone(),
                    web_search: settings.web_search,
                    sample,
                    day: self.day,
                    site: self.site.clone(),
                    brand: self.brands.name.clone(),
                },
            })
            .collect()
    }
}

/// The questions that have no answer yet.
#[must_use]
pub fn unanswered(
    engine: &AskedEngine,
    questions: Vec<Question>,
    answered: &HashSet<AnswerKey>,
) -> Vec<Question> {
    let is_open = |it: &Question| !answered.contains(&it.key(engine));
    questions.into_iter().filter(is_open).collect()
}
