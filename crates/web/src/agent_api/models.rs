//! GET /models.

use super::keywords::AllowanceView;
use crate::{
    ToSchema, endpoint::Call, problem::Problem, response::ApiResponse, services::Services,
};
use analysis::provenance::Provenance;
use chrono::{DateTime, Utc};
use domain::{money::MicroUsd, use_cases::ai_models::AiModel};
use serde::Serialize;
use std::sync::Arc;

/// The account's AI model settings.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Models)]
pub struct ModelsView {
    /// The engines of this server, and then those that it could have.
    pub items: Vec<ModelView>,
    /// Always null: there are few.
    pub next_cursor: Option<String>,
    /// As many as there are.
    pub limit: u32,
    /// Room for AI-tracked keywords.
    pub allowance: ModelAllowance,
}

/// One AI engine, and how the account queries it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Model)]
pub struct ModelView {
    /// Its id: the engine's name, as in records.
    pub id: String,
    /// A neutral label of who fetches its answers; its own name while it is not set up.
    pub provider: String,
    /// The model that is queried; its own name where none can be chosen, or while it is not set up.
    pub model: String,
    /// What it is called here.
    pub label: String,
    /// What its answers are: `measured`, or `simulated` by the sandbox; null while it is not set up.
    pub provenance: Option<Provenance>,
    /// Whether the account queries it.
    pub active: bool,
    /// Whether it is to look at the web.
    pub web_search: bool,
    /// Whether its answers can have sources; null while it is not set up.
    pub has_sources: Option<bool>,
    /// How often each prompt is sent in a run.
    pub samples_per_prompt: u32,
    /// Prompts for each keyword at the most.
    pub prompts_per_keyword: u32,
    /// Always null: engines answer with the temperature that their users get.
    pub temperature: Option<f64>,
    /// The country of the queries; null takes the keyword's.
    pub country: Option<String>,
    /// The language of the prompts; null takes the keyword's.
    pub language: Option<String>,
    /// How much its figures count beside those of the others.
    pub weight: f64,
    /// Whether the operator has set it up.
    pub configured: bool,
    /// Why it is not queried although it is set up: it costs money that is not to be spent.
    pub unavailable: Option<String>,
    /// When the account queried it last.
    pub last_used_at: Option<DateTime<Utc>>,
    /// What an answer costs at the most, a decimal number; null while it is not set up or not available.
    pub price_per_answer: Option<String>,
    /// The currency of that, ISO 4217.
    pub currency: &'static str,
}

/// Room for AI-tracked keywords.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelAllowance {
    /// Keywords that are measured in AI answers.
    pub ai_tracked: AllowanceView,
}

impl ModelView {
    fn of(model: &AiModel) -> Self {
        let settings = &model.settings;
        let set_up = model.configured.as_ref();
        let label = set_up.map(|it| &it.label);
        let own_name = || settings.engine.clone();
        Self {
            id: settings.engine.clone(),
            provider: label.map_or_else(own_name, |it| it.provider.clone()),
            model: { label.and_then(|it| it.model.clone()) }.unwrap_or_else(own_name),
            label: model.title.clone(),
            provenance: label.map(|it| it.provenance),
            active: settings.is_active,
            web_search: settings.web_search,
            has_sources: label.map(|it| it.has_sources),
            samples_per_prompt: settings.samples,
            prompts_per_keyword: settings.prompts,
            temperature: None,
            country: settings.country.as_ref().map(ToString::to_string),
            language: settings.language.as_ref().map(ToString::to_string),
            weight: settings.weight,
            configured: set_up.is_some(),
            unavailable: set_up.and_then(|it| it.paid_call_refusal.map(|it| it.to_string())),
            last_used_at: model.last_used_at,
            price_per_answer: { set_up.and_then(|it| it.max_spend) }.map(|it| it.cost.to_string()),
            currency: MicroUsd::CURRENCY,
        }
    }
}

pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let models = services.core.ai_models(call.account()).await?;
    let items: Vec<ModelView> = models.iter().map(ModelView::of).collect();
    let allowance = ModelAllowance {
        ai_tracked: AllowanceView::of(call.tenant().ai_allowance()),
    };
    Ok(ApiResponse::summary(&ModelsView {
        limit: u32::try_from(items.len()).unwrap_or(u32::MAX),
        items,
        next_cursor: None,
        allowance,
    }))
}
