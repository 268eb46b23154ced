//! AI engines. Each is its own series, so none replaces another; suppliers of the same engine do.

mod anthropic;
mod compatible;
mod failover;
mod failures;
mod gemini;
mod google;
mod openai;
mod perplexity;
mod price;
mod responses;
mod settings;
mod source;
mod sources;
mod spans;
mod text;
mod url_credentials;
mod user_location;

pub use anthropic::Claude;
pub use compatible::CompatibleSettings;
pub use gemini::GeminiSettings;
pub use google::GoogleSettings;
pub use openai::Chatgpt;
pub use perplexity::Perplexity;
pub use settings::{AiSettings, ModelName, ModelSettings, SentimentModel, Service};

use crate::paid_calls::SpendingRules;
use crate::sandbox::answers;
use crate::search::SearchSettings;
use crate::supplier::{Supplier, SupplierContext};
use domain::ports::ai_answers::{AiEngine, AiEngines, OPERATION};
use domain::ports::clock::Clock;
use domain::ports::randomness::Randomness;
use setting::Usd;
use source::{AnswerSource, GuardedEngine};
use std::sync::Arc;

/// The engines' own section, and the one with the SERP suppliers' credentials.
pub type Sections<'a> = (&'a AiSettings, &'a SearchSettings);

pub type AiSupplier<'a> = Supplier<Sections<'a>, dyn AiEngine>;

/// In display order.
pub const fn suppliers<'a>() -> [AiSupplier<'a>; 7] {
    [
        openai::supplier(),
        perplexity::supplier(),
        gemini::supplier(),
        anthropic::supplier(),
        google::overview(),
        google::mode(),
        compatible::supplier(),
    ]
}

/// The configured engines, each with its own guard; the sandbox's only if none is configured.
pub fn configured(
    sections: Sections<'_>,
    clock: &Arc<dyn Clock>,
    randomness: &Arc<dyn Randomness>,
) -> AiEngines {
    let (ai, search) = sections;
    let ctx = SupplierContext {
        resilience: ai.resilience_settings(),
        clock: Arc::clone(clock),
        randomness: Arc::clone(randomness),
        spending: SpendingRules {
            paid_calls: ai.paid_calls && search.paid_calls,
            max_per_call: ai.most_per_call.map(Usd::micros),
        },
    };
    let mut engines = Supplier::build_enabled(&suppliers(), &sections, &ctx);
    if engines.is_empty() {
        engines = answers::engines(&search.sandbox, clock);
    }
    let engines = AiEngines::new(engines);
    match ai.sentiment_by {
        Some(model) => engines.with_sentiment_engine(model.engine()),
        None => engines,
    }
}

fn guarded(source: impl AnswerSource + 'static, ctx: &SupplierContext) -> Arc<dyn AiEngine> {
    let guard = ctx.guard(source.name(), OPERATION);
    let at_once = ctx.resilience.concurrent_calls.max(1);
    Arc::new(GuardedEngine::new(
        source,
        guard,
        ctx.clock(),
        ctx.spending,
        at_once,
    ))
}
