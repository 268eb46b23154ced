use chrono::{DateTime, NaiveDateTime, Utc};
use std::time::Duration;

/// Obsolete date formats that recipients must accept (RFC 9110, 5.6.7).
const OBSOLETE_FORMATS: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];

/// Delay in seconds or until a date (RFC 9110, 10.2.3); `None` if it is neither.
pub fn retry_after(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let text = text.trim();
    // Rust's parser accepts a sign, HTTP does not.
    if text.bytes().all(|it| it.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    Some((date(text)? - now).to_std().unwrap_or(Duration::ZERO))
}

fn date(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(date) = DateTime::parse_from_rfc2822(text) {
        return Some(date.to_utc());
    }
    let old = |form: &&str| NaiveDateTime::parse_from_str(text, form).ok();
    OBSOLETE_FORMATS.iter().find_map(old).map(|it| it.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_seconds(text: &str) -> Option<u64> {
        let now = DateTime::parse_from_rfc3339("2026-11-21T10:00:00Z").expect("a time");
        retry_after(text, now.to_utc()).map(|it| it.as_secs())
    }

    #[test]
    fn seconds_accept_digits_only() {
        assert_eq!(parse_seconds(" 12\t"), Some(12));
        assert_eq!(parse_seconds("0"), Some(0));
        for none in ["+5", "-5", "1.5", "1e3", "", "99999999999999999999"] {
            assert_eq!(parse_seconds(none), None, "{none}");
        }
    }

    #[test]
    fn all_three_http_date_formats_are_parsed() {
        assert_eq!(parse_seconds("Sat, 21 Nov 2026 10:00:05 GMT"), Some(5));
        assert_eq!(parse_seconds("Saturday, 21-Nov-26 10:00:05 GMT"), Some(5));
        assert_eq!(parse_seconds("Sat Nov 21 10:00:05 2026"), Some(5));
        assert_eq!(
            parse_seconds("Sun Nov  1 10:00:05 2026"),
            Some(0),
            "it is over"
        );
        assert_eq!(
            parse_seconds("Sunday, 21-Nov-26 10:00:05 GMT"),
            None,
            "no such day"
        );
        assert_eq!(parse_seconds("soon"), None);
    }
}
