//! POST /api/token-revocations: revokes a leaked token.

use crate::contract::fields::read_body;
use crate::contract::{body, parsed};
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::token::PlainToken;
use serde_json::{Map, Value, json};

pub const PATH: &str = "/api/token-revocations";
pub const ALLOWED: [&str; 2] = ["POST", "OPTIONS"];
/// Longer strings are not tokens.
const MAX_CHARACTERS: usize = 1_000;

/// The response is always the same, so that it does not reveal whether a token is valid.
pub async fn revoke_reported(
    services: &Services,
    body: &Map<String, Value>,
) -> Result<ApiResponse, Problem> {
    let token = read_body(body, RevokeToken::token)?;
    services.core.report_leak(&token).await?;
    let accepted = json!({ "status": "accepted", "detail": "If this was a token of this server, it opens nothing any more." });
    Ok(ApiResponse {
        cache: "no-store",
        ..ApiResponse::with_status(202, &accepted)
    })
}

body! {
    RevokeToken {
        token: PastedToken = required "token";
    }
}

struct PastedToken;

parsed! {
    PastedToken => String: token, json!({ "type": "string", "minLength": 1, "maxLength": MAX_CHARACTERS });
}

fn token(text: &str) -> Result<String, &'static str> {
    let fits = !text.is_empty() && text.chars().count() <= MAX_CHARACTERS;
    fits.then(|| extract_token(text).to_owned())
        .ok_or("must be the text of a token")
}

/// Drops surrounding quotes, `Bearer` and line ends.
fn extract_token(text: &str) -> &str {
    let Some(start) = text.find(PlainToken::PREFIX) else {
        return text;
    };
    let token = &text[start..];
    let end = token.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    &token[..end.unwrap_or(token.len())]
}

#[cfg(test)]
mod tests {
    use super::extract_token;

    #[test]
    fn a_token_is_found_in_surrounding_text() {
        let token = "sightline_agt_abc123";
        for text in [
            token.to_owned(),
            format!("{token}\n"),
            format!("  Bearer {token} "),
            format!("\u{feff}\"{token}\","),
        ] {
            assert_eq!(extract_token(&text), token, "{text:?}");
        }
        assert_eq!(extract_token("something else"), "something else");
    }
}
