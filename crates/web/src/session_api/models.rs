//! PUT /api/settings/models; reading them is the agents' handler.

use crate::{
    agent_api::models::list,
    answer::Answer,
    endpoint::Call,
    fields::{Fields, Given, read_body},
    problem::{FieldError, Problem},
    services::Services,
};
use domain::{
    ai_models::{ModelChange, ModelSettings},
    market::{Country, Language},
    patch::Change,
    text::Text,
    use_cases::ai_models::AiModelError,
};
use std::{ops::RangeInclusive, sync::Arc};

const MOST_MODELS: usize = 50;
const FIELDS: [&str; 8] = [
    "id",
    "active",
    "samplesPerPrompt",
    "promptsPerKeyword",
    "country",
    "language",
    "webSearch",
    "weight",
];

/// All that is named, or nothing. What is not named stays.
pub async fn set(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    call.query.finish()?;
    let changes = read_body(&call.body, |fields| {
        fields.only(&["items"]);
        fields.required("items", fields.objects("items", MOST_MODELS, change))
    })?;
    let states = { &services.core }.change_ai_models(call.account(), &changes);
    states.await.map_err(refused)?;
    list(services, call).await
}

fn change(fields: &Fields) -> Option<(String, ModelChange)> {
    fields.only(&FIELDS);
    let id = fields.required("id", fields.text("id", Text::<64>::parse));
    let weight = fields.number("weight", "must be a number from 0 to 100", |it| {
        (0.0..=ModelSettings::MOST_WEIGHT).contains(&it)
    });
    let change = ModelChange {
        is_active: fields.change("active", fields.flag("active")),
        samples: count(fields, "samplesPerPrompt", &ModelSettings::SAMPLES),
        prompts: count(fields, "promptsPerKeyword", &ModelSettings::PROMPTS),
        country: fields.text("country", Country::parse).clearable(),
        language: fields.text("language", Language::parse).clearable(),
        web_search: fields.change("webSearch", fields.flag("webSearch")),
        weight: fields.change("weight", weight),
    };
    Some((id?.to_string(), change))
}

fn count(fields: &Fields, name: &str, bounds: &RangeInclusive<u32>) -> Change<u32> {
    let rule = format!(
        "must be a whole number from {} to {}",
        bounds.start(),
        bounds.end()
    );
    let (least, most) = (f64::from(*bounds.start()), f64::from(*bounds.end()));
    let given: Given<f64> = fields.number(name, &rule, |it| {
        it.fract() == 0.0 && (least..=most).contains(&it)
    });
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, and within small bounds"
    )]
    match fields.change(name, given) {
        Change::Keep => Change::Keep,
        Change::Set(number) => Change::Set(number as u32),
    }
}

fn refused(error: AiModelError) -> Problem {
    match error {
        AiModelError::NoSuchEngine { known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let rule = format!("must name engines among {}", known.join(", "));
            Problem::invalid_value(FieldError::at("/items", "invalid-value", rule))
        }
        AiModelError::Refused(refusal) => Problem::invalid_value(FieldError::at(
            "/items",
            "invalid-value",
            refusal.to_string(),
        )),
        AiModelError::Storage(error) => error.into(),
    }
}
