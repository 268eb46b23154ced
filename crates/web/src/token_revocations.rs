//! POST /api/token-revocations: whoever finds a token where it does not belong can end it.

use crate::{
    answer::Answer,
    fields::{Fields, read_body},
    problem::Problem,
    services::Services,
};
use serde_json::{Map, Value, json};

/// Where it is served.
pub const PATH: &str = "/api/token-revocations";
/// What the path answers to.
pub const ALLOWED: [&str; 2] = ["POST", "OPTIONS"];
/// Longer texts are no tokens.
const MOST_CHARACTERS: usize = 1_000;

/// Ends the token, when it is one. The answer is always the same: it tells nobody whether a text
/// opens something.
pub async fn take(services: &Services, body: &Map<String, Value>) -> Result<Answer, Problem> {
    let token = read_body(body, token)?;
    services.report_leak.run(&token).await?;
    let said = json!({ "status": "accepted", "detail": "If this was a token of this server, it opens nothing any more." });
    Ok(Answer {
        cache: "no-store",
        ..Answer::with_status(202, &said)
    })
}

fn token(fields: &Fields) -> Option<String> {
    fields.only(&["token"]);
    let token = fields.text("token", |text| {
        let fits = !text.is_empty() && text.chars().count() <= MOST_CHARACTERS;
        fits.then(|| text.to_owned())
            .ok_or("must be the text of a token")
    });
    fields.required("token", token)
}
