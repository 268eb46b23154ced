//! The texts of all messages: what happened, what to do, why the recipient gets it, and how to stop it.

mod account;
mod login;

use crate::content::{Button, Content, Stop, shorten, web_link};
use chrono::{DateTime, Utc};
use domain::mail::{Letter, Message, Purpose, PurposeClass};

/// Characters of a name that a person chose, so that a name cannot be a message of its own.
const MAX_NAME: usize = 80;

pub fn content(letter: &Letter) -> Content {
    let content = match &letter.delivery.message {
        Message::PasswordReset {} => login::password_reset(letter),
        Message::PasswordChanged { at, network } => {
            login::password_changed(letter, *at, network.as_deref())
        }
        Message::AddressConfirmation { name, before } => {
            login::address_confirmation(letter, name, before)
        }
        Message::AddressChange { new, is_confirmed } => {
            login::address_change(letter, new, *is_confirmed)
        }
        Message::AddressTaken {} => login::address_taken(letter),
        Message::NewDevice {
            at,
            browser,
            network,
        } => login::new_device(letter, *at, browser.as_deref(), network),
        Message::FailedSignIns { failures, at } => login::failed_sign_ins(letter, *failures, *at),
        of_account => account::content(letter, of_account),
    };
    Content {
        stop: stop(letter),
        ..content
    }
}

fn stop(letter: &Letter) -> Option<Stop> {
    let purpose = letter.delivery.message.purpose();
    let label = match (purpose, purpose.class()) {
        (Purpose::Invitation, _) => "Stop invitations to this account",
        (_, PurposeClass::Notice) => "Stop notices about this account",
        _ => "Stop these messages",
    };
    let url = web_link(&letter.stop.as_ref()?.page)?;
    Some(Stop { label, url })
}

/// A button to an ordinary page.
fn button(letter: &Letter, label: &'static str) -> Option<Button> {
    let url = letter.action.as_deref().and_then(web_link)?;
    let note = None;
    Some(Button { label, url, note })
}

/// A button with a secret link; `expires_at` unless the letter has its end.
fn link_button(
    letter: &Letter,
    expires_at: Option<DateTime<Utc>>,
    label: &'static str,
) -> Option<Button> {
    let note = match letter.action_expires_at.or(expires_at) {
        Some(end) => format!("The link works once, until {}.", time(end)),
        None => "The link works once.".to_owned(),
    };
    button(letter, label).map(|it| Button {
        note: Some(note),
        ..it
    })
}

fn time(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y, %H:%M UTC").to_string()
}

fn name(text: &str) -> String {
    shorten(text, MAX_NAME)
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}
