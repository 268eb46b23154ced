//! GET /api/session: user, limits and quotas.

use super::{account_view, sign_in::no_store, since_sign_in, user_view};
use crate::agent_api::health::{limits, quotas};
use crate::endpoint::MemberCall;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use crate::{csrf, refusals};
use domain::ports::storage::StorageError;
use domain::rights::Right;
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
    let reads_account = member.holds(Right::AccountRead);
    Ok(no_store(ApiResponse::value(&json!({
        "user": user_view(&member.user),
        "account": account_view(&state.account),
        "rights": Right::ALL.into_iter().filter(|it| member.holds(*it)).map(Right::name).collect::<Vec<_>>(),
        "session": {
            "id": session.id.0,
            "createdAt": session.created_at,
            "endsAt": session.ends_at(),
            "freshUntil": session.fresh_until(),
        },
        "csrfToken": csrf::token(call.secret.reveal()),
        "serverTime": services.core.clock.now(),
        "limits": reads_account.then(|| limits(&services, &state)),
        "quotas": reads_account.then(|| quotas(&state)),
        "sinceLastSignIn": since_sign_in(&services, session, member.user.role).await?,
    }))))
}
