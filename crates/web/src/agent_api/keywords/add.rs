//! POST /projects/:id/keywords.

use super::{AddedKeywordsView, MARKET, MarketMembers};
use crate::answer::Answer;
use crate::contract::fields::read_body;
use crate::contract::{EachOnce, List, body};
use crate::endpoint::Call;
use crate::problem::Problem;
use crate::refusals;
use crate::services::Services;
use domain::ids::ProjectId;
use domain::keyword::{Keyword, KeywordText, NewKeywords};
use domain::market::Market;
use domain::text::Tag;
use domain::use_cases::keywords::track::TrackedKeywords;
use std::sync::Arc;

body! {
    pub(crate) AddKeywords like { "keywords": ["rust seo tool"], "aiTracked": true, "market": { "country": "de", "language": "de" } } {
        keywords: List<KeywordText, 1, { NewKeywords::MOST }> = required "keywords" or "must hold at least one keyword", "Repeats are folded.";
        ai_tracked: bool = optional "aiTracked", "Whether the added keywords count toward the AI visibility allowance.";
        market: MarketMembers = optional "market", MARKET;
        tags: EachOnce<Tag, { Keyword::MOST_TAGS }> = nullable "tags";
    }
}

/// All keywords, or none if an allowance would be exceeded.
pub async fn add(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = call.project(&services).await?;
    call.query.finish()?;
    let new = read_body(&call.body, read)?;
    let stored = |tracked: &TrackedKeywords| answer(project.id, tracked).stored();
    let tracked = services
        .core
        .track_keywords(call.account(), project.id, &new, call.receipt(&stored))
        .await
        .map_err(refusals::of_project(project.id))?;
    Ok(answer(project.id, &tracked).kept())
}

fn answer(project: ProjectId, tracked: &TrackedKeywords) -> Answer {
    let status = if tracked.created.is_empty() { 200 } else { 201 };
    Answer::with_status(status, &AddedKeywordsView::of(project, tracked))
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
