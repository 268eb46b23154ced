//! /api/settings/members and /api/settings/invitations.

use super::require_recent_password;
use super::sessions::check_revokes;
use super::sign_in::no_store;
use crate::contract::fields::read_body;
use crate::contract::{UniqueList, body, query, string_enums};
use crate::endpoint::MemberCall;
use crate::http::cookies::Cookie;
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::email::EmailAddress;
use domain::ids::{InvitationId, ProjectId, UserId};
use domain::invitation::Invitation;
use domain::link::{LinkKind, PlainLink};
use domain::rights::{Right, Role};
use domain::use_cases::members::{AccountMember, Invitee, MAX_MEMBERS, MemberError, MemberPatch};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Maximum projects granted to a client.
const MAX_PROJECTS: usize = 100;

string_enums!(Role);

body! {
    InviteMember {
        email: EmailAddress = required "email";
        role: Role = required "role";
        projects: UniqueList<ProjectId, MAX_PROJECTS> = optional "projectIds", "The projects that a client sees.";
    }
}

body! {
    ChangeMember {
        role: Role = optional "role";
        projects: UniqueList<ProjectId, MAX_PROJECTS> = optional "projectIds", "The projects that a client sees.";
    }
}

query! {
    pub(crate) RemoveMember {
        revokes_tokens: bool = optional "revokeTokens", "true revokes the tokens that the member created as well.";
    }
}

/// Members, oldest first, and open invitations, newest first. Without links: only their hashes are stored. Addresses and
/// invitations are for those who manage members; null for others.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let account = call.member.account.id;
    let members = services.core.members(account).await?;
    let you = call.member.user.id;
    let mut members: Vec<Value> = members.iter().map(|it| member_view(it, you)).collect();
    let invitations = if call.member.holds(Right::MembersManage) {
        let open = services.core.open_invitations(account).await?;
        Value::Array(open.iter().map(invitation_view).collect())
    } else {
        for it in members.iter_mut().filter(|it| it["isYou"] == false) {
            it["email"] = Value::Null;
        }
        Value::Null
    };
    Ok(no_store(ApiResponse::value(&json!({
        "limit": MAX_MEMBERS,
        "items": members,
        "nextCursor": null,
        "invitations": invitations,
    }))))
}

/// Only this response contains the link.
pub async fn invite(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let invitee = read_body(&call.body, |body: &InviteMember| {
        let (email, role, projects) = (body.email(), body.role(), body.projects());
        Some(Invitee {
            email: email?,
            role: role?,
            projects: projects.unwrap_or_default().into_iter().collect(),
        })
    })?;
    let made = services.core.invite(&call.member, &invitee).await;
    let made = made.map_err(|error| refused(&services, &call, error))?;
    Ok(issued(&services, &made))
}

/// Only this response contains the new link; the one before ends.
pub async fn renew(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let id = InvitationId(call.id.unwrap_or_default());
    let renewed = services.core.renew_invitation(&call.member, id).await;
    let renewed = renewed.map_err(|error| refused(&services, &call, error))?;
    Ok(issued(&services, &renewed))
}

pub async fn revoke(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let id = InvitationId(call.id.unwrap_or_default());
    let revoked = services.core.revoke_invitation(&call.member, id).await;
    revoked.map_err(|error| refused(&services, &call, error))?;
    Ok(no_store(ApiResponse::value(
        &json!({ "revokedInvitations": 1 }),
    )))
}

pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let id = UserId(call.id.unwrap_or_default());
    let found = services.core.member(call.member.account.id, id).await?;
    if found.is_none() {
        return Err(refused(&services, &call, MemberError::NoSuchMember));
    }
    let patch = read_body(&call.body, |body: &ChangeMember| {
        let (role, projects) = (body.role(), body.projects());
        Some(MemberPatch {
            role,
            projects: projects.map(|it| it.into_iter().collect::<BTreeSet<_>>()),
        })
    })?;
    let changed = services.core.change_member(&call.member, id, &patch).await;
    let changed = changed.map_err(|error| refused(&services, &call, error))?;
    let view = member_view(&changed, call.member.user.id);
    Ok(no_store(ApiResponse::value(&view)))
}

/// Takes effect with the member's next request.
pub async fn remove(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let revokes = { RemoveMember(&call.query).revokes_tokens() }.unwrap_or(false);
    call.query.finish()?;
    check_revokes(&call.member, revokes)?;
    let id = UserId(call.id.unwrap_or_default());
    let removed = services.core.remove_member(&call.member, id, revokes).await;
    let tokens = removed.map_err(|error| refused(&services, &call, error))?;
    let view = json!({ "removedMembers": 1, "revokedTokens": tokens });
    Ok(no_store(ApiResponse::value(&view)))
}

/// Ends the session as well.
pub async fn leave(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    require_recent_password(&services, &call)?;
    let own = call.member.user.id;
    let left = services.core.remove_member(&call.member, own, false).await;
    left.map_err(|error| refused(&services, &call, error))?;
    let answer = no_store(ApiResponse::value(&json!({ "leftAccounts": 1 })));
    Ok(answer.header(
        "Set-Cookie",
        services.config.sessions.cookies.clear(Cookie::Session),
    ))
}

fn issued(services: &Services, (invitation, link): &(Invitation, PlainLink)) -> ApiResponse {
    let mut view = invitation_view(invitation);
    let base = &services.config.public_base_url;
    view["link"] = LinkKind::Invitation.url(base, link).into();
    view["isMailed"] = services.core.sends_mail().into();
    no_store(ApiResponse::with_status(201, &view))
}

fn member_view(member: &AccountMember, you: UserId) -> Value {
    let user = &member.user;
    let projects: Vec<i64> = member.projects.iter().map(|it| it.0).collect();
    json!({
        "id": user.id.0,
        "name": user.name.as_str(),
        "email": user.email.as_str(),
        "role": user.role.name(),
        "projectIds": projects,
        "joinedAt": user.created_at,
        "isYou": user.id == you,
    })
}

fn invitation_view(invitation: &Invitation) -> Value {
    let projects: Vec<i64> = invitation.projects.iter().map(|it| it.0).collect();
    json!({
        "id": invitation.id.0,
        "email": invitation.email.as_str(),
        "role": invitation.role.name(),
        "projectIds": projects,
        "createdAt": invitation.created_at,
        "issuedAt": invitation.issued_at,
        "issuedLinks": invitation.issued,
        "invitedBy": invitation.invited_by.0,
        "expiresAt": invitation.expires_at,
    })
}

fn refused(services: &Services, call: &MemberCall, error: MemberError) -> Problem {
    let to_members = |problem: Problem| {
        problem.next_action(Link::to(Operation::ListMembers), "Members and invitations")
    };
    match error {
        MemberError::RoleInsufficient(right) => refusals::role_insufficient(&call.member, right),
        MemberError::NoSuchMember => to_members(
            Problem::new(Code::NotFound, "The account has no member with this id.")
                .hint("List the members."),
        ),
        MemberError::NoSuchInvitation => to_members(
            Problem::new(
                Code::NotFound,
                "The account has no open invitation with this id.",
            )
            .hint("List the open invitations."),
        ),
        MemberError::AlreadyMember => to_members(
            Problem::new(
                Code::AlreadyMember,
                "The person is a member of this account already.",
            )
            .hint("Change the member's role instead."),
        ),
        error @ MemberError::TooManyMembers => {
            let allowance = json!({ "name": "members", "used": MAX_MEMBERS, "limit": MAX_MEMBERS, "requested": 1 });
            Problem::new(Code::AllowanceExceeded, error.to_string())
                .with("allowance", allowance)
                .hint("Remove a member or revoke an invitation first.")
        }
        MemberError::TooManyLinks { wait } => {
            let seconds = wait.to_std().unwrap_or_default().as_secs().max(1);
            Problem::new(
                Code::RateLimited,
                "Too many invitations were made in this account.",
            )
            .with("violated-policies", json!(["invitations"]))
            .hint(format!("Try again in {seconds} s."))
            .retry_after(Duration::from_secs(seconds))
        }
        MemberError::LastOwner => to_members(
            Problem::new(Code::LastOwner, "The account would have no owner.")
                .hint("Make another member an owner first."),
        ),
        error @ (MemberError::ProjectsMissing | MemberError::ProjectsNotForRole) => {
            Problem::invalid_value(FieldError::in_body(
                "/projectIds",
                "invalid-value",
                error.to_string(),
            ))
        }
        MemberError::NoSuchProject(_) => refusals::no_project(),
        MemberError::SignedOut => refusals::session_missing(services.config.sessions.cookies),
        MemberError::Storage(error) => error.into(),
    }
}
