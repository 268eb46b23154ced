//! POST /projects/:id/keywords.

use super::{AddedKeywordsView, market};
use crate::{
    answer::Answer,
    endpoint::Call,
    fields::{Fields, read_body},
    problem::Problem,
    refusals,
    services::Services,
};
use domain::{
    ids::ProjectId,
    keyword::{Keyword, KeywordText, NewKeywords},
    market::Market,
    project::each_once,
    text::Tag,
    use_cases::keywords::track::TrackedKeywords,
};
use std::sync::Arc;

pub const FIELDS: [&str; 4] = ["keywords", "aiTracked", "market", "tags"];

/// All of them, or none when an allowance would be passed.
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

fn read(fields: &Fields) -> Option<NewKeywords> {
    fields.only(&FIELDS);
    let texts = fields.required(
        "keywords",
        fields.texts("keywords", NewKeywords::MOST, KeywordText::parse),
    );
    if texts.as_ref().is_some_and(Vec::is_empty) {
        fields.note_at("keywords", "too-few", "must hold at least one keyword");
    }
    let ai_tracked = fields.or_left_out("aiTracked", fields.flag("aiTracked"));
    let market = fields.or_left_out("market", market(fields, "market", &Market::default()));
    let tags = fields.texts("tags", Keyword::MOST_TAGS, Tag::parse).value();
    Some(NewKeywords {
        texts: texts?,
        ai_tracked,
        market: market.unwrap_or_default(),
        tags: each_once(tags.unwrap_or_default()),
    })
}
