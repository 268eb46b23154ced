//! Accepted texts of owners are accepted again, unchanged.

use analysis::keyword_text::normalized;
use chrono::{DateTime, TimeDelta};
use domain::{
    email::EmailAddress,
    keyword::KeywordText,
    money::MicroUsd,
    schedule::Recurrence,
    scope::Scopes,
    text::{Label, Tag, is_invisible},
};

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(label) = Label::parse(&text) {
        assert!((1..=Label::MAX).contains(&label.as_str().chars().count()));
        assert!(!label.as_str().chars().any(is_invisible));
        assert_eq!(Label::parse(label.as_str()).as_ref(), Ok(&label));
    }
    if let Ok(tag) = Tag::parse(&text) {
        assert_eq!(Tag::parse(tag.as_str()).as_ref(), Ok(&tag));
    }
    if let Ok(email) = EmailAddress::parse(&text) {
        assert_eq!(EmailAddress::parse(email.as_str()).as_ref(), Ok(&email));
        assert_eq!(EmailAddress::parse(&text.to_uppercase()), Ok(email));
    }
    if let Ok(keyword) = KeywordText::parse(&text) {
        let again = KeywordText::parse(keyword.as_str());
        assert_eq!(again.as_ref(), Ok(&keyword));
        // Two spellings of one keyword are tracked once.
        let normal = keyword.normalized();
        assert_eq!(normalized(normal), normal);
    }
    if let Some(amount) = MicroUsd::parse(&text) {
        assert!(amount.0 >= 0);
        assert_eq!(MicroUsd::parse(&amount.to_string()), Some(amount));
    }
    if let Ok(scopes) = Scopes::parse(&text) {
        assert_eq!(Scopes::parse(&scopes.to_string()), Ok(scopes));
    }
    rhythm(&text);
}

/// Three lines as days, time and zone of a schedule.
fn rhythm(text: &str) {
    let mut lines = text.lines();
    let (Some(days), Some(time), Some(zone)) = (lines.next(), lines.next(), lines.next()) else {
        return;
    };
    let Ok(rhythm) = Recurrence::parse(days, time, zone) else {
        return;
    };
    assert_eq!(rhythm.time(), time);
    let again = Recurrence::parse(&rhythm.days.to_string(), time, zone);
    assert_eq!(again, Ok(rhythm), "{days}");
    let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let next = rhythm.next(now);
    assert!(next > now && next <= now + TimeDelta::days(32), "{next}");
    let local = next.with_timezone(&rhythm.zone);
    // A local time that the clock skips runs an hour later.
    let is_skipped = local.format("%H:%M").to_string() != time;
    assert!(!is_skipped || rhythm.next(next) > next, "{local}");
}
