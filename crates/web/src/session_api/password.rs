//! POST /api/settings/password.

use super::sessions::check_revokes;
use super::{identity, password_refused, reauthentication_failed, signed_in_response_with};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::MemberCall;
use crate::limits::SlotKey;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::password::TypedPassword;
use domain::use_cases::passwords::{ChangePasswordError, NewPassword};
use std::sync::Arc;

body! {
    ChangePassword {
        current: TypedPassword = required "currentPassword";
        new_password: String = required "newPassword";
        ends_others: bool = optional "endOtherSessions";
        revokes_tokens: bool = optional "revokeTokens";
    }
}

/// The session gets a new cookie; others end unless they are to stay. Tokens are revoked only on request.
pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let new_password = read_body(&call.body, read)?;
    check_revokes(&call.member, new_password.revokes_tokens)?;
    let refused = |error| match error {
        ChangePasswordError::Unfit(refusal) => password_refused("newPassword", refusal),
        ChangePasswordError::NotChecked(error) => {
            reauthentication_failed(&services, &call, error, "currentPassword")
        }
    };
    let one_of_account = [(SlotKey::Account(call.member.account.id), 1)];
    let _slot =
        { services.password_slots.take(one_of_account) }.map_err(refusals::too_many_in_flight)?;
    let (hasher, place) = (services.known_hasher.as_ref(), &call.visitor.place);
    let changed = { &services.core }.change_password(hasher, &call.member, &new_password, place);
    let (signed_in, revoked) = changed.await.map_err(refused)?;
    let mut body = identity(&signed_in);
    body["revokedTokens"] = revoked.into();
    Ok(signed_in_response_with(&services, 200, &signed_in, &body))
}

fn read(body: &ChangePassword) -> Option<NewPassword> {
    let (current, new) = (body.current(), body.new_password());
    let (ends_others, revokes_tokens) = (body.ends_others(), body.revokes_tokens());
    Some(NewPassword {
        current: current?,
        new: new?,
        ends_others: ends_others.unwrap_or(true),
        revokes_tokens: revokes_tokens.unwrap_or(false),
    })
}
