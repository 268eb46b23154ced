//! Messages about a person's login.

use super::{button, link_button, name, texts, time};
use crate::content::Content;
use chrono::{DateTime, Utc};
use domain::mail::Letter;

const CANNOT_BE_STOPPED: &str = "Messages about the security of a login cannot be unsubscribed. \
    They end when you leave your last account at Sightline.";
const NOTHING_TO_DO: &str = "If this was you, there is nothing to do.";
/// Without a link, since it would let a forged copy of this message ask for the password.
const NEW_PASSWORD: &str = "If it was not you, choose a new password now: open Sightline as you usually do and use \
    \"Forgot your password?\" on the sign-in page. Then end all other sessions under Settings > Account.";

fn reason(because: &str) -> Vec<String> {
    let because = format!("You receive this message because {because}.");
    vec![because, CANNOT_BE_STOPPED.to_owned()]
}

pub fn password_reset(letter: &Letter) -> Content {
    Content {
        subject: "Reset your Sightline password".to_owned(),
        paragraphs: texts([
            "A new password was requested for your login at Sightline. Choose it with this link:",
        ]),
        button: link_button(letter, None, "Choose a new password"),
        advice: texts([
            "When you have chosen it, all your other sessions end, and you sign in with the new password.",
            "If you did not request this, ignore this message: your password stays the same. Do not forward it, since \
             the link sets your password.",
        ]),
        reason: reason("a new password was requested for the login with this e-mail address"),
        ..Content::default()
    }
}

pub fn password_changed(letter: &Letter, at: DateTime<Utc>, network: Option<&str>) -> Content {
    let mut facts = vec![("When", time(at))];
    facts.extend(network.map(|it| ("Network", name(it))));
    Content {
        subject: "Your Sightline password was changed".to_owned(),
        paragraphs: texts(["The password of your login at Sightline was changed."]),
        facts,
        button: button(letter, "Review your sessions"),
        advice: texts([NOTHING_TO_DO, NEW_PASSWORD]),
        reason: reason("the password of the login with this e-mail address was changed"),
        ..Content::default()
    }
}

pub fn address_confirmation(letter: &Letter, person: &str, before: &str) -> Content {
    let person = name(person);
    Content {
        subject: "Confirm your new e-mail address".to_owned(),
        paragraphs: vec![format!(
            "{person} wants to sign in to Sightline with this e-mail address from now on."
        )],
        facts: vec![
            ("Name", person),
            ("Current address", before.to_owned()),
            ("New address", letter.delivery.recipient.to_string()),
        ],
        button: link_button(letter, None, "Confirm this address"),
        advice: texts([
            "Until you confirm it, the current address stays in use.",
            "If you do not know this person, ignore this message: without your confirmation nothing changes.",
        ]),
        reason: texts([
            "You receive this message because a person entered this address as the new address of a login at \
             Sightline. No other message follows unless it is entered again.",
        ]),
        ..Content::default()
    }
}

pub fn address_change(letter: &Letter, new: &str, is_confirmed: bool) -> Content {
    let before = if is_confirmed {
        "Previous address"
    } else {
        "Current address"
    };
    let facts = vec![
        (before, letter.delivery.recipient.to_string()),
        ("New address", new.to_owned()),
    ];
    if is_confirmed {
        return Content {
            subject: "Your e-mail address at Sightline was changed".to_owned(),
            paragraphs: texts([
                "The new e-mail address of your login was confirmed. You sign in with it from now on, and messages go \
                 to it.",
            ]),
            facts,
            button: link_button(letter, None, "Undo the change"),
            advice: texts([
                NOTHING_TO_DO,
                "If it was not you, undo the change: this restores your address and ends all sessions. Then choose a \
                 new password.",
            ]),
            reason: reason("this was the e-mail address of your login until now"),
            ..Content::default()
        };
    }
    Content {
        subject: "A new e-mail address was entered for your login".to_owned(),
        paragraphs: texts([
            "Your login at Sightline is about to get another e-mail address. The change takes effect when a link in a \
             message to the new address is opened and confirmed.",
        ]),
        facts,
        button: link_button(letter, None, "Cancel the change"),
        advice: texts([
            NOTHING_TO_DO,
            "If it was not you, cancel the change now. Then choose a new password, because the change needed the one \
             that you have.",
        ]),
        reason: reason("this is the e-mail address of your login"),
        ..Content::default()
    }
}

pub fn address_taken(letter: &Letter) -> Content {
    Content {
        subject: "Your e-mail address was entered for another login".to_owned(),
        paragraphs: texts([
            "A person wanted to use this e-mail address for another login at Sightline. It is the address of your \
             login already, so nothing was changed.",
        ]),
        button: button(letter, "Open Sightline"),
        advice: texts([
            "If this was you, sign in with this address and your password, or enter another address there.",
            "If it was not you, there is nothing to do.",
        ]),
        reason: reason("this is the e-mail address of your login"),
        ..Content::default()
    }
}

pub fn new_device(
    letter: &Letter,
    at: DateTime<Utc>,
    browser: Option<&str>,
    network: &str,
) -> Content {
    Content {
        subject: "New sign-in to Sightline".to_owned(),
        paragraphs: texts([
            "Your login at Sightline was used on a device that was not seen before.",
        ]),
        facts: vec![
            ("When", time(at)),
            ("Browser", name(browser.unwrap_or("unknown"))),
            ("Network", name(network)),
        ],
        button: link_button(letter, None, "This was not me"),
        advice: texts([
            NOTHING_TO_DO,
            "If it was not you, use the link: it ends all sessions of your login and lets you choose a new password.",
        ]),
        reason: reason("the login with this e-mail address was used on a new device"),
        ..Content::default()
    }
}

pub fn failed_sign_ins(letter: &Letter, failures: u32, at: DateTime<Utc>) -> Content {
    Content {
        subject: "Failed sign-ins to your login at Sightline".to_owned(),
        paragraphs: texts([
            "Your e-mail address was used for many sign-ins with a wrong password.",
        ]),
        facts: vec![
            ("Failed within an hour", failures.to_string()),
            ("Last one", time(at)),
        ],
        button: button(letter, "Choose a new password"),
        advice: texts([
            "If you mistyped your password or a program of yours has an old one, correct it there.",
            "If it was not you, there is nothing to do as long as your password is long and used nowhere else. \
             Otherwise choose a new one.",
            "Sightline delays further sign-ins on devices that it does not know. Devices that you signed in on before \
             are not delayed.",
        ]),
        reason: reason("this is the e-mail address of your login"),
        ..Content::default()
    }
}
