use crate::paths::AGENT_API;
use crate::problem::{Code, Problem};
use crate::services::Services;
use crate::{protected_resource, refusals, refused_authorizations};
use actix_web::{HttpRequest, http::header};
use domain::scope::Scope;
use domain::token::TokenRefusal;
use domain::use_cases::tokens::{Agent, AuthenticateError};
use std::sync::Arc;

pub struct AuthChallenge<'a> {
    pub base_url: &'a str,
    pub resource: &'static str,
    pub scopes: &'a [Scope],
}

impl AuthChallenge<'_> {
    /// `WWW-Authenticate` (RFC 6750, 3; RFC 9728, 5.1).
    fn challenge(&self, error: Option<&str>) -> String {
        let realm = if self.resource == AGENT_API {
            "agent-api"
        } else {
            "mcp"
        };
        let scopes: Vec<&str> = self.scopes.iter().map(|it| it.name()).collect();
        let metadata = protected_resource::metadata_url(self.base_url, self.resource);
        let error = error.map_or_else(String::new, |error| format!(", error=\"{error}\""));
        let scopes = scopes.join(" ");
        format!(
            "Bearer realm=\"{realm}\", resource_metadata=\"{metadata}\", scope=\"{scopes}\"{error}"
        )
    }
}

/// Requires an accepted token with the scope.
pub async fn authenticate_with_scope(
    services: &Arc<Services>,
    bearer: Option<&str>,
    scope: Scope,
) -> Result<Agent, Problem> {
    let challenge = AuthChallenge {
        base_url: &services.config.public_base_url,
        resource: AGENT_API,
        scopes: &[scope],
    };
    let agent = authenticate_token(services, bearer, &challenge).await?;
    if agent.token.scopes.contains(scope) {
        Ok(agent)
    } else {
        refused_authorizations::note_of_agent(services, &agent, scope.name());
        Err(insufficient_scope(&agent, &challenge, scope))
    }
}

/// Requires an accepted token with any scope.
pub async fn authenticate_token(
    services: &Arc<Services>,
    bearer: Option<&str>,
    challenge: &AuthChallenge<'_>,
) -> Result<Agent, Problem> {
    let token = bearer.ok_or_else(|| missing(challenge))?;
    let agent = services
        .core
        .authenticate_agent(token)
        .await
        .map_err(|error| refused(error, challenge))?;
    if agent.should_record_use {
        note_use(services, &agent);
    }
    Ok(agent)
}

/// The scheme is case-insensitive. `None` if the header is repeated: a proxy may have used either value.
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

/// Asynchronously.
fn note_use(services: &Arc<Services>, agent: &Agent) {
    let services = Arc::clone(services);
    let (account, token) = (agent.account.id, agent.token.id);
    tokio::spawn(async move {
        if let Err(error) = services.core.note_token_use(account, token).await {
            tracing::debug!(%error, "The use of a token could not be noted.");
        }
    });
}

fn missing(challenge: &AuthChallenge) -> Problem {
    let problem = Problem::new(Code::TokenMissing, "The request carries no access token.");
    let hint = "Send the header Authorization: Bearer <token>, once; the operator creates tokens with `sightline token create`.";
    problem
        .hint(hint)
        .header("WWW-Authenticate", challenge.challenge(None))
}

fn refused(error: AuthenticateError, challenge: &AuthChallenge) -> Problem {
    let hint = "Use another token; the operator creates tokens with `sightline token create`.";
    let problem = match error {
        AuthenticateError::Storage(error) => return refusals::storage_failure(&error),
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
    problem.hint(hint).header(
        "WWW-Authenticate",
        challenge.challenge(Some("invalid_token")),
    )
}

pub fn insufficient_scope(agent: &Agent, challenge: &AuthChallenge, scope: Scope) -> Problem {
    let granted: Vec<&str> = agent.token.scopes.iter().map(Scope::name).collect();
    let all: Vec<&str> = challenge.scopes.iter().map(|it| it.name()).collect();
    let named = all.join(" and ");
    let noun = if all.len() == 1 { "scope" } else { "scopes" };
    let problem = Problem::new(
        Code::InsufficientScope,
        format!("This needs the scope {scope}, which the token does not hold."),
    );
    let problem = problem
        .with("requiredScopes", all)
        .with("grantedScopes", granted);
    let hint =
        format!("Use a token with the {noun} {named}; scopes of a token cannot be extended.");
    problem.hint(hint).header(
        "WWW-Authenticate",
        challenge.challenge(Some("insufficient_scope")),
    )
}
