//! The texts of all messages, compared with `tests/golden`, and what has to hold for any values in them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId};
use domain::mail::{Delivery, Letter, Message, Purpose, PurposeClass, StopUrls};
use mail::render;
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_796_049_000, 0).expect("a time") + TimeDelta::minutes(minutes)
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// Each message, with and without its optional values.
fn messages() -> Vec<Message> {
    let account = || text("Orchard & Sons");
    let invitation = |role: &str, projects: &[&str]| Message::Invitation {
        account: account(),
        inviter: text("Ann Lee"),
        role: text(role),
        projects: projects.iter().map(|it| text(it)).collect(),
        expires_at: at(7 * 24 * 60),
    };
    vec![
        invitation("editor", &[]),
        invitation("client", &["Shop", "Blog <news>"]),
        Message::InvitationAccepted {
            account: account(),
            member: text("Bob Dvořák"),
            email: text("bob@example.com"),
            role: text("editor"),
        },
        Message::PasswordReset {},
        Message::PasswordChanged {
            at: at(-2),
            network: Some(text("192.0.2.0/24")),
        },
        Message::AddressConfirmation {
            name: text("Ann Lee"),
            before: text("ann@example.com"),
        },
        Message::AddressChange {
            new: text("ann.lee@example.org"),
            is_confirmed: false,
        },
        Message::AddressChange {
            new: text("ann.lee@example.org"),
            is_confirmed: true,
        },
        Message::AddressTaken {},
        Message::NewDevice {
            at: at(-1),
            browser: Some(text("Firefox on Linux")),
            network: text("192.0.2.0/24"),
        },
        Message::FailedSignIns {
            failures: 100,
            at: at(-1),
        },
        Message::TokenLeaked {
            account: account(),
            token: text("Weekly report"),
            at: at(-3),
        },
        Message::RoleChanged {
            account: account(),
            by: text("Ann Lee"),
            role: text("viewer"),
        },
        Message::MemberRemoved {
            account: account(),
            by: text("Ann Lee"),
        },
        Message::MemberLeft {
            account: account(),
            member: text("Bob Dvořák"),
        },
        Message::ExportReady {
            account: account(),
            expires_at: at(7 * 24 * 60),
        },
        Message::AccountDeletion {
            account: account(),
            by: text("Ann Lee"),
            deleted_at: at(30 * 24 * 60),
        },
        Message::Test {},
    ]
}

fn letter(message: Message) -> Letter {
    let purpose = message.purpose();
    let ids = (AccountId(7), DeliveryId(42));
    let recipient = EmailAddress::parse("carla@example.net").expect("an address");
    let base = "https://sightline.example";
    let secret = "0123456789012345678901234567890123456789abc";
    let action = match purpose.link() {
        Some(link) => format!("{base}{}?t={secret}", link.path()),
        None => format!("{base}/accounts"),
    };
    let can_stop = purpose.class() == PurposeClass::Notice || purpose == Purpose::Invitation;
    let delivery = Delivery::queued(ids, recipient, message, at(0));
    Letter {
        at: at(0),
        action: Some(action),
        action_expires_at: purpose.link().map(|_| delivery.expires_at),
        stop: can_stop.then(|| StopUrls {
            page: format!("{base}/unsubscribe#{secret}"),
            one_click: format!("{base}/api/unsubscribe?t={secret}"),
        }),
        delivery,
    }
}

fn assert_golden(file: &str, made: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(file);
    if fs::read_to_string(&golden).is_ok_and(|it| it == made) {
        return;
    }
    let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    fs::write(&new, made).expect("a file");
    panic!(
        "look at the difference, then: cp {} {}",
        new.display(),
        golden.display()
    );
}

#[test]
fn all_messages_read_as_reviewed() {
    let (mut texts, mut pages) = (String::new(), String::new());
    for message in messages() {
        let purpose = message.purpose().name();
        let rendered = render(&letter(message));
        let rule = "=".repeat(72);
        write!(
            texts,
            "{rule}\n{purpose}\nSubject: {}\n{rule}\n\n{}\n",
            rendered.subject, rendered.text
        )
        .unwrap();
        write!(pages, "<!-- {purpose} -->\n{}\n\n", rendered.html).unwrap();
    }
    assert_golden("messages.txt", &texts);
    assert_golden("messages.html", &pages);
}

#[test]
fn every_purpose_is_reviewed() {
    let reviewed: Vec<Purpose> = messages().iter().map(Message::purpose).collect();
    let missing: Vec<&Purpose> = Purpose::ALL
        .iter()
        .filter(|it| !reviewed.contains(it))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn security_messages_name_their_end_and_links_theirs() {
    for message in messages() {
        let purpose = message.purpose();
        let text = render(&letter(message)).text.replace('\n', " ");
        let is_security = purpose.class() == PurposeClass::Security;
        assert_eq!(
            text.contains("cannot be unsubscribed"),
            is_security,
            "{text}"
        );
        assert_eq!(
            text.contains("The link works once, until"),
            purpose.link().is_some()
        );
        assert!(text.contains("You receive this message because"), "{text}");
        let is_notice = purpose.class() == PurposeClass::Notice;
        assert_eq!(text.contains("Stop notices about this account"), is_notice);
        assert!(!text.contains(['\t', '\u{2019}', '\u{201c}']));
    }
}

#[test]
fn messages_need_no_links() {
    for message in messages() {
        let bare = Letter {
            action: None,
            stop: None,
            ..letter(message)
        };
        let rendered = render(&bare);
        assert!(!rendered.text.contains("http") && !rendered.html.contains("href"));
    }
}

/// Nothing is loaded from elsewhere, and nothing reports that the message was read.
#[test]
fn html_loads_nothing_and_is_small() {
    for message in messages() {
        let html = render(&letter(message)).html;
        for word in [
            "<img", "src=", "@import", "url(", "<script", "<link", "<form",
        ] {
            assert!(!html.contains(word), "{word}");
        }
        let hosts = html.matches("http").count();
        assert_eq!(hosts, html.matches("https://sightline.example/").count());
        // Gmail cuts messages at 102 KB.
        assert!(html.len() < 20_000, "{}", html.len());
    }
}
