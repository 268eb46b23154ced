//! How an account queries each AI engine.

use crate::market::{Country, Language};
use crate::patch::Change;
use analysis::ai_prompts;
use std::ops::RangeInclusive;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The engine's public name.
    pub engine: String,
    pub is_active: bool,
    /// Number of samples of each prompt in a run.
    pub samples: u32,
    /// Maximum prompts per keyword.
    pub prompts: u32,
    /// Country of the query; `None` uses the keyword's.
    pub country: Option<Country>,
    /// Language of the prompts; `None` uses the keyword's.
    pub language: Option<Language>,
    /// Whether the engine searches the web; engines without web access ignore it.
    pub web_search: bool,
    /// Relative weight of its figures among the engines.
    pub weight: f64,
}

/// Which of the account's active engines an analysis queries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// All that are active when it runs.
    #[default]
    All,
    /// Those of these, by public name, that are active when it runs.
    Named(Vec<String>),
}

impl ModelChoice {
    pub fn includes(&self, engine: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|it| it == engine),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelChange {
    pub is_active: Change<bool>,
    pub samples: Change<u32>,
    pub prompts: Change<u32>,
    pub country: Change<Option<Country>>,
    pub language: Change<Option<Language>>,
    pub web_search: Change<bool>,
    pub weight: Change<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ModelRefusal {
    /// Fewer samples are not significant; more only cost.
    #[error("a prompt is sent {} to {} times", ModelSettings::SAMPLES.start(), ModelSettings::SAMPLES.end())]
    Samples,
    #[error("a keyword has {} to {} prompts", ModelSettings::PROMPTS.start(), ModelSettings::PROMPTS.end())]
    Prompts,
    /// There are no prompts in this language.
    #[error("prompts are written in {}", ai_prompts::LANGUAGES.join(", "))]
    Language,
    #[error("a weight is 0 to {}", ModelSettings::MAX_WEIGHT)]
    Weight,
}

impl ModelSettings {
    /// Samples of a prompt.
    pub const SAMPLES: RangeInclusive<u32> = 3..=20;
    pub const PROMPTS: RangeInclusive<u32> = 1..=6;
    pub const MAX_WEIGHT: f64 = 100.0;

    /// Settings of an engine that was not configured: five prompts, five samples each.
    pub fn default_for(engine: &str) -> Self {
        Self {
            engine: engine.to_owned(),
            is_active: true,
            samples: 5,
            prompts: u32::try_from(ai_prompts::DEFAULT_PROMPTS).unwrap_or(5),
            country: None,
            language: None,
            web_search: true,
            weight: 1.0,
        }
    }

    pub fn changed(mut self, change: ModelChange) -> Result<Self, ModelRefusal> {
        change.is_active.apply_to(&mut self.is_active);
        change.samples.apply_to(&mut self.samples);
        change.prompts.apply_to(&mut self.prompts);
        change.country.apply_to(&mut self.country);
        change.language.apply_to(&mut self.language);
        change.web_search.apply_to(&mut self.web_search);
        change.weight.apply_to(&mut self.weight);
        if !Self::SAMPLES.contains(&self.samples) {
            return Err(ModelRefusal::Samples);
        }
        if !Self::PROMPTS.contains(&self.prompts) {
            return Err(ModelRefusal::Prompts);
        }
        let known = |it: &Language| ai_prompts::LANGUAGES.contains(&it.to_string().as_str());
        if !self.language.as_ref().is_none_or(known) {
            return Err(ModelRefusal::Language);
        }
        if !(0.0..=Self::MAX_WEIGHT).contains(&self.weight) {
            return Err(ModelRefusal::Weight);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_settings_stay_and_values_out_of_range_are_refused() {
        let usual = || ModelSettings::default_for("chatgpt");
        let change = ModelChange {
            samples: Change::Set(20),
            country: Change::Set(Some(Country::parse("de").unwrap())),
            ..ModelChange::default()
        };
        let changed = usual().changed(change).unwrap();
        assert_eq!((changed.samples, changed.prompts), (20, 5));
        assert_eq!(changed.country.unwrap().to_string(), "de");
        for (change, refusal) in [
            (
                ModelChange {
                    samples: Change::Set(2),
                    ..ModelChange::default()
                },
                ModelRefusal::Samples,
            ),
            (
                ModelChange {
                    prompts: Change::Set(7),
                    ..ModelChange::default()
                },
                ModelRefusal::Prompts,
            ),
            (
                ModelChange {
                    weight: Change::Set(f64::NAN),
                    ..ModelChange::default()
                },
                ModelRefusal::Weight,
            ),
        ] {
            assert_eq!(usual().changed(change), Err(refusal));
        }
    }

    #[test]
    fn there_are_as_many_prompts_as_templates() {
        assert_eq!(
            *ModelSettings::PROMPTS.end() as usize,
            ai_prompts::MAX_PROMPTS
        );
    }
}
