//! Settings → Mail: what was sent for the account, and addresses that get nothing.

use super::components::Table;
use super::page_context::{PageContext, percent_encode};
use super::{PageError, components};
use domain::ids::DeliveryId;
use domain::mail::{Delivery, DeliveryState, Suppression, SuppressionReason};
use domain::page::{parse_position, position};
use domain::ports::outbox::DeliveryFilter;
use domain::rights::Right;
use maud::{Markup, html};

const ROWS: u32 = 50;

pub async fn body(visit: &PageContext<'_>) -> Result<Vec<Markup>, PageError> {
    let core = &visit.services.core;
    let behind = visit
        .query(&["behind"])
        .text("behind")
        .and_then(parse_position);
    let behind = behind.map(|(at, id)| (at, DeliveryId(id)));
    let filter = DeliveryFilter {
        behind,
        with_personal: false,
        limit: ROWS + 1,
    };
    let mut deliveries = core.deliveries(visit.account(), &filter).await?;
    let has_more = deliveries.len() > ROWS as usize;
    deliveries.truncate(ROWS as usize);
    let suppressions = core.suppressions(visit.account()).await?;
    let mut parts = Vec::new();
    if !core.sends_mail() {
        parts.push(html! {
            p class="note-box" {
                "This server sends no mail: links are shown to be copied. Its operator turns mail on with the setting " code { "mail.host" } "."
            }
        });
    }
    if deliveries.is_empty() {
        let text = "Invitations and notices of this account appear here.";
        parts.push(components::empty_state(
            "clock",
            "No messages yet",
            text,
            None,
        ));
    } else {
        let next = deliveries.last().filter(|_| has_more).map(|it| {
            let behind = position(it.created_at, it.id.0);
            visit.url_with(&[("behind", Some(&behind))])
        });
        let first = { behind.is_some() }.then(|| visit.url_with(&[("behind", None)]));
        parts.push(delivery_table(visit, &deliveries, (first, next)));
    }
    if !suppressions.is_empty() {
        parts.push(suppression_table(visit, &suppressions));
    }
    Ok(parts)
}

fn delivery_table(
    visit: &PageContext<'_>,
    deliveries: &[Delivery],
    (first, next): (Option<String>, Option<String>),
) -> Markup {
    let may_send = visit.may(Right::AccountWrite) && visit.services.core.sends_mail();
    let rows = deliveries.iter().map(|it| {
        let path = format!("POST /api/settings/mail/{}/copies", it.id);
        let question = match it.state {
            DeliveryState::Unknown => "The recipient may have this message already. Send it again?",
            _ => "",
        };
        let again = html! {
            @if may_send && it.state.can_be_sent_again() {
                (components::api_button("quiet slim", &path, "", question, "", "Send again"))
            }
        };
        let purpose = components::humanize_capitalized(it.message.purpose().name());
        components::row(vec![
            components::with_subtext(purpose, it.recipient.as_str()),
            components::date_time(it.created_at),
            state(it),
            again,
        ])
    });
    let columns = ["Message", "When", "State", "Change it"].map(components::text_column);
    let table = Table::new("Messages", columns, rows.collect())
        .hide_caption()
        .paged(format!("{ROWS} a page"), first, next);
    let note = format!("Kept for {} days.", Delivery::KEPT_FOR.num_days());
    components::table_card("Messages", &note, &table)
}

/// The state with what the mail server replied.
pub fn state(delivery: &Delivery) -> Markup {
    let (sign, text) = match delivery.state {
        DeliveryState::Queued if delivery.attempt > 0 => ("warn", "is tried again"),
        DeliveryState::Queued => ("", "waits"),
        DeliveryState::Delayed => ("warn", "waits for a limit"),
        DeliveryState::Sending => ("", "is being sent"),
        DeliveryState::Sent => ("good", "sent"),
        DeliveryState::Failed => ("bad", "failed"),
        DeliveryState::Unknown => ("warn", "unknown"),
        DeliveryState::Suppressed => ("warn", "suppressed"),
        DeliveryState::Canceled => ("", "canceled"),
        DeliveryState::Expired => ("bad", "expired"),
    };
    let is_explained = delivery.state != DeliveryState::Sent;
    html! {
        (components::tag(sign, text))
        @if let Some(reply) = delivery.reply.as_deref().filter(|_| is_explained) {
            br; small .soft { (reply) }
        }
    }
}

const fn reason(reason: SuppressionReason) -> &'static str {
    match reason {
        SuppressionReason::Bounce => "the mailbox does not exist",
        SuppressionReason::Complaint => "the recipient marked a message as spam",
        SuppressionReason::Unsubscribed => "the recipient unsubscribed from notices",
        SuppressionReason::InvitationsStopped => "the recipient wants no invitation",
    }
}

fn suppression_table(visit: &PageContext<'_>, suppressions: &[Suppression]) -> Markup {
    let may_lift = visit.may(Right::AccountWrite);
    let rows = suppressions.iter().map(|it| {
        let address = percent_encode(it.recipient.as_str());
        let reason_name = it.reason.name();
        let path =
            format!("DELETE /api/settings/suppressions?email={address}&reason={reason_name}");
        let lift = html! {
            @if may_lift && it.reason.can_be_lifted() {
                (components::api_button(
                    "quiet slim",
                    &path,
                    "",
                    "Send messages to this address again?",
                    "",
                    "Allow again",
                ))
            }
        };
        components::row(vec![
            components::text(it.recipient.as_str()),
            components::text(reason(it.reason)),
            components::date_time(it.at),
            lift,
        ])
    });
    let columns = ["Address", "Reason", "Since", "Change it"].map(components::text_column);
    let table = Table::new("Addresses that get no mail", columns, rows.collect()).hide_caption();
    components::table_card("Addresses that get no mail", "", &table)
}
