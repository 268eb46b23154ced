//! GET /docs: what there is, for machines.

use crate::{answer::Answer, endpoint::PublicCall, openapi, problem::Problem, services::Services};
use std::sync::Arc;

/// What the documentation comes as.
pub const FORMATS: [&str; 2] = ["openapi", "guide"];

/// The OpenAPI document, or with `format=guide` a short guide.
#[expect(
    clippy::unused_async,
    reason = "handlers are async, whether or not they wait"
)]
pub async fn read(services: Arc<Services>, call: PublicCall) -> Result<Answer, Problem> {
    let format = call.query.choice("format", &FORMATS, |name| {
        FORMATS.contains(&name).then_some(name == "guide")
    });
    call.query.finish()?;
    let base_url = &services.config.public_base_url;
    let document = if format == Some(true) {
        openapi::guide(base_url)
    } else {
        openapi::document(base_url)
    };
    Ok(Answer {
        cache: "public, max-age=300",
        ..Answer::resource(&document)
    })
}
