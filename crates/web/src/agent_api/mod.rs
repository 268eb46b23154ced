//! The Agent API: one folder per resource, one file per verb.

pub mod analyses;
pub mod docs;
pub mod health;
pub mod keywords;
pub mod models;
pub mod projects;
pub mod results;
mod status;

use analyses::QueueView;
pub use status::StatusFilter;

use crate::endpoint::Call;
use crate::http::byte_budget::Verbosity;
use crate::http::entity_tag::EntityTag;
use crate::links::Surface;
use crate::paging::{PageLimits, Paging};
use crate::response::ApiResponse;
use crate::selection::Selection;
use chrono::{DateTime, Utc};
use domain::page::{Direction, Page, Total};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

pub(crate) fn paging<'a, S>(
    call: &'a Call,
    bound_to: &'a str,
    limits: PageLimits,
    sorts: &'a [(&'static str, S)],
    default_direction: Direction,
) -> Paging<'a, S> {
    Paging {
        query: &call.query,
        account: call.account(),
        bound_to,
        limits,
        sorts,
        default_direction,
    }
}

fn select_fields(object: &impl Serialize, fields: Option<&Selection>) -> Value {
    let whole = serde_json::to_value(object).unwrap_or(Value::Null);
    match fields {
        Some(fields) => fields.select(&whole),
        None => whole,
    }
}

/// As many rows as the byte budget allows; the rest is left to the next page.
pub(crate) fn render_rows<T, V: Serialize>(
    verbosity: Verbosity,
    page: &mut Page<T>,
    fields: Option<&Selection>,
    view: impl Fn(&T) -> V,
) -> Vec<Box<RawValue>> {
    let write = |item: &T| match fields {
        Some(_) => to_raw_value(&select_fields(&view(item), fields)),
        None => to_raw_value(&view(item)),
    };
    let rows = verbosity.byte_budget().fill(page.items.iter().map(write));
    let rows = rows.expect("rows have string keys and no failing serialisers");
    page.truncate(rows.len());
    rows
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListBody<'a> {
    items: Vec<Box<RawValue>>,
    /// Only in lists of analyses.
    #[serde(skip_serializing_if = "Option::is_none")]
    queue: Option<QueueView>,
    next_cursor: Option<&'a str>,
    limit: u32,
    #[serde(flatten)]
    total: Option<TotalView>,
}

impl<'a> ListBody<'a> {
    pub(crate) fn of<T>(
        items: Vec<Box<RawValue>>,
        page: &Page<T>,
        next_cursor: Option<&'a str>,
        limit: u32,
    ) -> Self {
        Self {
            items,
            queue: None,
            next_cursor,
            limit,
            total: page.total.map(TotalView::of),
        }
    }

    /// With an entity tag and a link to the next page.
    pub(crate) fn to_response(&self, call: &Call, now: DateTime<Utc>) -> ApiResponse {
        let answer = with_list_etag(ApiResponse::ok(self), self.next_cursor, now);
        with_next_link(answer, call, self.next_cursor)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TotalView {
    total: u32,
    total_is_lower_bound: bool,
}

impl TotalView {
    const fn of(total: Total) -> Self {
        Self {
            total: total.rows,
            total_is_lower_bound: total.is_lower_bound,
        }
    }
}

/// The tag depends on the listed rows, not on the cursor, which differs each time. It changes every 12 hours, since
/// cursors expire after a day.
pub(crate) fn with_list_etag(
    answer: ApiResponse,
    next_cursor: Option<&str>,
    now: DateTime<Utc>,
) -> ApiResponse {
    let tag = match next_cursor {
        None => EntityTag::weak(&[&answer.body]),
        Some(cursor) => {
            let half_day = (now.timestamp() / (12 * 3_600)).to_string();
            let mut parts: Vec<&str> = answer.body.split(cursor).collect();
            parts.push(&half_day);
            EntityTag::weak(&parts)
        }
    };
    answer.with_etag(tag)
}

/// Renders a response for a surface. Sessions get the tag of the Agent API, since only links differ; MCP reads no tags.
fn response_for_surface(
    surface: Surface,
    written: impl Fn(Surface) -> String,
    next_cursor: Option<&str>,
    now: DateTime<Utc>,
) -> ApiResponse {
    let answer = |surface| ApiResponse::text(200, written(surface));
    let for_agents = || with_list_etag(answer(Surface::Agent), next_cursor, now);
    match surface {
        Surface::Agent => for_agents(),
        Surface::Session => ApiResponse {
            tag: for_agents().tag,
            ..answer(surface)
        },
        Surface::Tool => answer(surface),
    }
}

pub(crate) fn with_next_link(
    answer: ApiResponse,
    call: &Call,
    next_cursor: Option<&str>,
) -> ApiResponse {
    let Some(cursor) = next_cursor else {
        return answer;
    };
    let kept: Vec<&str> = call
        .query_text
        .split('&')
        .filter(|part| !part.is_empty() && !part.starts_with("cursor="))
        .collect();
    let mut query = kept.join("&");
    if !query.is_empty() {
        query.push('&');
    }
    answer.header(
        "Link",
        format!("<{}?{query}cursor={cursor}>; rel=\"next\"", call.path),
    )
}
