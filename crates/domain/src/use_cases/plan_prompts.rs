//! Plans the queries to AI engines: each prompt of a keyword's panel, several samples, on every engine.

use super::{ai_models::ActiveEngine, brands::ProjectBrands};
use crate::{
    kept_answers::AnswerKey, keyword::Keyword, market::Market, ports::ai_answers::AiQuery,
    project::Project,
};
use analysis::ai_prompts::PromptTopic;
use analysis::observation::ai_answer::EnginePrompt;
use analysis::{ai_prompts, search_intent};
use chrono::NaiveDate;
use std::{collections::HashSet, hash::BuildHasher, sync::Arc};

/// Number of prompts that name the project; one more if its category is known.
pub fn branded_prompts(project: &Project) -> u64 {
    1 + u64::from(project.meta.category.is_some())
}

pub struct PlanPrompts {
    brands: Arc<ProjectBrands>,
    site: String,
    day: NaiveDate,
}

/// A single query to an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedQuery {
    pub prompt: EnginePrompt,
    /// Number of the sample, from 1.
    pub sample: u32,
    pub query: AiQuery,
}

pub fn max_queries(engine: &ActiveEngine, keywords: u64, branded: u64) -> u64 {
    let settings = &engine.settings;
    let prompts = keywords.saturating_mul(settings.prompts.into());
    prompts
        .saturating_add(branded)
        .saturating_mul(settings.samples.into())
}

impl PlannedQuery {
    pub fn key(&self, engine: &ActiveEngine) -> AnswerKey {
        AnswerKey {
            engine: engine.label.name.clone(),
            prompt_id: self.prompt.prompt_id.clone(),
            sample: self.sample,
        }
    }
}

impl PlanPrompts {
    pub fn new(brands: Arc<ProjectBrands>, site: &str, day: NaiveDate) -> Self {
        Self {
            brands,
            site: site.to_owned(),
            day,
        }
    }

    /// Queries to an engine about a keyword. All prompts come once before any repeats, so that an
    /// interrupted run covers each.
    pub fn about(&self, engine: &ActiveEngine, keyword: &Keyword) -> Vec<PlannedQuery> {
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
            intent: search_intent::classify(text, &language, None),
        };
        let max_prompts = usize::try_from(settings.prompts).unwrap_or(usize::MAX);
        let panel = ai_prompts::panel(&topic, &self.brands.book, max_prompts);
        self.repeated(engine, &panel.prompts, market)
    }

    /// Queries to an engine that name the project, in the market of most keywords. None in a
    /// language without templates.
    pub fn about_the_brand(&self, engine: &ActiveEngine, market: &Market) -> Vec<PlannedQuery> {
        let language = engine.settings.language.unwrap_or(market.language);
        let brands = &self.brands;
        let prompts = ai_prompts::branded_prompts(
            &brands.name,
            brands.category.as_deref(),
            &language.to_string(),
        );
        self.repeated(engine, &prompts, market)
    }

    fn repeated(
        &self,
        engine: &ActiveEngine,
        prompts: &[EnginePrompt],
        market: &Market,
    ) -> Vec<PlannedQuery> {
        let settings = &engine.settings;
        let country = settings.country.unwrap_or(market.country).to_string();
        let location = market.location.as_ref().map(ToString::to_string);
        (1..=settings.samples)
            .flat_map(|sample| prompts.iter().map(move |prompt| (sample, prompt)))
            .map(|(sample, prompt)| PlannedQuery {
                prompt: prompt.clone(),
                sample,
                query: AiQuery {
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

pub fn unanswered<S: BuildHasher>(
    engine: &ActiveEngine,
    questions: Vec<PlannedQuery>,
    answered: &HashSet<AnswerKey, S>,
) -> Vec<PlannedQuery> {
    let is_open = |it: &PlannedQuery| !answered.contains(&it.key(engine));
    questions.into_iter().filter(is_open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ai_models::ModelSettings;
    use crate::market::{Country, Language};
    use crate::ports::ai_answers::{EngineLabel, MockAiEngine};
    use crate::ports::clock::Clock;
    use crate::test_support::{FrozenClock, a_keyword};
    use analysis::ai_answers::brands::{BrandBook, BrandSpec};
    use analysis::provenance::Provenance;
    use analysis::url_rules::{OwnSites, SiteScope};

    fn engine(settings: ModelSettings) -> ActiveEngine {
        ActiveEngine {
            engine: Arc::new(MockAiEngine::new()),
            label: EngineLabel {
                name: settings.engine.clone(),
                title: "Gemini".to_owned(),
                provider: "gemini".to_owned(),
                model: None,
                provenance: Provenance::Measured,
                has_sources: true,
                forces_retrieval: true,
            },
            settings,
        }
    }

    fn plan() -> PlanPrompts {
        let brands = ProjectBrands {
            book: BrandBook::of(&BrandSpec::named("Zyxwor", "zyxwor.com"), &[], &[]),
            own: OwnSites::of(SiteScope::of("zyxwor.com")),
            name: "Zyxwor".to_owned(),
            category: Some("desks".to_owned()),
            auto_competitors: vec![],
        };
        let day = FrozenClock::default().now().date_naive();
        PlanPrompts::new(Arc::new(brands), "zyxwor.com", day)
    }

    #[test]
    fn every_prompt_is_planned_once_before_any_repeat() {
        let engine = engine(ModelSettings {
            samples: 3,
            prompts: 4,
            ..ModelSettings::default_for("gemini")
        });
        let questions = plan().about(&engine, &a_keyword("standing desk"));
        let samples: Vec<u32> = questions.iter().map(|it| it.sample).collect();
        assert_eq!(samples, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
        let first: HashSet<&str> = { questions[..4].iter() }
            .map(|it| it.prompt.prompt_id.as_str())
            .collect();
        assert_eq!(first.len(), 4);
        assert_eq!(max_queries(&engine, 1, 0), 12);
        assert_eq!(max_queries(&engine, 1, 2), 12 + 6);
        let branded = plan().about_the_brand(&engine, &Market::default());
        assert_eq!(branded.len(), 6);
        assert!(branded.iter().all(|it| it.prompt.is_branded));
    }

    #[test]
    fn model_settings_override_the_keywords_market() {
        let mut settings = ModelSettings::default_for("gemini");
        let query_with = |settings: &ModelSettings| {
            let engine = engine(settings.clone());
            plan().about(&engine, &a_keyword("desk"))[0].query.clone()
        };
        let own = query_with(&settings);
        assert_eq!((own.country.as_str(), own.language.as_str()), ("us", "en"));
        settings.country = Country::parse("at").ok();
        settings.language = Language::parse("de").ok();
        settings.web_search = false;
        let set = query_with(&settings);
        assert_eq!((set.country.as_str(), set.language.as_str()), ("at", "de"));
        assert!(own.web_search && !set.web_search);
        assert_eq!(
            (set.brand.as_str(), set.site.as_str()),
            ("Zyxwor", "zyxwor.com")
        );
    }

    #[test]
    fn answered_queries_are_not_planned_again() {
        let engine = engine(ModelSettings::default_for("gemini"));
        let questions = plan().about(&engine, &a_keyword("desk"));
        let answered: HashSet<AnswerKey> =
            questions[..7].iter().map(|it| it.key(&engine)).collect();
        let open = unanswered(&engine, questions.clone(), &answered);
        assert_eq!(open, questions[7..]);
    }
}
