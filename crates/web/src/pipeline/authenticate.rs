//! Who calls, and whether the token may do it.

use crate::{
    problem::{Code, Problem},
    refusals,
    services::Services,
};
use actix_web::{HttpRequest, http::header};
use domain::{
    scope::Scope,
    token::TokenRefusal,
    use_cases::authenticate_agent::{Agent, AuthenticateError},
};
use std::sync::Arc;

/// The agent, when its token is accepted and holds the scope.
pub async fn agent(
    services: &Arc<Services>,
    bearer: Option<&str>,
    scope: Scope,
) -> Result<Agent, Problem> {
    let token = bearer.ok_or_else(|| missing(scope))?;
    let agent = services
        .authenticate
        .run(token)
        .await
        .map_err(|error| refused(error, scope))?;
    if !agent.token.scopes.contains(scope) {
        return Err(insufficient(&agent, scope));
    }
    if agent.use_is_news {
        note_use(services, &agent);
    }
    Ok(agent)
}

/// `Authorization: Bearer …`, the scheme in any case. Two such headers are none: nobody could say
/// which of them a proxy in between went by.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    let mut given = request.headers().get_all(header::AUTHORIZATION);
    let value = given.next()?.to_str().ok()?;
    if given.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

/// Notes a use off the request's path.
fn note_use(services: &Arc<Services>, agent: &Agent) {
    let services = Arc::clone(services);
    let (account, token) = (agent.account.id, agent.token.id);
    tokio::spawn(async move {
        if let Err(error) = services.note_token_use.run(account, token).await {
            tracing::debug!(%error, "The use of a token could not be noted.");
        }
    });
}

fn challenge(scope: Scope, error: Option<&str>) -> String {
    let error = error.map_or_else(String::new, |error| format!(", error=\"{error}\""));
    format!("Bearer realm=\"agent-api\", scope=\"{scope}\"{error}")
}

fn missing(scope: Scope) -> Problem {
    let problem = Problem::new(Code::TokenMissing, "The request carries no access token.");
    let hint = "Send the header Authorization: Bearer <token>, once; whoever runs the server creates tokens with `sightline token create`.";
    problem
        .hint(hint)
        .header("WWW-Authenticate", challenge(scope, None))
}

fn refused(error: AuthenticateError, scope: Scope) -> Problem {
    let hint =
        "Use another token; whoever runs the server creates tokens with `sightline token create`.";
    let problem = match error {
        AuthenticateError::Storage(error) => return refusals::storage(&error),
        AuthenticateError::Unknown => {
            Problem::new(Code::TokenInvalid, "The access token is not known here.")
        }
        AuthenticateError::Refused(TokenRefusal::Revoked) => {
            Problem::new(Code::TokenRevoked, "The access token was revoked.")
        }
        AuthenticateError::Refused(TokenRefusal::Expired { at }) => {
            let at = at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
            Problem::new(
                Code::TokenExpired,
                format!("The access token expired at {at}."),
            )
            .with("expiredAt", at)
        }
    };
    problem
        .hint(hint)
        .header("WWW-Authenticate", challenge(scope, Some("invalid_token")))
}

fn insufficient(agent: &Agent, scope: Scope) -> Problem {
    let granted: Vec<&str> = agent.token.scopes.iter().map(Scope::name).collect();
    let problem = Problem::new(
        Code::InsufficientScope,
        format!("This needs the scope {scope}, which the token does not hold."),
    );
    let problem = problem
        .with("requiredScopes", vec![scope.name()])
        .with("grantedScopes", granted);
    let hint = format!("Use a token with the scope {scope}; scopes of a token cannot be extended.");
    problem.hint(hint).header(
        "WWW-Authenticate",
        challenge(scope, Some("insufficient_scope")),
    )
}
