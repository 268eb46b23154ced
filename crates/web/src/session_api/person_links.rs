//! /api/password-reset, /api/address and /api/not-me: what a person does without a session.

use super::sign_in::{counted_visitor, no_store};
use super::{hashing_problem, password_refused};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::VisitorCall;
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::email::EmailAddress;
use domain::use_cases::person_links::{PasswordReset, PersonLinkError};
use serde_json::json;
use std::sync::Arc;

body! {
    RequestPasswordReset {
        email: EmailAddress = required "email";
    }
}

body! {
    ResetPassword {
        link: String = required "link";
        password: String = required "password";
        revokes_tokens: bool = optional "revokeTokens", "true revokes the API tokens of the person's own account, if the role allows it.";
    }
}

body! {
    UseLink {
        link: String = required "link";
    }
}

/// The same response for every address, before it is looked up.
pub async fn request_reset(
    services: Arc<Services>,
    call: VisitorCall,
) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let email = read_body(&call.body, RequestPasswordReset::email)?;
    if !services.core.sends_mail() {
        return Err(mail_not_configured());
    }
    let visitor = counted_visitor(&services, call.visitor).await?;
    let network = visitor.place.network;
    // Without a free one nothing is sent: a refusal would reveal how long a look-up takes.
    if let Ok(slot) = Arc::clone(&services.reset_slots).try_acquire_owned() {
        tokio::spawn(async move {
            let requested = services.core.request_password_reset(&email, network);
            if let Err(error) = requested.await {
                tracing::warn!(%error, "A requested reset of a password could not be queued.");
            }
            drop(slot);
        });
    } else {
        tracing::warn!("Too many resets of passwords are looked up; one was not.");
    }
    Ok(no_store(ApiResponse::with_status(
        202,
        &json!({ "isRequested": true }),
    )))
}

/// All sessions of the person end; the person signs in next.
pub async fn reset(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let reset = read_body(&call.body, |body: &ResetPassword| {
        let (link, password, revokes) = (body.link(), body.password(), body.revokes_tokens());
        Some(PasswordReset {
            link: link?,
            password: password?,
            revokes_tokens: revokes.unwrap_or(false),
        })
    })?;
    let visitor = counted_visitor(&services, call.visitor).await?;
    let (hasher, network) = (services.hasher.as_ref(), visitor.place.network);
    let ended = services.core.reset_password(hasher, &reset, network).await;
    let ended = ended.map_err(refused)?;
    Ok(no_store(ApiResponse::value(&json!({
        "endedSessions": ended.sessions,
        "revokedTokens": ended.tokens,
    }))))
}

pub async fn confirm_address(
    services: Arc<Services>,
    call: VisitorCall,
) -> Result<ApiResponse, Problem> {
    let link = link_of(&services, call).await?;
    let email = services.core.confirm_address(&link).await;
    Ok(address_response(&email.map_err(refused)?))
}

pub async fn cancel_address(
    services: Arc<Services>,
    call: VisitorCall,
) -> Result<ApiResponse, Problem> {
    let link = link_of(&services, call).await?;
    let email = services.core.cancel_address(&link).await;
    Ok(address_response(&email.map_err(refused)?))
}

pub async fn disown_sign_in(
    services: Arc<Services>,
    call: VisitorCall,
) -> Result<ApiResponse, Problem> {
    let link = link_of(&services, call).await?;
    let disowned = services.core.disown_sign_in(&link).await;
    disowned.map_err(refused)?;
    Ok(no_store(ApiResponse::value(
        &json!({ "endedAllSessions": true }),
    )))
}

async fn link_of(services: &Services, call: VisitorCall) -> Result<String, Problem> {
    call.query.finish()?;
    let link = read_body(&call.body, UseLink::link)?;
    counted_visitor(services, call.visitor).await?;
    Ok(link)
}

fn address_response(email: &EmailAddress) -> ApiResponse {
    no_store(ApiResponse::value(&json!({ "email": email.as_str() })))
}

fn refused(error: PersonLinkError) -> Problem {
    match error {
        PersonLinkError::LinkInvalid => refusals::link_invalid(),
        PersonLinkError::EmailTaken => refusals::email_taken(),
        PersonLinkError::Unfit(refusal) => password_refused("password", refusal),
        PersonLinkError::Hashing(error) => hashing_problem(&error),
        PersonLinkError::Storage(error) => error.into(),
    }
}

pub(super) fn mail_not_configured() -> Problem {
    Problem::new(Code::MailNotConfigured, "This server sends no mail.").hint(
        "Ask the server's operator: `sightline account reset-link` makes a link to set a new password, and the setting mail.host turns mail on.",
    )
}
