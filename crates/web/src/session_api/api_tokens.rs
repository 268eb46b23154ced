//! /api/settings/api-tokens.

use super::{list, sign_in::no_store};
use crate::contract::fields::{Given, read_body};
use crate::contract::{Body, List, body, parsed};
use crate::endpoint::MemberCall;
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::TokenId;
use domain::scope::{Scope, Scopes};
use domain::text::Label;
use domain::token::{ApiToken, PlainToken, TokenPolicy};
use domain::use_cases::tokens::{IssueTokenError, NewToken, TokenIssuer};
use serde_json::{Value, json};
use std::sync::Arc;

/// In days; `null` never expires.
pub const MAX_DAYS: i64 = 365;

body! {
    CreateToken {
        name: Label = required "name";
        scopes: List<ScopeName, 1, { Scope::NAMES.len() }> = required "scopes" or "must hold at least one scope";
        expires_in_days: f64 = nullable "expiresInDays";
    }
}

struct ScopeName;

parsed! {
    ScopeName => Scope: scope, json!({ "type": "string", "enum": Scope::NAMES });
}

fn scope(name: &str) -> Result<Scope, String> {
    Scope::named(name).ok_or_else(|| format!("must be one of {}", Scope::NAMES.join(", ")))
}

/// Newest first, in any state.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let now = services.core.clock.now();
    let tokens = services.core.tokens(call.member.account.id).await?;
    let items: Vec<Value> = tokens.iter().map(|it| view(it, now)).collect();
    Ok(no_store(ApiResponse::value(&list(&items))))
}

/// Only this response contains the token.
pub async fn create(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let new = read_body(&call.body, |body| {
        read_new_token(body, services.core.policies.tokens)
    })?;
    let issued = { &services.core }.issue_token(TokenIssuer::Owner(&call.member), &new);
    let issued = issued.await;
    let (plain, token) = issued.map_err(|error| refused(&services, error))?;
    let mut body = view(&token, services.core.clock.now());
    body["token"] = plain.reveal().into();
    let answer = no_store(ApiResponse::with_status(201, &body));
    Ok(answer.with_location(Link::of(Operation::RevokeToken, token.id.0)))
}

/// Takes effect with the next request. Idempotent.
pub async fn revoke(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let account = call.member.account.id;
    let id = TokenId(call.id.unwrap_or_default());
    let core = &services.core;
    core.revoke_token(&call.member.user, account, id).await?;
    let tokens = core.tokens(account).await?;
    let found = tokens.iter().find(|it| it.id == id).ok_or_else(|| {
        let problem = Problem::new(Code::NotFound, "The account has no token with this id.");
        problem
            .hint("List the account's tokens.")
            .next_action(Link::to(Operation::ListTokens), "The account's tokens")
    })?;
    Ok(no_store(ApiResponse::value(&view(
        found,
        services.core.clock.now(),
    ))))
}

fn read_new_token(body: &CreateToken, policy: TokenPolicy) -> Option<NewToken> {
    let (name, scopes) = (body.name(), body.scopes());
    let lifetime = lifetime(body, policy);
    Some(NewToken {
        name: name?,
        scopes: scopes?.into_iter().collect::<Scopes>(),
        lifetime,
    })
}

/// `None` never expires.
fn lifetime(body: &CreateToken, policy: TokenPolicy) -> Option<TimeDelta> {
    let max_days = { policy.longest }.map_or(MAX_DAYS, |it| it.num_days().min(MAX_DAYS));
    let rule = match policy.longest {
        None => format!(
            "must be a whole number of days from 1 to {max_days}, or null for a token that does not expire"
        ),
        Some(_) => format!(
            "must be a whole number of days from 1 to {max_days}: on this server a token lasts {max_days} days at the most"
        ),
    };
    let wrong = || {
        let error = FieldError::in_body("/expiresInDays", "invalid-value", &rule);
        body.fields().note(error.with("max", max_days));
    };
    // A non-number is reported by its type, any other error by `rule`.
    match body.expires_in_days() {
        Given::Absent | Given::Invalid => {
            return Some(policy.shortened(NewToken::DEFAULT_LIFETIME));
        }
        Given::Null if policy.allows(None) => return None,
        Given::Null => {}
        Given::Value(days) =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and checked")]
            if days.fract() == 0.0 && (1..=max_days).contains(&(days as i64)) {
                return Some(TimeDelta::days(days as i64));
            }
        }
    }
    wrong();
    None
}

fn refused(services: &Services, error: IssueTokenError) -> Problem {
    match error {
        IssueTokenError::SignedOut => refusals::session_missing(services.config.sessions.cookies),
        IssueTokenError::Storage(error) => error.into(),
        error @ IssueTokenError::TooLong { .. } => Problem::invalid_value(FieldError::in_body(
            "/expiresInDays",
            "invalid-value",
            error.to_string(),
        )),
        error @ (IssueTokenError::TooMany | IssueTokenError::NoScopes) => {
            let max_tokens = NewToken::MAX_PER_ACCOUNT;
            let allowance = json!({ "name": "tokens", "used": max_tokens, "limit": max_tokens, "requested": 1 });
            Problem::new(Code::AllowanceExceeded, error.to_string())
                .with("allowance", allowance)
                .hint("Revoke a token first.")
        }
    }
}

fn view(token: &ApiToken, now: DateTime<Utc>) -> Value {
    let status = match token.accept(now) {
        Ok(()) if token.is_superseded(now) => "superseded",
        Ok(()) => "active",
        Err(domain::token::TokenRefusal::Revoked) => "revoked",
        Err(domain::token::TokenRefusal::Expired { .. }) => "expired",
    };
    json!({
        "id": token.id.0,
        "name": token.name.as_str(),
        "prefix": PlainToken::PREFIX,
        "lastFour": token.last_four,
        "scopes": token.scopes.iter().map(Scope::name).collect::<Vec<_>>(),
        "status": status,
        "createdAt": token.created_at,
        "lastUsedAt": token.last_used_at,
        "expiresAt": token.expires_at,
        "revokedAt": token.revoked_at,
        "rotatedFrom": token.rotated_from.map(|it| it.0),
    })
}
