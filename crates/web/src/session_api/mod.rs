//! Actions of signed-in users, one file per resource; those shared with agents are in [`crate::agent_api`].

pub mod account;
pub mod accounts;
pub mod analyses;
pub mod api_tokens;
pub mod assignments;
pub mod audit_log;
pub mod bulk_keywords;
pub mod console_rows;
pub mod content_plans;
pub mod current_session;
pub mod events;
pub mod invitation;
pub mod keyword_research;
pub mod keyword_status;
pub mod mail;
pub mod members;
pub mod models;
pub mod operator;
pub mod password;
pub mod person_links;
pub mod reactivate;
pub mod reauthenticate;
pub mod report_defaults;
pub mod results;
pub mod search_console;
pub mod sessions;
pub mod sign_in;
pub mod sign_out;
pub mod top_results;
pub mod welcome;

use crate::csrf;
use crate::endpoint::MemberCall;
use crate::http::cookies::Cookie;
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::{
    account::Account,
    device::DeviceCookie,
    password::{PasswordRefusal, TypedPassword},
    ports::{password_hasher::HashingError, storage::StorageError},
    rights::Role,
    session::Session,
    use_cases::{sessions::SignedIn, sign_in::SignInError},
    user::User,
};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const NO_STORE: &str = "no-store";

fn user_view(user: &User) -> Value {
    json!({
        "id": user.id.0,
        "email": user.email.as_str(),
        "name": user.name.as_str(),
        "role": user.role.name(),
        "createdAt": user.created_at,
    })
}

fn account_view(account: &Account) -> Value {
    json!({
        "id": account.id.0,
        "name": account.name.as_str(),
        "status": account.status.name(),
        "createdAt": account.created_at,
    })
}

/// A complete list, without paging.
fn list(items: &[Value]) -> Value {
    json!({ "limit": items.len(), "items": items, "nextCursor": null })
}

fn identity(signed_in: &SignedIn) -> Value {
    json!({
        "user": user_view(&signed_in.user),
        "account": account_view(&signed_in.account),
        "csrfToken": csrf::token(signed_in.secret.reveal()),
    })
}

/// After the password was given, with both cookies.
fn signed_in_response(services: &Services, status: u16, signed_in: &SignedIn) -> ApiResponse {
    signed_in_response_with(services, status, signed_in, &identity(signed_in))
}

fn signed_in_response_with(
    services: &Services,
    status: u16,
    signed_in: &SignedIn,
    body: &Value,
) -> ApiResponse {
    let cookies = &services.config.sessions.cookies;
    let secret = signed_in.secret.reveal();
    let answer = ApiResponse {
        cache: NO_STORE,
        ..ApiResponse::with_status(status, body)
    };
    let answer = answer.header("Set-Cookie", cookies.set(Cookie::Session, secret));
    match &signed_in.device_cookie {
        Some(mark) => answer.header("Set-Cookie", device_cookie(services, mark)),
        None => answer,
    }
}

fn device_cookie(services: &Services, mark: &DeviceCookie) -> String {
    let config = &services.config.sessions;
    let signed = mark.signed(&config.device_key, services.core.clock.now());
    config.cookies.set(Cookie::Device, &signed)
}

/// Since the previous sign-in on the session's device; null without one.
async fn since_sign_in(
    services: &Services,
    session: &Session,
    role: Role,
) -> Result<Value, StorageError> {
    let since = services.core.since_sign_in(session, role).await?;
    Ok(since.map_or(Value::Null, |it| {
        let changes = it.changes.iter().map(|it| {
            json!({
                "action": it.action.name(),
                "actor": it.actor.name(),
                "count": it.count,
                "lastAt": it.last_at,
            })
        });
        let elsewhere = it
            .elsewhere
            .iter()
            .map(|it| json!({ "from": it.from, "count": it.count, "lastAt": it.last_at }));
        json!({
            "since": it.since,
            "lastSignInAt": it.last_at,
            "lastSignInFrom": it.last_from,
            "failedSignIns": it.failed,
            "lastFailedAt": it.last_failed_at,
            "failedFrom": it.failed_from,
            "otherDevices": elsewhere.collect::<Vec<Value>>(),
            "changes": changes.collect::<Vec<Value>>(),
            "isComplete": it.is_complete,
        })
    }))
}

fn password_refused(name: &str, refusal: PasswordRefusal) -> Problem {
    let code = match refusal {
        PasswordRefusal::TooShort => "too-short",
        PasswordRefusal::TooLong => "too-long",
        PasswordRefusal::Guessable => "guessable",
    };
    Problem::invalid_value(
        FieldError::in_body(format!("/{name}"), code, refusal.to_string())
            .with("min", TypedPassword::MIN_CHARS)
            .with("max", TypedPassword::MAX_CHARS),
    )
}

/// For a signed-in user, who may know which field is wrong.
fn wrong_password(name: &str) -> Problem {
    Problem::invalid_value(FieldError::in_body(
        format!("/{name}"),
        "wrong-password",
        "is not your password",
    ))
}

fn hashing_busy() -> Problem {
    Problem::new(Code::Overloaded, "Too many passwords are being checked.")
        .hint("Send the request again after the time in Retry-After.")
        .retry_after(Duration::from_secs(2))
}

fn hashing_problem(error: &HashingError) -> Problem {
    match error {
        HashingError::Busy => hashing_busy(),
        HashingError::Failed(cause) => {
            tracing::error!("A password cannot be hashed or compared: {cause}");
            Problem::new(
                Code::InternalError,
                "An error in the service kept it from answering.",
            )
            .hint("Report the requestId to the operator.")
        }
    }
}

/// Records a wrong password: a hijacked session must not allow unnoticed guesses.
fn reauthentication_failed(
    services: &Arc<Services>,
    call: &MemberCall,
    error: SignInError,
    name: &str,
) -> Problem {
    if matches!(error, SignInError::Refused { .. }) {
        let from = call.visitor.place.network;
        let person = (call.member.session.home, call.member.user.id);
        sign_in::note_failure(services, person, from);
    }
    sign_in_problem(error, || wrong_password(name))
}

/// `refused`: response to a wrong password.
fn sign_in_problem(error: SignInError, refused: impl FnOnce() -> Problem) -> Problem {
    match error {
        SignInError::Refused { .. } => refused(),
        SignInError::Wait(wait) => {
            let wait = wait.to_std().unwrap_or_default();
            let seconds = wait.as_secs_f64().ceil().max(1.0);
            Problem::new(
                Code::RateLimited,
                "The password was guessed wrong too often to be tried again at once.",
            )
            .with("violated-policies", json!(["passwords"]))
            .hint(format!("Try again in {seconds} s."))
            .retry_after(Duration::from_secs_f64(seconds))
        }
        SignInError::Busy => hashing_busy(),
        SignInError::NotJoined(error) => invitation::refused(error),
        SignInError::HashingFailed(cause) => hashing_problem(&HashingError::Failed(cause)),
        SignInError::Storage(error) => error.into(),
    }
}

/// Requires a recently given password.
fn require_recent_password(services: &Services, call: &MemberCall) -> Result<(), Problem> {
    if call.member.session.is_fresh(services.core.clock.now()) {
        return Ok(());
    }
    Err(refusals::reauthentication_required())
}
