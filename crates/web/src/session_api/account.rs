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

pub async fn read(_: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    Ok(response(&call.member.account, &call.member.user))
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
    let changed = services.core.change_profile(&call.member, &patch).await;
    let (account, user) = changed.map_err(|error| refused(&services, error))?;
    Ok(response(&account, &user))
}

fn response(account: &Account, user: &User) -> ApiResponse {
    let body = json!({ "account": account_view(account), "user": user_view(user) });
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
        ChangeProfileError::EmailTaken => Problem::new(
            Code::EmailTaken,
            "The e-mail address cannot be used to sign in here.",
        )
        .hint("Choose another address."),
        ChangeProfileError::NoSuchAccount => StorageError::Corrupt {
            subject: "the account of a session",
        }
        .into(),
        ChangeProfileError::Storage(error) => error.into(),
    }
}
