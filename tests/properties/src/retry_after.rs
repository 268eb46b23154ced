//! `Retry-After` accepts a number and the three date formats of HTTP.

use crate::SeededRandom;
use chrono::{DateTime, TimeDelta};
use providers::resilience::retry_after;
use std::time::Duration;

/// The current and the two obsolete date formats of HTTP.
const FORMS: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let now = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let read = retry_after(&text, now);
    assert_eq!(
        retry_after(&format!(" {text}\t"), now),
        read,
        "blanks around it"
    );
    let bare = text.trim();
    if !bare.is_empty() && bare.bytes().all(|it| it.is_ascii_digit()) {
        let seconds = bare.parse().ok().map(Duration::from_secs);
        assert_eq!(read, seconds, "{bare}");
    }
    if bare.starts_with(['+', '-', '.']) {
        assert_eq!(read, None, "{bare:?} is neither a number nor a date");
    }
    let seconds = SeededRandom::from_bytes(bytes).next_u64() % 10_000_000_000;
    let wait = Duration::from_secs(seconds);
    assert_eq!(retry_after(&seconds.to_string(), now), Some(wait));
    for form in FORMS {
        // Two-digit years are limited to one century.
        let limit = if form.contains("%y") {
            1_000_000_000
        } else {
            u64::MAX
        };
        let wait = Duration::from_secs(seconds.min(limit));
        let date = (now + wait).format(form).to_string();
        assert_eq!(retry_after(&date, now), Some(wait), "{date}");
        let past = (now - wait).format(form).to_string();
        assert_eq!(retry_after(&past, now), Some(Duration::ZERO), "{past}");
    }
}
