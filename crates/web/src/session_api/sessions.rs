//! /api/settings/sessions: sessions of the user.

use super::{device_cookie, list, require_recent_password, sign_in::no_store};
use crate::contract::query;
use crate::endpoint::MemberCall;
use crate::links::{Link, Operation};
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ids::SessionId;
use domain::rights::Right;
use domain::use_cases::sessions::{EndedAccess, Member};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most recently used first.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let member = &call.member;
    let items = services.core.sessions(&member.session).await?;
    let items = items.iter().map(|it| {
        json!({
            "id": it.id.0,
            "current": it.id == member.session.id,
            "browser": it.browser,
            "network": it.network,
            "createdAt": it.created_at,
            "lastSeenAt": it.last_seen_at,
            "endsAt": it.ends_at(),
        })
    });
    Ok(no_store(ApiResponse::value(&list(
        &items.collect::<Vec<_>>(),
    ))))
}

/// Ending another session requires a recent password: a hijacker must not lock the owner out.
pub async fn end(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let id = SessionId(call.id.unwrap_or_default());
    if id != call.member.session.id {
        require_recent_password(&services, &call)?;
    }
    if !services.core.end_session(&call.member, id).await? {
        let problem = Problem::new(Code::NotFound, "You have no session with this id.");
        return Err(problem
            .hint("List your sessions.")
            .next_action(Link::to(Operation::ListSessions), "Your sessions"));
    }
    Ok(no_store(ApiResponse::value(&json!({ "endedSessions": 1 }))))
}

pub(super) fn ended_view(ended: EndedAccess) -> Value {
    json!({ "endedSessions": ended.sessions, "revokedTokens": ended.tokens })
}

/// Revoking all tokens besides takes the right to revoke them.
pub(super) fn check_revokes(member: &Member, revokes: bool) -> Result<(), Problem> {
    if revokes && !member.holds(Right::TokensRevoke) {
        return Err(refusals::role_insufficient(member, Right::TokensRevoke));
    }
    Ok(())
}

query! {
    pub(crate) EndSessions {
        revokes_tokens: bool = optional "revokeTokens", "true revokes every token of the account as well.";
    }
}

/// All other sessions, with a recent password; `revokeTokens=true` also revokes the account's tokens.
pub async fn end_others(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let revokes = { EndSessions(&call.query).revokes_tokens() }.unwrap_or(false);
    call.query.finish()?;
    require_recent_password(&services, &call)?;
    let member = &call.member;
    check_revokes(member, revokes)?;
    let (user, this) = (member.user.id, member.session.id);
    let ended = { &services.core }.end_sessions(member, Some(this), revokes);
    let answer = no_store(ApiResponse::value(&ended_view(ended.await?)));
    // Ending sessions invalidated all device marks: this device gets a new one.
    let mark = call.visitor.place.device.as_ref();
    let mark = mark.filter(|it| it.user() == user);
    Ok(match mark.map(|it| it.renewed(services.core.clock.now())) {
        Some(mark) => answer.header("Set-Cookie", device_cookie(&services, &mark)),
        None => answer,
    })
}
