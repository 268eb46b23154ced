//! POST /projects/:id/keywords.

use super::{AddedKeywordsView, MARKET, MarketMembers};
use crate::contract::fields::read_body;
use crate::contract::{List, UniqueList, body};
use crate::endpoint::Call;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ids::ProjectId;
use domain::keyword::{Keyword, KeywordText, NewKeywords};
use domain::market::Market;
use domain::text::Tag;
use domain::use_cases::keywords::track::TrackedKeywords;
use std::sync::Arc;

body! {
    pub(crate) AddKeywords like { "keywords": ["rust seo tool"], "aiTracked": true, "market": { "country": "de", "language": "de" } } {
        keywords: List<KeywordText, 1, { NewKeywords::MAX_PER_CALL }> = required "keywords" or "must hold at least one keyword", "Repeats are folded.";
        ai_tracked: bool = optional "aiTracked", "Whether the added keywords count toward the AI visibility allowance.";
        market: MarketMembers = optional "market", MARKET;
        tags: UniqueList<Tag, { Keyword::MAX_TAGS }> = nullable "tags";
    }
}

/// All keywords, or none if an allowance would be exceeded.
pub async fn add(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?;
    call.query.finish()?;
    let new = read_body(&call.body, read)?;
    let stored = |tracked: &TrackedKeywords| response(project.id, tracked).to_stored();
    let tracked = services
        .core
        .track_keywords(
            call.account(),
            project.id,
            &new,
            call.idempotency_writer(&stored),
        )
        .await
        .map_err(refusals::project_problem(project.id))?;
    Ok(response(project.id, &tracked).marked_stored())
}

fn response(project: ProjectId, tracked: &TrackedKeywords) -> ApiResponse {
    let status = if tracked.created.is_empty() { 200 } else { 201 };
    ApiResponse::with_status(status, &AddedKeywordsView::of(project, tracked))
}

fn read(body: &AddKeywords) -> Option<NewKeywords> {
    let texts = body.keywords();
    let ai_tracked = body.ai_tracked();
    let market = body.market();
    let tags = body.tags().value();
    let base = Market::default();
    Some(NewKeywords {
        texts: texts?,
        ai_tracked,
        market: market.map_or_else(|| base.clone(), |it| it.of(&base)),
        tags: tags.unwrap_or_default(),
    })
}
