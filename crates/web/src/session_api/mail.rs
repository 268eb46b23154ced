//! /api/settings/mail and /api/unsubscribe: messages of an account, and the addresses that it sends none to.

use super::person_links::mail_not_configured;
use super::sign_in::no_store;
use crate::contract::{FreeText, Number, query, string_enums};
use crate::endpoint::{MailCall, MemberCall, VisitorCall};
use crate::links::{Link, Operation};
use crate::paging::PageLimits;
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::email::EmailAddress;
use domain::ids::DeliveryId;
use domain::mail::{Delivery, StopLink, SuppressionReason};
use domain::page::{parse_position, position};
use domain::ports::outbox::DeliveryFilter;
use domain::use_cases::outbox::SendAgainError;
use serde_json::{Value, json};
use std::sync::Arc;

const LIST_LIMITS: PageLimits = PageLimits {
    default: 50,
    max: 200,
};

string_enums!(SuppressionReason);

query! {
    pub(crate) ReadMail {
        limit: Number<1, { LIST_LIMITS.max }> = optional "limit", "How many messages.";
        cursor: FreeText<60> = optional "cursor", "`nextCursor` of the part before.";
    }
}

query! {
    pub(crate) LiftSuppression {
        email: EmailAddress = required "email", "The address.";
        reason: SuppressionReason = required "reason", "One of its reasons.";
    }
}

/// Messages, newest first, without those about a person's login; and suppressed addresses.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = ReadMail(&call.query);
    let (limit, cursor) = (parameters.limit(), parameters.cursor());
    let behind = cursor.as_deref().and_then(parse_position);
    let behind = behind.map(|(at, id)| (at, DeliveryId(id)));
    if cursor.is_some() && behind.is_none() {
        call.query.note_invalid("cursor", "is not a `nextCursor`");
    }
    call.query.finish()?;
    let limit = limit.unwrap_or(LIST_LIMITS.default);
    let filter = DeliveryFilter {
        behind,
        with_personal: false,
        limit: limit + 1,
    };
    let (core, account) = (&services.core, call.member.account.id);
    let mut deliveries = core.deliveries(account, &filter).await?;
    let has_more = deliveries.len() > limit as usize;
    deliveries.truncate(limit as usize);
    let next = deliveries.last().filter(|_| has_more);
    let next = next.map(|it| position(it.created_at, it.id.0));
    let suppressions = core.suppressions(account).await?;
    let items: Vec<Value> = deliveries.iter().map(view).collect();
    let suppressions = suppressions.iter().map(|it| {
        json!({
            "email": it.recipient.as_str(),
            "reason": it.reason.name(),
            "since": it.at,
            "canBeLifted": it.reason.can_be_lifted(),
        })
    });
    Ok(no_store(ApiResponse::value(&json!({
        "sendsMail": core.sends_mail(),
        "items": items,
        "nextCursor": next,
        "limit": limit,
        "suppressions": suppressions.collect::<Vec<_>>(),
    }))))
}

/// Queues a copy of a message that failed, expired, or is of unknown outcome.
pub async fn send_again(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let id = DeliveryId(call.id.unwrap_or_default());
    let copy = services.core.send_again(&call.member, id).await;
    let copy = copy.map_err(refused)?;
    Ok(no_store(ApiResponse::with_status(201, &view(&copy))))
}

pub async fn lift(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = LiftSuppression(&call.query);
    let (email, reason) = (parameters.email(), parameters.reason());
    call.query.finish()?;
    // `finish` refused missing ones.
    let (Some(email), Some(reason)) = (email, reason) else {
        return Err(Problem::new(Code::InternalError, "A parameter is missing."));
    };
    if !reason.can_be_lifted() {
        return Err(Problem::new(
            Code::SuppressionFinal,
            "The recipient marked a message as spam: only a message from the recipient would change that.",
        )
        .hint("Pass on links in another way."));
    }
    let lifted = { &services.core }.lift_suppression(&call.member, &email, reason);
    let lifted = usize::from(lifted.await?);
    Ok(no_store(ApiResponse::value(
        &json!({ "liftedSuppressions": lifted }),
    )))
}

/// For mail programs that open the link of a header: leads to the page with the button.
pub async fn show_stop(_: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    let text = StopMail(&call.query).link();
    call.query.finish()?;
    let place = format!("{}#{}", StopLink::PAGE, text.unwrap_or_default());
    Ok(no_store(ApiResponse::text(303, String::new())).header("Location", place))
}

query! {
    pub(crate) StopMail {
        link: FreeText<200> = optional "t", "The signed text of the link.";
    }
}

/// Stops messages of a kind from an account to an address (RFC 8058). Mail programs send it without a session.
pub async fn stop(services: Arc<Services>, call: MailCall) -> Result<ApiResponse, Problem> {
    let text = StopMail(&call.query).link();
    call.query.finish()?;
    let (key, now) = (&services.config.stop_key, services.core.clock.now());
    let link = text.and_then(|it| StopLink::verify(&it, key, now));
    let link = link.ok_or_else(refusals::link_invalid)?;
    if !services.core.stop_mail(link).await? {
        return Err(refusals::link_invalid());
    }
    Ok(no_store(ApiResponse::value(&json!({ "isStopped": true }))))
}

fn view(delivery: &Delivery) -> Value {
    json!({
        "id": delivery.id.0,
        "to": delivery.recipient.as_str(),
        "purpose": delivery.message.purpose().name(),
        "state": delivery.state.name(),
        "attempts": delivery.attempt,
        "createdAt": delivery.created_at,
        "nextAt": delivery.next_at,
        "endedAt": delivery.ended_at,
        "reply": delivery.reply,
    })
}

fn refused(error: SendAgainError) -> Problem {
    let to_list = |problem: Problem| {
        problem.next_action(Link::to(Operation::ListMail), "Messages of the account")
    };
    match error {
        SendAgainError::NoSuchDelivery => to_list(
            Problem::new(Code::NotFound, "The account has no message with this id.")
                .hint("List the messages."),
        ),
        SendAgainError::NotFailed(state) => to_list(
            Problem::new(
                Code::MessageNotFailed,
                format!("The message is {}.", state.name()),
            )
            .hint("Only messages that failed, expired or are of unknown outcome are sent again."),
        ),
        SendAgainError::NoMail => mail_not_configured(),
        SendAgainError::Storage(error) => error.into(),
    }
}
