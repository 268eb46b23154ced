//! PUT /api/settings/models; reading uses the agents' handler.

use crate::agent_api::models::list;
use crate::contract::fields::read_body;
use crate::contract::{List, body, bounded_numbers, nested_body};
use crate::endpoint::Call;
use crate::problem::{FieldError, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ai_models::{ModelChange, ModelSettings};
use domain::market::{Country, Language};
use domain::text::Text;
use domain::use_cases::ai_models::AiModelError;
use std::sync::Arc;

const MAX_MODELS: usize = 50;

bounded_numbers! {
    Samples => u32: ModelSettings::SAMPLES;
    Prompts => u32: ModelSettings::PROMPTS;
    Weight => f64: 0.0..=ModelSettings::MAX_WEIGHT;
}

body! {
    SetModels {
        items: List<SetModel, 0, MAX_MODELS> = required "items";
    }
}

body! {
    SetModel {
        id: Text<64> = required "id";
        is_active: bool = change "active";
        samples: Samples = change "samplesPerPrompt";
        prompts: Prompts = change "promptsPerKeyword";
        country: Country = nullable "country";
        language: Language = nullable "language";
        web_search: bool = change "webSearch";
        weight: Weight = change "weight";
    }
}
nested_body!(SetModel => (String, ModelChange): change);

/// All given models or none. Others stay unchanged.
pub async fn set(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let changes = read_body(&call.body, SetModels::items)?;
    let member = call.member()?;
    let states = { &services.core }.change_ai_models(&member.user, &changes);
    states.await.map_err(refused)?;
    list(services, call).await
}

fn change(it: &SetModel) -> Option<(String, ModelChange)> {
    let (id, weight) = (it.id(), it.weight());
    let change = ModelChange {
        is_active: it.is_active(),
        samples: it.samples(),
        prompts: it.prompts(),
        country: it.country().clearable(),
        language: it.language().clearable(),
        web_search: it.web_search(),
        weight,
    };
    Some((id?.to_string(), change))
}

fn refused(error: AiModelError) -> Problem {
    match error {
        AiModelError::NoSuchEngine { known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let rule = format!("must name engines among {}", known.join(", "));
            Problem::invalid_value(FieldError::in_body("/items", "invalid-value", rule))
        }
        AiModelError::Refused(refusal) => Problem::invalid_value(FieldError::in_body(
            "/items",
            "invalid-value",
            refusal.to_string(),
        )),
        AiModelError::Storage(error) => error.into(),
    }
}
