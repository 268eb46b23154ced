//! GET /projects/:id/keywords.

use super::KeywordView;
use crate::agent_api::{ListBody, StatusFilter, paging, render_rows};
use crate::contract::{FreeText, query};
use crate::endpoint::Call;
use crate::paging::{
    PageLimits, bound_query, fields_parameter, finish_query, page_parameters, sort_parameter,
    total_parameter,
};
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::selection::{KEYWORD_FIELDS, Selection};
use crate::services::Services;
use domain::page::Direction;
use domain::ports::keywords::{KeywordFilter, KeywordSort};
use std::sync::Arc;

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 500,
};

pub const SORTS: [(&str, KeywordSort); 3] = [
    ("createdAt", KeywordSort::CreatedAt),
    ("text", KeywordSort::Text),
    ("position", KeywordSort::Position),
];

query! {
    pub(crate) ListKeywords {
        ..page_parameters(LIST_LIMITS);
        ..total_parameter();
        ..fields_parameter(&KEYWORD_FIELDS);
        ..sort_parameter(&SORTS, "The order; a leading - reverses. createdAt when left out.");
        status: StatusFilter = optional "status", "active when left out.";
        ai_tracked: bool = optional "aiTracked", "Only AI-tracked ones, or only others.";
        tag: FreeText<50> = optional "tag", "Only with this tag.";
        search: FreeText<200> = optional "search", "Only with this text in the keyword.";
    }
}

pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project_id()?;
    let bound_to = bound_query(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Ascending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let query = &call.query;
    let parameters = ListKeywords(query);
    let search = { parameters.search() }.map(|text| analysis::keyword_text::normalized(&text));
    let filter = KeywordFilter {
        status: parameters.status().unwrap_or_default().0,
        ai_tracked: parameters.ai_tracked(),
        tag: parameters.tag(),
        search: search.filter(|text| !text.is_empty()),
    };
    let fields = Selection::read(query, &KEYWORD_FIELDS);
    let request = paging.request(key, now);
    // An unknown project (404) is reported before query errors (422).
    let Some(request) = request.filter(|_| query.finish().is_ok()) else {
        call.project(&services).await?;
        return finish_query(None, query);
    };
    let mut page = services
        .core
        .keywords(call.account(), project, &filter, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = render_rows(call.verbosity, &mut page, fields.as_ref(), KeywordView::of);
    let next = paging.next_cursor(&page, key, now);
    let body = ListBody::of(items, &page, next.as_deref(), request.limit);
    Ok(body.to_response(&call, now))
}
