//! What replies and errors mean for a delivery.

use crate::status::EnhancedStatus;
use base64::{Engine, prelude::BASE64_STANDARD};
use domain::ports::mailer::MailFailure;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::response::Response;
use std::error::Error as _;

/// Characters of a text for people and of a stored reply.
const MAX_CHARS: usize = 200;

/// How far a transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before the sender was named: whatever fails does not concern the message.
    Connection,
    Sender,
    /// From the recipient to the reply that asks for the text.
    Recipient,
    Text,
}

/// Refusals because of a missing or wrong sign-in (RFC 4954, 6): the settings are wrong, not the message.
const SIGN_IN_CODES: [u16; 4] = [530, 534, 535, 538];

/// Texts that contain the password, which a server may repeat.
#[derive(Debug, Clone, Default)]
pub struct Redaction(Vec<String>);

impl Redaction {
    pub fn of(username: &str, password: &str) -> Self {
        let encode = |text: &str| BASE64_STANDARD.encode(text);
        let plain = format!("\0{username}\0{password}");
        Self(vec![encode(&plain), encode(password), password.to_owned()])
    }

    /// One line without controls and without the password, of at most 200 characters.
    pub fn apply(&self, text: &str) -> String {
        let hide = |text: String, secret: &String| text.replace(secret, "(hidden)");
        let text = self.0.iter().fold(text.to_owned(), hide);
        let line = text.replace(char::is_control, " ");
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ").chars().take(MAX_CHARS).collect()
    }
}

/// `server` is host and port.
pub fn classify(stage: Stage, error: &Error, server: &str, redaction: &Redaction) -> MailFailure {
    let Some(code) = error.status().map(u16::from) else {
        let text = redaction.apply(&format!("{server}: {}", describe(error)));
        return match stage {
            Stage::Text => MailFailure::NoReply(text),
            _ => MailFailure::Temporary(text),
        };
    };
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    let reply = redaction.apply(&format!("{code} {text}"));
    // The sender is a setting, like the login: the message is not at fault.
    let is_of_settings = matches!(stage, Stage::Connection | Stage::Sender);
    let is_temporary = code < 500 || is_of_settings || SIGN_IN_CODES.contains(&code);
    if is_temporary {
        return MailFailure::Temporary(reply);
    }
    let status = EnhancedStatus::find(&text);
    let is_of_recipient = matches!(stage, Stage::Recipient | Stage::Text);
    MailFailure::Refused {
        reply,
        is_unknown_address: is_of_recipient
            && status.is_some_and(EnhancedStatus::is_unknown_address),
    }
}

pub fn unexpected(stage: Stage, reply: &Response, redaction: &Redaction) -> MailFailure {
    let text = redaction.apply(&format!("unexpected reply: {}", line(reply)));
    match stage {
        Stage::Text => MailFailure::NoReply(text),
        _ => MailFailure::Temporary(text),
    }
}

/// A reply as one line.
pub fn line(reply: &Response) -> String {
    let lines: Vec<&str> = reply.message().collect();
    format!("{} {}", reply.code(), lines.join(" "))
}

/// The innermost cause: `lettre` repeats it in each layer around it.
fn describe(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_controls_are_not_shown() {
        let redaction = Redaction::of("ann", "pa ss\u{e9}");
        let plain = BASE64_STANDARD.encode("\0ann\0pa ss\u{e9}");
        let encoded = BASE64_STANDARD.encode("pa ss\u{e9}");
        let shown = redaction.apply(&format!("no\r\n{plain} {encoded}\u{7} pa ss\u{e9} \u{e9}"));
        assert_eq!(shown, "no (hidden) (hidden) (hidden) \u{e9}");
        assert_eq!(redaction.apply(&"\u{e9}".repeat(300)).chars().count(), 200);
    }
}
