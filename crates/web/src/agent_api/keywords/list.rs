//! GET /projects/:id/keywords.

use super::KeywordView;
use crate::agent_api::{ListBody, StatusFilter, paging, written};
use crate::answer::Answer;
use crate::contract::{FreeText, query};
use crate::endpoint::Call;
use crate::paging::{Limits, bound_part, fields, order, pages, total, wanted};
use crate::problem::Problem;
use crate::refusals;
use crate::selection::{KEYWORD, Selection};
use crate::services::Services;
use domain::page::Direction;
use domain::ports::keywords::{KeywordFilter, KeywordSort};
use std::sync::Arc;

pub const LIST_LIMITS: Limits = Limits {
    default: 100,
    most: 500,
};

pub const SORTS: [(&str, KeywordSort); 3] = [
    ("createdAt", KeywordSort::CreatedAt),
    ("text", KeywordSort::Text),
    ("position", KeywordSort::Position),
];

query! {
    pub(crate) ListKeywords {
        ..pages(LIST_LIMITS);
        ..total();
        ..fields(&KEYWORD);
        ..order(&SORTS, "The order; a leading - reverses. createdAt when left out.");
        status: StatusFilter = optional "status", "active when left out.";
        ai_tracked: bool = optional "aiTracked", "Only AI-tracked ones, or only others.";
        tag: FreeText<50> = optional "tag", "Only with this tag.";
        search: FreeText<200> = optional "search", "Only with this text in the keyword.";
    }
}

pub async fn list(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = call.project_id()?;
    let bound_to = bound_part(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Ascending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let query = &call.query;
    let asked = ListKeywords(query);
    let search = { asked.search() }.map(|text| analysis::keyword_text::normalised(&text));
    let filter = KeywordFilter {
        status: asked.status().unwrap_or_default().0,
        ai_tracked: asked.ai_tracked(),
        tag: asked.tag(),
        search: search.filter(|text| !text.is_empty()),
    };
    let fields = Selection::read(query, &KEYWORD);
    let request = paging.request(key, now);
    // An unknown project (404) is reported before query errors (422).
    let Some(request) = request.filter(|_| query.finish().is_ok()) else {
        call.project(&services).await?;
        return wanted(None, query);
    };
    let mut page = services
        .core
        .keywords(call.account(), project, &filter, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = written(call.telling, &mut page, fields.as_ref(), KeywordView::of);
    let next = paging.next_cursor(&page, key, now);
    let body = ListBody::of(items, &page, next.as_deref(), request.limit);
    Ok(body.answer(&call, now))
}
