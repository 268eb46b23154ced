//! PATCH /keywords/:id (RFC 7396).

use super::{KeywordView, MARKET, MarketMembers};
use crate::contract::fields::read_patch;
use crate::contract::{UniqueList, body, parsed};
use crate::endpoint::Call;
use crate::http::entity_tag::EntityTag;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use actix_web::http::Uri;
use domain::ids::KeywordId;
use domain::keyword::{Keyword, KeywordPatch};
use domain::project::Status;
use domain::text::Tag;
use domain::use_cases::keywords::change::ChangeKeywordError;
use serde_json::{Value, json};
use std::sync::Arc;

body! {
    pub(crate) ChangeKeyword like { "aiTracked": true } {
        ai_tracked: bool = change "aiTracked";
        status: Status = change "status";
        market: MarketMembers = change "market", MARKET;
        target_url: TargetUrl = nullable "targetUrl";
        tags: UniqueList<Tag, { Keyword::MAX_TAGS }> = nullable "tags";
    }
}

struct TargetUrl;

parsed! {
    TargetUrl => String: target_url, json!({ "type": "string", "format": "uri", "maxLength": MAX_URL, "pattern": r"^https?://[^\s\x00-\x1f/?#@:]+([/?#:][^\s\x00-\x1f]*)?$" });
}

/// In bytes.
const MAX_URL: usize = 2_048;

pub async fn change(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let id = KeywordId(call.id.ok_or_else(refusals::no_keyword)?);
    let current = services
        .core
        .keyword(call.account(), id)
        .await?
        .ok_or_else(refusals::no_keyword)?;
    call.query.finish()?;
    let shown = serde_json::to_value(KeywordView::of(&current)).unwrap_or(Value::Null);
    let patch = read_patch(&call.body, &shown, &[], |body| read(body, &current))?;
    let changed = services
        .core
        .change_keyword(
            call.account(),
            id,
            &patch,
            Some(&call.expects(KeywordView::of)),
        )
        .await
        .map_err(refused)?;
    Ok(ApiResponse::resource(&KeywordView::of(&changed)))
}

pub fn refused(error: ChangeKeywordError) -> Problem {
    match error {
        ChangeKeywordError::NotAsExpected(keyword) => {
            refusals::precondition_failed(&EntityTag::of(&KeywordView::of(&keyword)))
        }
        error => error.into(),
    }
}

fn read(body: &ChangeKeyword, current: &Keyword) -> KeywordPatch {
    let tags = body.tags().resettable();
    KeywordPatch {
        ai_tracked: body.ai_tracked(),
        status: body.status(),
        market: body.market().map(|it| it.of(&current.market)),
        target_url: body.target_url().clearable(),
        tags,
    }
}

pub(crate) fn target_url(text: &str) -> Result<String, &'static str> {
    let parsed = text.parse::<Uri>().ok();
    let is_web = parsed.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
    });
    let fits = is_web
        && text.len() <= MAX_URL
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    fits.then(|| text.to_owned())
        .ok_or("must be an http or https address of at most 2048 bytes")
}
