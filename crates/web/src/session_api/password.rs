//! POST /api/settings/password.

use super::{identity, new_password, not_given_again, typed_password, unfit, welcomed_with};
use crate::{
    answer::Answer,
    endpoint::MemberCall,
    fields::{Fields, read_body},
    limits::SlotKey,
    pipeline::admit::crowded,
    problem::Problem,
    services::Services,
};
use domain::use_cases::passwords::{ChangePasswordError, NewPassword};
use std::sync::Arc;

/// The session goes on under a new cookie; others end unless they are to stay. Revokes tokens only when asked.
pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    call.query.finish()?;
    let wish = read_body(&call.body, read)?;
    let refused = |error| match error {
        ChangePasswordError::Unfit(refusal) => unfit("newPassword", refusal),
        ChangePasswordError::NotChecked(error) => {
            not_given_again(&services, &call, error, "currentPassword")
        }
    };
    let one_of_account = [(SlotKey::Account(call.member.account.id), 1)];
    let _slot = { services.password_slots.take(one_of_account) }.map_err(crowded)?;
    let (hasher, place) = (services.known_hasher.as_ref(), &call.visitor.place);
    let changed = { &services.core }.change_password(hasher, &call.member, &wish, place);
    let (signed_in, revoked) = changed.await.map_err(refused)?;
    let mut body = identity(&signed_in);
    body["revokedTokens"] = revoked.into();
    Ok(welcomed_with(&services, 200, &signed_in, &body))
}

fn read(fields: &Fields) -> Option<NewPassword> {
    fields.only(&[
        "currentPassword",
        "newPassword",
        "endOtherSessions",
        "revokeTokens",
    ]);
    let current = typed_password(fields, "currentPassword");
    let new = new_password(fields, "newPassword");
    let ends = fields.or_left_out("endOtherSessions", fields.flag("endOtherSessions"));
    let revokes = fields.or_left_out("revokeTokens", fields.flag("revokeTokens"));
    Some(NewPassword {
        current: current?,
        new: new?,
        ends_others: ends.unwrap_or(true),
        revokes_tokens: revokes.unwrap_or(false),
    })
}
