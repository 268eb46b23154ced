//! DELETE /api/session.

use super::sessions::{check_revokes, ended_view};
use super::sign_in::no_store;
use crate::{
    contract::query, endpoint::MemberCall, http::cookies::Cookie, problem::Problem,
    response::ApiResponse, services::Services,
};
use domain::use_cases::sessions::EndedAccess;
use std::sync::Arc;

query! {
    pub(crate) SignOut {
        revokes_tokens: bool = optional "revokeTokens", "true revokes every token of the account as well.";
        everywhere: bool = optional "everywhere", "true ends every session of the person.";
    }
}

/// Ends this session, or with `everywhere=true` all of the user; `revokeTokens=true` also revokes the account's tokens.
/// Clears browser data. Requires no password: it also ends the caller's session, and locking out an intruder must be
/// quick.
pub async fn sign_out(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = SignOut(&call.query);
    let everywhere = parameters.everywhere().unwrap_or(false);
    let revokes = parameters.revokes_tokens().unwrap_or(false);
    if revokes && !everywhere {
        call.query
            .note_invalid("revokeTokens", "goes together with everywhere=true");
    }
    call.query.finish()?;
    let member = &call.member;
    check_revokes(member, revokes)?;
    let ended = if everywhere {
        let ended = { &services.core }.end_sessions(member, None, revokes);
        ended.await?
    } else {
        let ended = { &services.core }.end_session(member, member.session.id);
        EndedAccess {
            sessions: ended.await?.into(),
            tokens: 0,
        }
    };
    let answer = no_store(ApiResponse::value(&ended_view(ended)));
    let cookies = services.config.sessions.cookies;
    // Not `cookies`: that would clear those of other services of the domain, and the device mark.
    let answer = answer
        .header("Set-Cookie", cookies.clear(Cookie::Session))
        .header("Clear-Site-Data", "\"cache\", \"storage\"");
    if everywhere {
        return Ok(answer.header("Set-Cookie", cookies.clear(Cookie::Device)));
    }
    Ok(answer)
}
