//! /api/settings/account.

use super::{account_view, user_view};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::MemberCall;
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::account::Account;
use domain::email::EmailAddress;
use domain::patch::Change;
use domain::ports::storage::StorageError;
use domain::rights::Right;
use domain::text::Label;
use domain::use_cases::accounts::{ChangeProfileError, ProfilePatch};
use domain::use_cases::person_links::RequestAddressError;
use domain::user::User;
use serde_json::json;
use std::sync::Arc;

body! {
    ChangeAccount {
        account_name: Label = change "accountName";
        name: Label = change "name";
        email: EmailAddress = change "email";
    }
}

pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let requested = services.core.requested_address(&call.member).await?;
    let of = (&call.member.account, &call.member.user);
    Ok(response(of, requested.as_ref()))
}

/// A merge patch (RFC 7396); a new e-mail address requires a recent password.
pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let patch = read_body(&call.body, |body| Some(patch(body)))?;
    if patch.account_name != Change::Keep && !call.member.holds(Right::AccountWrite) {
        return Err(refusals::role_insufficient(
            &call.member,
            Right::AccountWrite,
        ));
    }
    let patch = requested_address(&services, &call, patch).await?;
    let changed = services.core.change_profile(&call.member, &patch).await;
    let (account, user) = changed.map_err(|error| refused(&services, error))?;
    let requested = services.core.requested_address(&call.member).await?;
    Ok(response((&account, &user), requested.as_ref()))
}

/// Where the server sends mail, a new address counts once its link was opened.
async fn requested_address(
    services: &Arc<Services>,
    call: &MemberCall,
    mut patch: ProfilePatch,
) -> Result<ProfilePatch, Problem> {
    let Change::Set(email) = &patch.email else {
        return Ok(patch);
    };
    let person = services.core.person(&call.member).await?;
    let is_new = person.is_some_and(|it| it.email != *email);
    if services.core.sends_mail() && is_new {
        let requested = services.core.request_address(&call.member, email).await;
        let is_taken = requested.map_err(|error| address_refused(services, error))?;
        if is_taken {
            let (services, email) = (Arc::clone(services), email.clone());
            tokio::spawn(async move {
                if let Err(error) = services.core.note_taken_address(&email).await {
                    tracing::warn!(%error, "A message about a requested address could not be queued.");
                }
            });
        }
        patch.email = Change::Keep;
    }
    Ok(patch)
}

fn address_refused(services: &Services, error: RequestAddressError) -> Problem {
    match error {
        RequestAddressError::NotFresh => refusals::reauthentication_required(),
        RequestAddressError::SignedOut => {
            refusals::session_missing(services.config.sessions.cookies)
        }
        RequestAddressError::TooMany { wait } => {
            let wait = wait.to_std().unwrap_or_default();
            Problem::new(Code::RateLimited, "The address was changed too often.")
                .with("violated-policies", json!(["address changes"]))
                .hint(format!("Try again in {} s.", wait.as_secs().max(1)))
                .retry_after(wait)
        }
        RequestAddressError::Storage(error) => error.into(),
    }
}

/// `requested`: a new address that is not confirmed yet.
fn response((account, user): (&Account, &User), requested: Option<&EmailAddress>) -> ApiResponse {
    let body = json!({
        "account": account_view(account),
        "user": user_view(user),
        "requestedEmail": requested.map(EmailAddress::as_str),
    });
    ApiResponse::ok(&body)
}

fn patch(body: &ChangeAccount) -> ProfilePatch {
    ProfilePatch {
        account_name: body.account_name(),
        name: body.name(),
        email: body.email(),
    }
}

fn refused(services: &Services, error: ChangeProfileError) -> Problem {
    match error {
        ChangeProfileError::SignedOut => {
            refusals::session_missing(services.config.sessions.cookies)
        }
        ChangeProfileError::NotFresh => refusals::reauthentication_required(),
        ChangeProfileError::EmailTaken => refusals::email_taken(),
        ChangeProfileError::NoSuchAccount => StorageError::Corrupt {
            subject: "the account of a session",
        }
        .into(),
        ChangeProfileError::Storage(error) => error.into(),
    }
}
