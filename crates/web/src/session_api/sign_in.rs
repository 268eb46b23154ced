//! POST /api/session.

use super::{NO_STORE, identity, sign_in_problem, signed_in_response_with, since_sign_in};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::{Visitor, VisitorCall};
use crate::limits::{RateLimitExceeded, SignInKey};
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use domain::device::DeviceCookie;
use domain::email::EmailAddress;
use domain::ids::{AccountId, UserId};
use domain::password::TypedPassword;
use domain::throttle::AddressPrefix;
use domain::use_cases::sessions::SignedIn;
use domain::use_cases::sign_in::{SignInAttempt, SignInError};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

body! {
    SignIn {
        email: EmailAddress = required "email";
        password: TypedPassword = required "password";
    }
}

/// Does not reveal whether the address or the password was wrong.
pub async fn sign_in(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let (email, password) = read_body(&call.body, read)?;
    let visitor = counted_visitor(&services, call.visitor).await?;
    let attempt = SignInAttempt {
        email,
        password,
        client: visitor.place,
        before: visitor.session.map(|it| it.hash()),
    };
    match services.sign_in.run(&attempt).await {
        Ok(signed_in) => {
            let mut body = identity(&signed_in);
            body["sinceLastSignIn"] = since_last_sign_in(&services, &signed_in).await;
            Ok(signed_in_response_with(&services, 200, &signed_in, &body))
        }
        Err(error) => {
            note_if_refused(&services, &error, attempt.client.network);
            // An internal error would reveal that the account exists.
            if let SignInError::HashingFailed(cause) = &error {
                tracing::error!("A kept password cannot be compared: {cause}");
                return Err(refused());
            }
            Err(sign_in_problem(error, refused))
        }
    }
}

/// Counts an attempt to sign in, and drops a device mark that is not valid.
pub(super) async fn counted_visitor(
    services: &Services,
    mut visitor: Visitor,
) -> Result<Visitor, Problem> {
    let device = match visitor.place.device.take() {
        Some(mark) if services.core.recognize_device(&mark).await? => Some(mark),
        _ => None,
    };
    // A stolen mark may have used up the rate of known devices: then the address's own rate applies.
    let counted = |mark: &DeviceCookie| {
        services
            .limiter
            .count_sign_in(SignInKey::DeviceOwner(mark.user()))
    };
    visitor.place.device = device.filter(|it| counted(it).is_ok());
    if visitor.place.device.is_none() {
        let counted = services
            .limiter
            .count_sign_in(SignInKey::Address(visitor.address));
        counted.map_err(|it| too_many(&it))?;
    }
    Ok(visitor)
}

/// Records a wrong password for a known address.
pub(super) fn note_if_refused(services: &Arc<Services>, error: &SignInError, from: AddressPrefix) {
    if let SignInError::Refused {
        person: Some(person),
    } = *error
    {
        note_failure(services, person, from);
    }
}

/// Records a wrong password, asynchronously.
pub(super) fn note_failure(
    services: &Arc<Services>,
    person: (AccountId, UserId),
    from: AddressPrefix,
) {
    let services = Arc::clone(services);
    tokio::spawn(async move {
        if let Err(error) = services.core.note_failed_sign_in(person, from).await {
            tracing::debug!(%error, "A failed sign-in could not be noted.");
        }
    });
}

/// A read error must not fail the sign-in; `GET /api/session` returns it later.
async fn since_last_sign_in(services: &Services, signed_in: &SignedIn) -> Value {
    let since = since_sign_in(services, &signed_in.session, signed_in.user.role).await;
    since.unwrap_or_else(|error| {
        tracing::warn!(%error, "What happened since the last sign-in cannot be read.");
        Value::Null
    })
}

fn read(body: &SignIn) -> Option<(EmailAddress, TypedPassword)> {
    let (email, password) = (body.email(), body.password());
    Some((email?, password?))
}

fn refused() -> Problem {
    Problem::new(
        Code::SignInRefused,
        "E-mail address and password do not belong together, or open nothing.",
    )
    .hint("Check both; the operator sets a new password with `sightline account password`.")
    .header(
        "WWW-Authenticate",
        "Cookie realm=\"sightline\", form-action=\"/sign-in\"",
    )
}

fn too_many(exhausted: &RateLimitExceeded) -> Problem {
    let seconds = exhausted.wait.as_secs_f64().ceil().max(1.0);
    Problem::new(Code::RateLimited, "Too many attempts to sign in were made.")
        .with("violated-policies", json!([exhausted.policy]))
        .hint(format!("Try again in {seconds} s."))
        .retry_after(Duration::from_secs_f64(seconds))
        .closing_connection()
}

/// For responses that must not be cached.
pub(super) fn no_store(answer: ApiResponse) -> ApiResponse {
    ApiResponse {
        cache: NO_STORE,
        ..answer
    }
}
