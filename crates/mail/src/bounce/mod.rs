//! Reports that mail servers return: delivery status notifications (RFC 3464) and complaints in the Abuse Reporting Format
//! (RFC 5965). They are not authenticated: a report is a hint about the recipients of the delivery that it names.

mod fields;

use crate::compose::{BOUNCE_PREFIX, parse_token};
use crate::status::EnhancedStatus;
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId};
use fields::{Fields, address_of};
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};
use thiserror::Error;

/// What is read of a report; its first parts are short. With it, parsing takes at most some 100 MB of memory.
pub const MAX_BOUNCE_BYTES: usize = 1_024 * 1_024;
/// Parts of a report. Each level of nested messages has such a header, and deeper nesting would exhaust the stack.
const MAX_CONTENT_TYPES: usize = 200;
const MAX_RECIPIENTS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BounceKind {
    /// A message was not delivered.
    Bounce,
    /// The recipient marked a message as spam.
    Complaint,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BounceReport {
    pub kind: BounceKind,
    /// Without those that are only delayed; empty if that is all of them.
    pub recipients: Vec<Bounced>,
    /// From the address that the report was returned to, with the setting `mail.bounce_domain`.
    pub delivery: Option<(AccountId, DeliveryId)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounced {
    pub recipient: EmailAddress,
    /// `None` in complaints.
    pub status: Option<EnhancedStatus>,
    /// Whether another attempt would fail as well; also of a full mailbox, see [`EnhancedStatus::is_unknown_address`].
    pub is_permanent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnreadableBounce {
    #[error("it is not a message")]
    NotAMessage,
    #[error(
        "it is neither a delivery status notification (RFC 3464) nor an abuse report (RFC 5965)"
    )]
    NotAReport,
    #[error("it has more than {MAX_CONTENT_TYPES} parts")]
    TooManyParts,
}

/// Reads the first [`MAX_BOUNCE_BYTES`] of a report.
pub fn read_bounce(
    message: &[u8],
    bounce_domain: Option<&str>,
) -> Result<BounceReport, UnreadableBounce> {
    let message = &message[..message.len().min(MAX_BOUNCE_BYTES)];
    if count_content_types(message) > MAX_CONTENT_TYPES {
        return Err(UnreadableBounce::TooManyParts);
    }
    let parsed = MessageParser::default().parse(message);
    let parsed = parsed.ok_or(UnreadableBounce::NotAMessage)?;
    let report = |subtype| part(&parsed, subtype).map(|it| Fields::groups(it.contents()));
    let (kind, recipients, sent_from) = if let Some(groups) = report("delivery-status") {
        (BounceKind::Bounce, failed_recipients(&groups), None)
    } else if let Some(groups) = report("feedback-report") {
        let fields = groups.into_iter().next().unwrap_or_default();
        if !fields.first("Feedback-Type").is_some_and(is_complaint) {
            return Err(UnreadableBounce::NotAReport);
        }
        let from = fields.first("Original-Mail-From").map(str::to_owned);
        (BounceKind::Complaint, complainants(&fields, &parsed), from)
    } else {
        return Err(UnreadableBounce::NotAReport);
    };
    let of_address = |text: &str| delivery_of(text, bounce_domain?);
    let returned_to = ["Delivered-To", "X-Original-To", "Envelope-To", "To"];
    let returned_to = returned_to.iter().filter_map(|it| parsed.header_raw(*it));
    let addresses = sent_from.as_deref().into_iter().chain(returned_to);
    Ok(BounceReport {
        kind,
        recipients,
        delivery: addresses.into_iter().find_map(of_address),
    })
}

fn count_content_types(message: &[u8]) -> usize {
    let name = b"content-type";
    { message.windows(name.len()) }
        .filter(|it| it.eq_ignore_ascii_case(name))
        .count()
}

fn part<'a>(message: &'a Message<'_>, subtype: &str) -> Option<&'a MessagePart<'a>> {
    message.parts.iter().find(|part| {
        part.content_type().is_some_and(|it| {
            it.ctype().eq_ignore_ascii_case("message")
                && it
                    .subtype()
                    .is_some_and(|it| it.eq_ignore_ascii_case(subtype))
        })
    })
}

fn failed_recipients(groups: &[Fields]) -> Vec<Bounced> {
    let failed = groups.iter().filter_map(|fields| {
        let recipient = ["Final-Recipient", "Original-Recipient"];
        let recipient = recipient
            .iter()
            .find_map(|it| address_of(fields.first(it)?))?;
        let is_failed = fields
            .first("Action")?
            .trim()
            .eq_ignore_ascii_case("failed");
        let status = ["Status", "Diagnostic-Code"].into_iter();
        let status = status
            .filter_map(|it| fields.first(it))
            .find_map(EnhancedStatus::find);
        is_failed.then_some(Bounced {
            recipient,
            is_permanent: status.is_some_and(EnhancedStatus::is_permanent),
            status,
        })
    });
    failed.take(MAX_RECIPIENTS).collect()
}

/// Not `not-spam` and `auth-failure` (RFC 5965, 7.3; RFC 6591).
fn is_complaint(kind: &str) -> bool {
    let kind = kind.trim().to_ascii_lowercase();
    matches!(kind.as_str(), "abuse" | "fraud" | "virus" | "other")
}

/// Providers may leave the recipient out, and keep it in the returned message.
fn complainants(fields: &Fields, report: &Message<'_>) -> Vec<Bounced> {
    let mut found: Vec<EmailAddress> = { fields.all("Original-Rcpt-To") }
        .filter_map(address_of)
        .take(MAX_RECIPIENTS)
        .collect();
    if found.is_empty() {
        found.extend(returned_recipient(report));
    }
    let bounced = |recipient| Bounced {
        recipient,
        status: None,
        is_permanent: true,
    };
    found.into_iter().map(bounced).collect()
}

fn returned_recipient(report: &Message<'_>) -> Option<EmailAddress> {
    let returned = report.parts.iter().find_map(|part| match &part.body {
        PartType::Message(message) => message.header_raw("To").map(str::to_owned),
        _ => None,
    });
    address_of(&returned?)
}

fn delivery_of(text: &str, domain: &str) -> Option<(AccountId, DeliveryId)> {
    let (_, rest) = text.split_once(BOUNCE_PREFIX)?;
    let (token, at) = rest.split_once('@')?;
    let end = at.find(|it: char| it == '>' || it == ',' || it.is_whitespace());
    let at = &at[..end.unwrap_or(at.len())];
    parse_token(token).filter(|_| at.eq_ignore_ascii_case(domain))
}

#[cfg(test)]
mod tests;
