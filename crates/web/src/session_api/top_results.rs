//! GET /api/projects/:id/top-results: top-ranking pages of keywords.

use crate::contract::parameters::Query;
use crate::contract::{arguments, query};
use crate::endpoint::Call;
use crate::http::byte_budget::ByteBudget;
use crate::paging::finish_query;
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::url_rules::page_key;
use chrono::{DateTime, Utc};
use domain::{ids::KeywordId, results::Finding};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

/// Per request: search pages can be megabytes together.
pub const MAX_KEYWORDS: usize = 200;
/// Lowest position that counts.
const DEPTH: u32 = 10;

query! {
    pub(crate) ReadTopResults {
        keywords: KeywordIds = required "keywordIds", "Ids of keywords, apart by commas: 200 at the most.";
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TopBody {
    project_id: i64,
    measured_at: Option<DateTime<Utc>>,
    items: Vec<Box<RawValue>>,
    /// More than the response can hold: those with the largest ids are missing.
    truncated: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TopView {
    keyword_id: i64,
    /// Best first, without duplicates.
    pages: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    keyword_id: i64,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    organic_position: Option<u32>,
    url: Option<String>,
}

impl TopView {
    /// `None` for a record in the format of an earlier version.
    fn of(finding: &Finding) -> Option<Self> {
        let record: Record = serde_json::from_str(finding.record.as_str()).ok()?;
        let mut found: Vec<(u32, String)> = { record.items.into_iter() }
            .filter_map(|it| Some((it.organic_position?, page_key(&it.url?))))
            .filter(|(position, _)| *position <= DEPTH)
            .collect();
        found.sort_by_key(|(position, _)| *position);
        let mut pages: Vec<String> = Vec::with_capacity(found.len());
        for (_, page) in found {
            if !pages.contains(&page) {
                pages.push(page);
            }
        }
        Some(Self {
            keyword_id: record.keyword_id,
            pages,
        })
    }
}

/// From the newest rank check; keywords that it did not measure are missing.
///
/// # Panics
/// Never: views have string keys and infallible serializers.
pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    let keywords = finish_query(ReadTopResults(&call.query).keywords(), &call.query)?;
    let found = services
        .core
        .top_results(call.account(), project, &keywords)
        .await?
        .ok_or_else(refusals::no_project)?;
    let mut views: Vec<TopView> = found.records.iter().filter_map(TopView::of).collect();
    views.sort_by_key(|it| it.keyword_id);
    let items = ByteBudget::for_response()
        .fill(views.iter().map(to_raw_value))
        .expect("views have string keys and no failing serialisers");
    Ok(ApiResponse::ok(&TopBody {
        project_id: project.0,
        measured_at: found.head.map(|it| it.measured_at),
        truncated: items.len() < views.len(),
        items,
    }))
}

struct KeywordIds;

arguments! {
    KeywordIds => Vec<KeywordId>: keyword_ids, json!({ "type": "string", "pattern": "^[1-9][0-9]*(,[1-9][0-9]*)*$" });
}

fn keyword_ids(query: &Query, name: &str) -> Option<Vec<KeywordId>> {
    let ids: Option<Vec<KeywordId>> = { query.text(name)?.split(',') }
        .map(|it| crate::parse_id(it).map(KeywordId))
        .collect();
    match &ids {
        None => query.note_invalid(name, "must be ids apart by commas"),
        Some(ids) if ids.len() > MAX_KEYWORDS => {
            let rule = format!("must be {MAX_KEYWORDS} ids at the most");
            let error = FieldError::in_query(name, "too-many", rule);
            query.note(error.with("max", MAX_KEYWORDS));
        }
        Some(_) => {}
    }
    ids
}
