//! /api/invitation: what the holder of an invitation's link sees and does.

use super::sign_in::no_store;
use super::{hashing_problem, password_refused, sign_in, sign_in_problem, signed_in_response};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::{MemberCall, VisitorCall};
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::refusals::link_invalid;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::link::PlainLink;
use domain::password::TypedPassword;
use domain::text::Label;
use domain::use_cases::members::{AcceptError, NewPerson};
use domain::use_cases::sign_in::SignInAttempt;
use serde_json::json;
use std::sync::Arc;

body! {
    PreviewInvitation {
        link: String = required "link";
    }
}

body! {
    AcceptInvitation {
        link: String = required "link";
        name: Label = optional "name", "Of a new person.";
        password: String = required "password", "A new person chooses it; a known one signs in with it.";
    }
}

/// Changes nothing: mail scanners follow links.
pub async fn preview(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let link = read_body(&call.body, PreviewInvitation::link)?;
    let preview = services.core.invitation_preview(&link).await?;
    let preview = preview.ok_or_else(link_invalid)?;
    let invitation = &preview.invitation;
    let projects: Vec<&str> = preview.projects.iter().map(Label::as_str).collect();
    Ok(no_store(ApiResponse::value(&json!({
        "account": preview.account.as_str(),
        "inviter": preview.inviter.as_str(),
        "email": invitation.email.as_str(),
        "role": invitation.role.name(),
        "projects": projects,
        "expiresAt": invitation.expires_at,
        "isKnownPerson": preview.is_known_person,
    }))))
}

/// A new person is created; a known one signs in with the existing password.
pub async fn accept(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let read = |body: &AcceptInvitation| {
        let (link, name, password) = (body.link(), body.name(), body.password());
        Some((link?, name, password?))
    };
    let (link, name, password) = read_body(&call.body, read)?;
    let visitor = sign_in::counted_visitor(&services, call.visitor).await?;
    let preview = services.core.invitation_preview(&link).await?;
    let preview = preview.ok_or_else(link_invalid)?;
    let signed_in = if preview.is_known_person {
        let password = TypedPassword::parse(&password).map_err(|_| wrong_password())?;
        let plain = PlainLink::parse(&link).map_err(|_| link_invalid())?;
        let attempt = SignInAttempt {
            email: preview.invitation.email,
            password,
            client: visitor.place,
            before: visitor.session.map(|it| it.hash()),
        };
        let joined = services.sign_in.join(&attempt, plain.hash()).await;
        joined.map_err(|error| {
            sign_in::note_if_refused(&services, &error, attempt.client.network);
            sign_in_problem(error, wrong_password)
        })?
    } else {
        let missing =
            || Problem::invalid_value(FieldError::in_body("/name", "required", "must be given"));
        let person = NewPerson {
            name: name.ok_or_else(missing)?,
            password,
        };
        let (hasher, place) = (services.hasher.as_ref(), &visitor.place);
        let accepted = { &services.core }.accept_as_new_person(hasher, &link, &person, place);
        accepted.await.map_err(refused)?
    };
    Ok(signed_in_response(&services, 201, &signed_in))
}

/// For a signed-in person: the session continues in the joined account.
pub async fn join(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let link = read_body(&call.body, PreviewInvitation::link)?;
    let joined = services.core.accept_signed_in(&call.member, &link).await;
    let signed_in = joined.map_err(refused)?;
    Ok(signed_in_response(&services, 201, &signed_in))
}

fn wrong_password() -> Problem {
    Problem::invalid_value(FieldError::in_body(
        "/password",
        "wrong-password",
        "is not the password of this e-mail address",
    ))
}

pub(super) fn refused(error: AcceptError) -> Problem {
    match error {
        AcceptError::LinkInvalid => link_invalid(),
        AcceptError::OtherPerson => Problem::new(
            Code::InvitationForAnother,
            "This invitation is for another e-mail address.",
        )
        .hint("Sign out and open the link again, or ask for an invitation to your own address."),
        AcceptError::KnownPerson => Problem::new(
            Code::EmailTaken,
            "Somebody signs in with this e-mail address already.",
        )
        .hint("Open the link again and give the existing password.")
        .next_action(Link::to(Operation::SignIn), "Sign in"),
        error @ AcceptError::TooManyAccounts => {
            Problem::new(Code::AllowanceExceeded, error.to_string()).hint("Leave an account first.")
        }
        AcceptError::Unfit(refusal) => password_refused("password", refusal),
        AcceptError::Hashing(error) => hashing_problem(&error),
        AcceptError::Storage(error) => error.into(),
    }
}
