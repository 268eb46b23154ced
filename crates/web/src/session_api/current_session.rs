//! GET /api/session: user, limits and quotas.

use super::{account_view, sign_in::no_store, since_sign_in, user_view};
use crate::agent_api::health::{limits, quotas};
use crate::endpoint::MemberCall;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use crate::{csrf, refusals};
use domain::ports::storage::StorageError;
use serde_json::json;
use std::sync::Arc;

/// With the CSRF token.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let member = &call.member;
    let state = services.core.account_state(member.account.id).await?;
    let state = state.ok_or_else(|| {
        refusals::storage_failure(&StorageError::Corrupt {
            subject: "the account of a session",
        })
    })?;
    let session = &member.session;
    Ok(no_store(ApiResponse::value(&json!({
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
