//! GET /models.

use super::keywords::AllowanceView;
use crate::{answer::Answer, endpoint::Call, problem::Problem, services::Services};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The account's AI model settings.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Models)]
pub struct ModelsView {
    /// The settings; empty while no AI engine is connected.
    pub items: Vec<ModelView>,
    /// Always null: there are few.
    pub next_cursor: Option<String>,
    /// As many as there are.
    pub limit: u32,
    /// Room for AI-tracked keywords.
    pub allowance: ModelAllowance,
}

/// One AI model's settings.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Model)]
pub struct ModelView {
    /// Its id.
    pub id: String,
    /// Who runs it.
    pub provider: String,
    /// Its name there.
    pub model: String,
    /// What it is called here.
    pub label: String,
    /// Whether it is asked.
    pub active: bool,
    /// Whether it searches the web.
    pub web_search: bool,
    /// Answers for each prompt.
    pub samples_per_prompt: u32,
    /// Prompts for each keyword.
    pub prompts_per_keyword: u32,
    /// Its temperature, when it is set.
    pub temperature: Option<f64>,
    /// The country asked from.
    pub country: Option<String>,
    /// The language asked in.
    pub language: Option<String>,
    /// Whether its credentials are set.
    pub configured: bool,
    /// When it was last asked.
    pub last_used_at: Option<String>,
    /// What an answer costs.
    pub price_per_answer: Option<String>,
}

/// Room for AI-tracked keywords.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelAllowance {
    /// Keywords that are measured in AI answers.
    pub ai_tracked: AllowanceView,
}

/// Lists the AI model settings. No engine is connected in this version, so there are none.
pub async fn list(_: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    call.query.finish()?;
    let allowance = ModelAllowance {
        ai_tracked: AllowanceView::of(call.agent.account.ai_allowance()),
    };
    Ok(Answer::summary(&ModelsView {
        items: vec![],
        next_cursor: None,
        limit: 0,
        allowance,
    }))
}
