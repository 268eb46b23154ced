//! GET /api/session: user, limits and quotas.

use super::{account_view, sign_in::not_kept, since_sign_in, user_view};
use crate::agent_api::health::{limits, quotas};
use crate::answer::Answer;
use crate::endpoint::MemberCall;
use crate::problem::Problem;
use crate::services::Services;
use crate::{csrf, refusals};
use domain::ports::storage::StorageError;
use serde_json::json;
use std::sync::Arc;

/// With the CSRF token.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    call.query.finish()?;
    let member = &call.member;
    let state = services.core.account_state(member.account.id).await?;
    let state = state.ok_or_else(|| {
        refusals::storage(&StorageError::Corrupt {
            what: "the account of a session",
        })
    })?;
    let session = &member.session;
    Ok(not_kept(Answer::value(&json!({
        "user": user_view(&member.user),
        "account": account_view(&state.account),
        "session": {
            "id": session.id.0,
            "createdAt": session.created_at,
            "endsAt": session.ends_at(),
            "freshUntil": session.fresh_until(),
        },
        "csrfToken": csrf::token(call.secret.reveal()),
        "serverTime": services.core.clock.now(),
        "limits": limits(&services, &state),
        "quotas": quotas(&state),
        "sinceLastSignIn": since_sign_in(&services, session).await?,
    }))))
}
