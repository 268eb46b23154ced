//! PATCH /keywords/:id (RFC 7396).

use super::{KeywordView, market};
use crate::{
    agent_api::projects::unchanged,
    answer::Answer,
    endpoint::Call,
    entity_tag::EntityTag,
    fields::{Fields, read_body},
    problem::Problem,
    refusals,
    services::Services,
};
use actix_web::http::Uri;
use domain::{
    ids::KeywordId,
    keyword::{Keyword, KeywordPatch},
    patch::Change,
    project::{Status, each_once},
    text::Tag,
    use_cases::keywords::change::ChangeKeywordError,
};
use serde_json::Value;
use std::sync::Arc;

pub const FIELDS: [&str; 5] = ["aiTracked", "status", "market", "targetUrl", "tags"];

const READ_ONLY: [&str; 8] = [
    "id",
    "projectId",
    "text",
    "searchVolume",
    "latest",
    "createdAt",
    "updatedAt",
    "deactivatedAt",
];

/// In bytes.
const MOST_URL: usize = 2_048;

pub async fn change(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let id = KeywordId(call.id.ok_or_else(refusals::no_keyword)?);
    let current = services
        .core
        .keyword(call.account(), id)
        .await?
        .ok_or_else(refusals::no_keyword)?;
    call.query.finish()?;
    let patch = read_body(&call.body, |fields| Some(read(fields, &current)))?;
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
    Ok(Answer::resource(&KeywordView::of(&changed)))
}

pub fn refused(error: ChangeKeywordError) -> Problem {
    match error {
        ChangeKeywordError::NotAsExpected(keyword) => {
            refusals::not_as_expected(&EntityTag::of(&KeywordView::of(&keyword)))
        }
        error => error.into(),
    }
}

fn read(fields: &Fields, current: &Keyword) -> KeywordPatch {
    fields.only_or(&FIELDS, &READ_ONLY);
    let shown = serde_json::to_value(KeywordView::of(current)).unwrap_or(Value::Null);
    unchanged(
        fields,
        &shown,
        &READ_ONLY,
        "read-only-field",
        "cannot be changed; leave it out",
    );
    let tags = fields
        .texts("tags", Keyword::MOST_TAGS, Tag::parse)
        .resettable();
    KeywordPatch {
        ai_tracked: fields.change("aiTracked", fields.flag("aiTracked")),
        status: fields.change(
            "status",
            fields.choice("status", &Status::NAMES, Status::named),
        ),
        market: fields.change("market", market(fields, "market", &current.market)),
        target_url: fields.text("targetUrl", target_url).clearable(),
        tags: match tags {
            Change::Keep => Change::Keep,
            Change::Set(tags) => Change::Set(each_once(tags)),
        },
    }
}

pub(crate) fn target_url(text: &str) -> Result<String, &'static str> {
    let parsed = text.parse::<Uri>().ok();
    let is_web = parsed.is_some_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.host().is_some_and(|host| !host.is_empty())
    });
    let fits = is_web
        && text.len() <= MOST_URL
        && !text.chars().any(|c| c.is_control() || c.is_whitespace());
    fits.then(|| text.to_owned())
        .ok_or("must be an http or https address of at most 2048 bytes")
}
