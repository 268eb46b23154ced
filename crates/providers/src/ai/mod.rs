//! AI engines. They are different series, and none stands in for another; two services that fetch the same engine's
//! answers do.

mod anthropic;
mod compatible;
mod failures;
mod gemini;
mod google;
mod openai;
mod perplexity;
mod places;
mod price;
mod responses;
mod secret_words;
mod settings;
mod source;
mod sources;
mod spans;
mod stand_in;
mod text;

pub use price::TokenPrices;
pub use settings::{AiSettings, CompatibleSettings, GoogleAnswerSettings, ModelSettings};

use crate::{
    http_client::client,
    paying::SpendingRules,
    resilience::Guard,
    sandbox::answers,
    search::{data_for_seo::DataForSeo, serp_api::SerpApi},
};
use anthropic::Anthropic;
use compatible::Compatible;
use domain::ports::{
    ai_answers::{AiEngine, AiEngines, OPERATION},
    clock::Clock,
    randomness::Randomness,
};
use gemini::Gemini;
use google::{GoogleAnswer, data_for_seo::FromDataForSeo, serp_api::FromSerpApi};
use openai::OpenAi;
use perplexity::Perplexity;
use source::{AnswerSource, Asker};
use stand_in::StandIn;
use std::sync::Arc;

/// The engines that the settings name, each guarded by itself; else the sandbox's, which never stand in for a real one.
pub fn configured(
    settings: &AiSettings,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> AiEngines {
    let around = Surroundings {
        settings,
        clock: Arc::clone(clock),
        randomness: Arc::clone(randomness),
    };
    let http = || client(settings.resilience.connect_timeout);
    let clock = || Arc::clone(clock);
    let mut engines: Vec<Arc<dyn AiEngine>> = Vec::new();
    if let Some(it) = settings.chatgpt.clone() {
        engines.push(around.guarded(OpenAi::new(it, http(), clock())));
    }
    if let Some(it) = settings.perplexity.clone() {
        engines.push(around.guarded(Perplexity::new(it, http(), clock())));
    }
    if let Some(it) = settings.gemini.clone() {
        engines.push(around.guarded(Gemini::new(it, http(), clock())));
    }
    if let Some(it) = settings.claude.clone() {
        engines.push(around.guarded(Anthropic::new(it, http(), clock())));
    }
    for (answer, wanted) in [
        (GoogleAnswer::Overview, settings.google.overview),
        (GoogleAnswer::Mode, settings.google.mode),
    ] {
        let mut services: Vec<Arc<dyn AiEngine>> = Vec::new();
        if let Some(it) = settings.google.serp_api.clone().filter(|_| wanted) {
            let client = SerpApi::new(it, http(), clock());
            services.push(around.guarded(FromSerpApi::new(client, answer)));
        }
        if let Some(it) = settings.google.data_for_seo.clone().filter(|_| wanted) {
            let client = DataForSeo::new(it, http(), clock());
            let price = settings.google.mode_price;
            services.push(around.guarded(FromDataForSeo::new(client, answer, price)));
        }
        match services.len() {
            0 => {}
            1 => engines.append(&mut services),
            _ => engines.push(Arc::new(StandIn::new(services))),
        }
    }
    if let Some(it) = settings.compatible.clone() {
        engines.push(around.guarded(Compatible::new(it, http(), clock())));
    }
    if engines.is_empty() {
        engines = answers::engines(&settings.sandbox, &clock());
    }
    AiEngines::new(engines)
}

struct Surroundings<'a> {
    settings: &'a AiSettings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

impl Surroundings<'_> {
    fn guarded(&self, source: impl AnswerSource + 'static) -> Arc<dyn AiEngine> {
        let resilience = self.settings.resilience.clone();
        let at_once = resilience.concurrent_calls.max(1);
        let spending = SpendingRules {
            paid_calls: self.settings.paid_calls,
            most_per_call: self.settings.most_per_call,
        };
        let guard = Guard::new(resilience, Arc::clone(&self.randomness));
        let guard = guard.named(source.name(), OPERATION);
        Arc::new(Asker::new(
            source,
            guard,
            Arc::clone(&self.clock),
            spending,
            at_once,
        ))
    }
}
