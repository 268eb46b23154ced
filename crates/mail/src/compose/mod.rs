//! Messages as mail servers transfer them (RFC 5322, MIME).

mod html;
mod plain;
mod wrap;

#[cfg(test)]
mod tests;

use crate::content::web_link;
use crate::{MailSettings, Mailbox, SetupError, templates};
use chrono::{DateTime, Utc};
use domain::ids::{AccountId, DeliveryId};
use domain::mail::{Delivery, Letter};
use domain::ports::mailer::MailFailure;
use lettre::Address;
use lettre::message::header::{
    ContentTransferEncoding, ContentType, HeaderName, HeaderValue, MessageId,
};
use lettre::message::{Body, Message, MultiPart, SinglePart};
use std::time::SystemTime;

/// Local part of the addresses that bounces return to, before the ids of the delivery.
pub const BOUNCE_PREFIX: &str = "bounce+";

/// The addresses that messages come from.
pub struct Sender {
    from: lettre::message::Mailbox,
    reply_to: Option<lettre::message::Mailbox>,
    bounce_domain: Option<String>,
}

/// A message as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub subject: String,
    pub text: String,
    pub html: String,
}

pub fn render(letter: &Letter) -> Rendered {
    let content = templates::content(letter).cleaned();
    Rendered {
        text: plain::render(&content),
        html: html::render(&content),
        subject: content.subject,
    }
}

impl Sender {
    pub fn new(from: &Mailbox, settings: &MailSettings) -> Result<Self, SetupError> {
        let reply_to = settings.reply_to.as_ref();
        let domain = settings.bounce_domain.as_ref();
        Ok(Self {
            from: mailbox(from)?,
            reply_to: reply_to.map(mailbox).transpose()?,
            bounce_domain: domain.map(|it| it.as_str().to_owned()),
        })
    }

    /// Sender and recipient as the server gets them.
    pub fn envelope(&self, delivery: &Delivery) -> Result<(Address, Address), MailFailure> {
        let from = match &self.bounce_domain {
            None => self.from.email.clone(),
            Some(domain) => {
                let token = token((delivery.account, delivery.id));
                address(&format!("{BOUNCE_PREFIX}{token}@{domain}"))?
            }
        };
        Ok((from, address(delivery.recipient.as_str())?))
    }
}

/// Names a delivery in addresses and message ids.
fn token((account, delivery): (AccountId, DeliveryId)) -> String {
    format!("{account}-{delivery}")
}

pub fn parse_token(text: &str) -> Option<(AccountId, DeliveryId)> {
    let id = |text: &str| text.parse().ok().filter(|it: &i64| *it > 0);
    let (account, delivery) = text.split_once('-')?;
    Some((AccountId(id(account)?), DeliveryId(id(delivery)?)))
}

fn mailbox(of: &Mailbox) -> Result<lettre::message::Mailbox, SetupError> {
    let address = of.address.as_str().parse();
    let address = address.map_err(|_| SetupError::Address(of.to_string()))?;
    Ok(lettre::message::Mailbox::new(of.name.clone(), address))
}

/// Local parts longer than 64 characters are refused (RFC 5321, 4.5.3.1.1).
fn address(text: &str) -> Result<Address, MailFailure> {
    text.parse().map_err(|_| MailFailure::Refused {
        reply: "the address cannot be used in SMTP".to_owned(),
        is_unknown_address: false,
    })
}

/// The whole message: lines end with CR LF and hold ASCII only.
pub fn message(sender: &Sender, letter: &Letter) -> Result<Vec<u8>, MailFailure> {
    let to = address(letter.delivery.recipient.as_str())?;
    let rendered = render(letter);
    let id = token((letter.delivery.account, letter.delivery.id));
    let mut builder = Message::builder()
        .header(MessageId::from(format!(
            "<{id}@{}>",
            sender.from.email.domain()
        )))
        .date(system_time(letter.at))
        .from(sender.from.clone())
        .to(to.into())
        .subject(rendered.subject)
        // Vacation responders do not answer it (RFC 3834, 5).
        .raw_header(header("Auto-Submitted", "auto-generated"));
    if let Some(reply_to) = &sender.reply_to {
        builder = builder.reply_to(reply_to.clone());
    }
    let stop = letter.stop.as_ref().map(|it| it.one_click.as_str());
    if let Some(stop) = stop.and_then(web_link) {
        builder = builder
            .raw_header(header("List-Unsubscribe", format!("<{stop}>")))
            .raw_header(header(
                "List-Unsubscribe-Post",
                "List-Unsubscribe=One-Click",
            ));
    }
    let parts = MultiPart::alternative()
        .singlepart(part(rendered.text, ContentType::TEXT_PLAIN))
        .singlepart(part(rendered.html, ContentType::TEXT_HTML));
    let message = builder.multipart(parts);
    // Everything that could be missing is set above.
    let message = message.map_err(|error| MailFailure::Refused {
        reply: format!("the message cannot be composed: {error}"),
        is_unknown_address: false,
    })?;
    let mut bytes = message.formatted();
    // The line break is part of the final dot.
    if bytes.ends_with(b"\r\n") {
        bytes.truncate(bytes.len() - 2);
    }
    Ok(bytes)
}

fn system_time(at: DateTime<Utc>) -> SystemTime {
    // Dates of messages have no fractions of seconds, and `lettre` takes none before 1970.
    DateTime::from_timestamp(at.timestamp().max(0), 0).map_or(SystemTime::UNIX_EPOCH, Into::into)
}

/// As 7 bit with short lines, else as quoted-printable, which stays readable without a mail program.
fn part(text: String, kind: ContentType) -> SinglePart {
    let body = match Body::new(text.clone()) {
        body if body.encoding() == ContentTransferEncoding::SevenBit => body,
        // It takes any text.
        _ => Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable)
            .unwrap_or_else(Body::new),
    };
    SinglePart::builder().header(kind).body(body)
}

/// A header that `lettre` has no type for.
fn header(name: &'static str, value: impl Into<String>) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.into())
}
