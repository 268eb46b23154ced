//! The Agent API: one folder per resource, one file per verb.

pub mod analyses;
pub mod docs;
pub mod health;
pub mod keywords;
pub mod models;
pub mod projects;
pub mod results;

use crate::{
    answer::Answer,
    endpoint::Call,
    entity_tag::EntityTag,
    paging::{Limits, Paging},
    selection::Selection,
};
use chrono::{DateTime, Utc};
use domain::page::{Direction, Page, Total};
use serde::Serialize;
use serde_json::{Value, json};

/// The base of all paths.
pub const BASE: &str = "/api/agent/v1";

/// What a list request says about its page.
fn paging<'a, S>(
    call: &'a Call,
    bound_to: &'a str,
    limits: Limits,
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

/// An object, or the members of it that the caller selected.
fn selected(object: &impl Serialize, fields: Option<&Selection>) -> Value {
    let whole = serde_json::to_value(object).unwrap_or(Value::Null);
    match fields {
        Some(fields) => fields.of(&whole),
        None => whole,
    }
}

/// A page of a list as it is answered, with the link to the next one.
fn list_answer<T, V: Serialize>(
    call: &Call,
    page: &Page<T>,
    fields: Option<&Selection>,
    limit: u32,
    next_cursor: Option<&str>,
    now: DateTime<Utc>,
    view: impl Fn(&T) -> V,
) -> Answer {
    let items: Vec<Value> = page
        .items
        .iter()
        .map(|item| selected(&view(item), fields))
        .collect();
    let mut body = json!({ "items": items, "nextCursor": next_cursor, "limit": limit });
    tell_total(&mut body, page.total);
    let answer = tagged(Answer::ok(&body), next_cursor, now);
    linked(answer, call, next_cursor)
}

/// Adds how many rows there are on all pages, when that was asked.
fn tell_total(body: &mut Value, total: Option<Total>) {
    if let Some(total) = total {
        body["total"] = total.rows.into();
        body["totalIsLowerBound"] = total.is_lower_bound.into();
    }
}

/// With a tag that stays while what is listed stays. The cursor is another one each time and so
/// not part of it; but since a cursor is good for a day only, so is the tag.
fn tagged(answer: Answer, next_cursor: Option<&str>, now: DateTime<Utc>) -> Answer {
    let tag = match next_cursor {
        None => EntityTag::weak(&[&answer.body]),
        Some(cursor) => {
            let half_day = (now.timestamp() / (12 * 3_600)).to_string();
            let mut parts: Vec<&str> = answer.body.split(cursor).collect();
            parts.push(&half_day);
            EntityTag::weak(&parts)
        }
    };
    answer.tagged(tag)
}

/// With the link to the next page.
fn linked(answer: Answer, call: &Call, next_cursor: Option<&str>) -> Answer {
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
