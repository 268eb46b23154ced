use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// Of Postfix, shortened.
const POSTFIX: &str = include_str!("../../testdata/postfix.eml");
/// Of Exchange Online, shortened: the recipient's group in base64, another delayed.
const EXCHANGE: &str = include_str!("../../testdata/exchange.eml");
/// RFC 5965, B.2, with our addresses.
const COMPLAINT: &str = include_str!("../../testdata/complaint.eml");

const DOMAIN: Option<&str> = Some("bounces.sender.example");

fn read(message: &str) -> BounceReport {
    read_bounce(message.as_bytes(), DOMAIN).unwrap()
}

fn described(report: &BounceReport) -> Vec<String> {
    let describe = |it: &Bounced| {
        let status = it.status.map(|it| it.to_string()).unwrap_or_default();
        format!("{} {status} {}", it.recipient, it.is_permanent)
    };
    report.recipients.iter().map(describe).collect()
}

#[test]
fn delivery_status_names_recipients_and_the_delivery() {
    let report = read(POSTFIX);
    assert_eq!(report.kind, BounceKind::Bounce);
    assert_eq!(report.delivery, Some((AccountId(7), DeliveryId(42))));
    assert_eq!(described(&report), ["gone@recipient.example 5.1.1 true"]);
    assert!(report.recipients[0].status.unwrap().is_unknown_address());
    let crlf = POSTFIX.replace('\n', "\r\n");
    assert_eq!(read(&crlf), report);
    assert_eq!(
        read_bounce(POSTFIX.as_bytes(), None).unwrap().delivery,
        None
    );
    let other = Some("other.example");
    assert_eq!(
        read_bounce(POSTFIX.as_bytes(), other).unwrap().delivery,
        None
    );
}

#[test]
fn delayed_recipients_are_left_out() {
    let report = read(EXCHANGE);
    assert_eq!(described(&report), ["full@recipient.example 5.2.2 true"]);
    assert!(!report.recipients[0].status.unwrap().is_unknown_address());
    assert_eq!(report.delivery, None);
    let delayed = POSTFIX.replace("Action: failed", "Action: delayed");
    assert_eq!(read(&delayed).recipients, []);
}

#[test]
fn status_may_be_in_the_diagnostic_code() {
    let bare = POSTFIX.replace("Status: 5.1.1\n", "");
    assert_eq!(
        described(&read(&bare)),
        ["gone@recipient.example 5.1.1 true"]
    );
    let temporary = POSTFIX.replace("Status: 5.1.1", "Status: 4.4.7");
    assert_eq!(
        described(&read(&temporary)),
        ["gone@recipient.example 4.4.7 false"]
    );
}

#[test]
fn complaint_names_recipient_and_delivery() {
    let report = read(COMPLAINT);
    assert_eq!(report.kind, BounceKind::Complaint);
    assert_eq!(described(&report), ["ann@recipient.example  true"]);
    assert_eq!(report.delivery, Some((AccountId(7), DeliveryId(42))));
    let hidden = COMPLAINT.replace("Original-Rcpt-To: <ann@recipient.example>\n", "");
    assert_eq!(described(&read(&hidden)), ["ann@recipient.example  true"]);
}

#[test]
fn other_messages_are_not_reports() {
    let not_spam = COMPLAINT.replace("Feedback-Type: abuse", "Feedback-Type: not-spam");
    for (message, refusal) in [
        ("", UnreadableBounce::NotAMessage),
        (
            "Subject: Out of office\n\nBack on Monday\n",
            UnreadableBounce::NotAReport,
        ),
        (not_spam.as_str(), UnreadableBounce::NotAReport),
    ] {
        assert_eq!(read_bounce(message.as_bytes(), DOMAIN), Err(refusal));
    }
}

#[test]
fn deep_nesting_is_refused() {
    let nested = "Content-Type: message/rfc822\n\n".repeat(200_000);
    let read = read_bounce(nested.as_bytes(), DOMAIN);
    assert_eq!(read, Err(UnreadableBounce::TooManyParts));
    let digest = "Content-Type: multipart/digest; boundary=b\n\n--b\n\n".repeat(MAX_CONTENT_TYPES);
    assert!(read_bounce(digest.as_bytes(), DOMAIN).is_err());
    let allowed = "Content-Type: message/rfc822\n\n".repeat(MAX_CONTENT_TYPES);
    assert!(read_bounce(allowed.as_bytes(), DOMAIN).is_err());
}

#[test]
fn long_input_is_read_in_part() {
    let mut long = POSTFIX.as_bytes().to_vec();
    long.resize(10 * 1_024 * 1_024, b'\n');
    assert!(read_bounce(&long, DOMAIN).is_ok());
    for line in [
        "a:\n",
        "\n",
        "--=_b\n\n",
        "Content-Type:a\n",
        "(",
        "<",
        "=?",
        "\0",
        "a",
    ] {
        let hostile = line.repeat(10 * 1_024 * 1_024 / line.len());
        assert!(read_bounce(hostile.as_bytes(), DOMAIN).is_err(), "{line:?}");
    }
}

/// A report with some bytes replaced, removed or repeated.
fn changed() -> impl Strategy<Value = Vec<u8>> {
    let original = prop::sample::select(vec![POSTFIX, EXCHANGE, COMPLAINT]);
    let place = any::<prop::sample::Index>();
    let change = (place, place_length(), vec(any::<u8>(), 0..20), 0..4_usize);
    (original, vec(change, 1..12)).prop_map(|(original, changes)| {
        let mut bytes = original.as_bytes().to_vec();
        for (place, length, inserted, times) in changes {
            let begin = place.index(bytes.len() + 1);
            let end = bytes.len().min(begin + length);
            let repeated = bytes[begin..end].repeat(times);
            bytes.splice(begin..end, [repeated, inserted].concat());
        }
        bytes
    })
}

fn place_length() -> impl Strategy<Value = usize> {
    prop_oneof![0..4_usize, 0..200_usize]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn changed_reports_never_panic(bytes in changed()) {
        let _ = read_bounce(&bytes, DOMAIN);
    }

    #[test]
    fn any_bytes_never_panic(bytes in vec(any::<u8>(), 0..2_000)) {
        let _ = read_bounce(&bytes, DOMAIN);
    }

    #[test]
    fn mime_soup_never_panics(lines in vec(prop::sample::select(vec![
        "Content-Type: multipart/report; boundary=\"b\"", "Content-Type: message/rfc822", "Content-Type: multipart/digest; boundary=b",
        "Content-Type: message/delivery-status", "Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: quoted-printable",
        "Content-Type: message/feedback-report", "Final-Recipient: rfc822; a@b.example", "Action: failed", "Status: 5.1.1",
        "", "", "", "--b", "--b--", "--b ", "YQ==", "=0D=0A", " folded", "\r", "a:", ":", "--",
    ]), 0..60), crlf in any::<bool>()) {
        let text = lines.join(if crlf { "\r\n" } else { "\n" });
        let _ = read_bounce(text.as_bytes(), DOMAIN);
    }
}
