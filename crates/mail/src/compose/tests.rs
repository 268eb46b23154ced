//! Whatever values a message has: no value breaks a line, reaches a header or becomes markup.

use super::wrap::COLUMNS;
use super::{Rendered, Sender, message, render};
use crate::MailSettings;
use chrono::DateTime;
use domain::email::EmailAddress;
use domain::ids::{AccountId, DeliveryId};
use domain::mail::{Delivery, Letter, Message, StopUrls};
use mail_parser::{MessageParser, MimeHeaders};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;
use unicode_width::UnicodeWidthStr;

const HOSTILE: [&str; 17] = [
    "\r\nBcc: x@evil.example",
    "\n\n<script>",
    "\r",
    "\0",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "=?utf-8?q?=0A?=",
    "\r\n.\r\n",
    "--",
    "\" onclick=\"x",
    "&lt;",
    "</td>",
    " ",
    "\u{6f22}",
    "\u{1f600}",
    "\u{feff}",
];

/// Texts of all planes, and often of what breaks lines, headers and markup.
fn value() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => prop::sample::select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z]{0,300}",
    ];
    vec(part, 0..8).prop_map(|it| it.concat())
}

fn values<const N: usize>() -> impl Strategy<Value = [String; N]> {
    vec(value(), N).prop_map(|it| it.try_into().expect("as many"))
}

fn any_message() -> impl Strategy<Value = Message> {
    let at = DateTime::from_timestamp(1_796_049_000, 0).unwrap();
    let expires_at = at;
    prop_oneof![
        (values(), vec(value(), 0..13)).prop_map(move |([account, inviter, role], projects)| {
            Message::Invitation {
                account,
                inviter,
                role,
                projects,
                expires_at,
            }
        }),
        values().prop_map(
            |[account, member, email, role]| Message::InvitationAccepted {
                account,
                member,
                email,
                role
            }
        ),
        values().prop_map(move |[browser, network]| Message::NewDevice {
            at,
            browser: Some(browser),
            network
        }),
        values().prop_map(|[name, before]| Message::AddressConfirmation { name, before }),
        values().prop_map(move |[account, by]| Message::AccountDeletion {
            account,
            by,
            deleted_at: at
        }),
        values().prop_map(move |[account, token]| Message::TokenLeaked { account, token, at }),
    ]
}

fn letter(message: Message, url: &str) -> Letter {
    let at = DateTime::from_timestamp(1_796_049_000, 0).unwrap();
    let recipient = EmailAddress::parse("carla@example.net").unwrap();
    let url = format!("https://sightline.example/{url}");
    Letter {
        at,
        action: Some(url.clone()),
        action_expires_at: Some(at),
        stop: Some(StopUrls {
            page: url.clone(),
            one_click: url,
        }),
        delivery: Delivery::queued((AccountId(7), DeliveryId(42)), recipient, message, at),
    }
}

fn sender(name: &str) -> Sender {
    let from = format!("{name} <sightline@sender.example>");
    let settings: MailSettings = serde_json::from_value(json!({ "from": from })).unwrap();
    Sender::new(settings.from.as_ref().unwrap(), &settings).unwrap()
}

/// The names of the header fields, and the longest line; fails on a line that does not end with CR LF.
fn header_names(bytes: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(bytes).expect("ASCII");
    assert!(text.is_ascii());
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert_eq!(text.matches('\r').count(), text.matches("\r\n").count());
    assert!(!text.contains(|it: char| it.is_control() && !"\r\n".contains(it)));
    let longest = text.split("\r\n").map(str::len).max();
    assert!(longest <= Some(998), "{longest:?}");
    let (head, _) = text.split_once("\r\n\r\n").expect("an empty line");
    let fields = head.split("\r\n").filter(|it| !it.starts_with([' ', '\t']));
    fields
        .map(|it| it.split(':').next().unwrap().to_owned())
        .collect()
}

const HEADERS: [&str; 10] = [
    "Message-ID",
    "Date",
    "From",
    "To",
    "Subject",
    "Auto-Submitted",
    "List-Unsubscribe",
    "List-Unsubscribe-Post",
    "MIME-Version",
    "Content-Type",
];

/// Tags with their attributes' names, which values must not change.
fn tags(html: &str) -> Vec<String> {
    let tags = html
        .split('<')
        .skip(1)
        .map(|it| it.split('>').next().unwrap());
    let without_values = |tag: &str| tag.split('"').step_by(2).collect::<String>();
    tags.map(without_values).collect()
}

fn assert_same_shape(rendered: &Rendered, like: &Rendered) {
    let (html, expected) = (tags(&rendered.html), tags(&like.html));
    assert_eq!(html, expected, "{}", rendered.html);
    let is_url = |it: &str| it.starts_with("https://sightline.example/");
    for line in rendered.text.lines().filter(|it| !is_url(it)) {
        assert!(line.width() <= COLUMNS, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
}

/// The same message with plain values.
fn plain(of: &Message) -> Message {
    let texts = of.variables().into_iter().map(|(name, text)| {
        let is_time = DateTime::parse_from_rfc3339(&text).is_ok();
        (name.to_owned(), if is_time { text } else { "a".to_owned() })
    });
    Message::from_variables(of.purpose(), &texts.collect()).expect("the same message")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_value_breaks_lines_headers_or_markup(message_ in any_message(), url in "[ -~]{0,700}") {
        let letter_ = letter(message_.clone(), &url);
        let bytes = message(&sender("Sightline"), &letter_).unwrap();
        prop_assert_eq!(header_names(&bytes), HEADERS);
        let rendered = render(&letter_);
        assert_same_shape(&rendered, &render(&letter(plain(&message_), &url)));

        let parsed = MessageParser::default().parse(&bytes).unwrap();
        let crlf_free = |it: &str| it.replace("\r\n", "\n").trim_end().to_owned();
        prop_assert_eq!(crlf_free(&parsed.body_text(0).unwrap()), rendered.text.trim_end());
        prop_assert_eq!(crlf_free(&parsed.body_html(0).unwrap()), rendered.html.trim_end());
        prop_assert_eq!(parsed.subject().unwrap_or_default(), rendered.subject.as_str());
        prop_assert_eq!(parsed.parts.len(), 3);
        prop_assert_eq!(parsed.content_type().unwrap().subtype(), Some("alternative"));
    }

    #[test]
    fn any_sender_name_is_encoded(name in "[^<>\"\\p{Cc}]{0,100}") {
        let letter = letter(Message::Test {}, "");
        let bytes = message(&sender(&name), &letter).unwrap();
        prop_assert_eq!(header_names(&bytes), HEADERS);
        let parsed = MessageParser::default().parse(&bytes).unwrap();
        let from = parsed.from().and_then(|it| it.first()).unwrap();
        prop_assert_eq!(from.address.as_deref(), Some("sightline@sender.example"));
    }
}

#[test]
fn stop_url_is_in_headers_of_its_own() {
    let letter = letter(Message::Test {}, "stop?t=1");
    let bytes = message(&sender("Sightline"), &letter).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("\r\nList-Unsubscribe: <https://sightline.example/stop?t=1>\r\n"));
    assert!(text.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"));
}

#[test]
fn parts_are_seven_bit_or_quoted_printable() {
    let letter_of = |browser: &str| {
        let at = DateTime::from_timestamp(0, 0).unwrap();
        let network = "192.0.2.0/24".to_owned();
        let browser = Some(browser.to_owned());
        letter(
            Message::NewDevice {
                at,
                browser,
                network,
            },
            "",
        )
    };
    for (browser, encodings) in [
        ("Firefox", ["7bit", "quoted-printable"]),
        ("F\u{fc}chsin", ["quoted-printable", "quoted-printable"]),
    ] {
        let bytes = message(&sender("Sightline"), &letter_of(browser)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let encoding = |it: &str| it.split("\r\n").next().map(str::to_owned);
        let used = text
            .split("Content-Transfer-Encoding: ")
            .skip(1)
            .filter_map(encoding);
        assert_eq!(used.collect::<Vec<_>>(), encodings);
    }
}
