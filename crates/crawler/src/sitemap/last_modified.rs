//! `lastmod` of a sitemap: W3C's profile of ISO 8601.

use chrono::{DateTime, FixedOffset, NaiveDate};

/// A moment, or a day, month or year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastModified {
    /// The first day of a month or year.
    pub day: NaiveDate,
    /// Set if a time is given.
    pub moment: Option<DateTime<FixedOffset>>,
}

impl LastModified {
    /// Parses `2024`, `2024-05`, `2024-05-06`, `2024-05-06T07:08+02:00`, `2024-05-06T07:08:09.1Z`
    /// (<https://www.w3.org/TR/NOTE-datetime>).
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.len() {
            4 => Self::of_day(&format!("{text}-01-01")),
            7 => Self::of_day(&format!("{text}-01")),
            10 => Self::of_day(text),
            _ => Self::of_moment(text),
        }
    }

    /// Parses dates of feeds: `Mon, 06 May 2024 07:08:09 GMT`.
    pub fn read_rfc_2822(text: &str) -> Option<Self> {
        DateTime::parse_from_rfc2822(text.trim())
            .ok()
            .map(Self::from)
    }

    /// A moment by RFC 3339, else a day.
    pub fn text(&self) -> String {
        self.moment
            .map_or_else(|| self.day.to_string(), |it| it.to_rfc3339())
    }

    fn of_day(text: &str) -> Option<Self> {
        let is_digit = |(at, it): (usize, u8)| {
            if at == 4 || at == 7 {
                it == b'-'
            } else {
                it.is_ascii_digit()
            }
        };
        let fits = text.bytes().enumerate().all(is_digit);
        let day = NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .ok()
            .filter(|_| fits)?;
        Some(Self { day, moment: None })
    }

    fn of_moment(text: &str) -> Option<Self> {
        let with_seconds = || {
            // The profile has a form without seconds, which RFC 3339 requires.
            let (minutes, zone) = text.split_at_checked(16)?;
            (zone.starts_with(['Z', '+', '-'])).then(|| format!("{minutes}:00{zone}"))
        };
        let moment = DateTime::parse_from_rfc3339(text)
            .ok()
            .filter(|_| text.as_bytes().get(10) == Some(&b'T'));
        moment
            .or_else(|| DateTime::parse_from_rfc3339(&with_seconds()?).ok())
            .map(Self::from)
    }
}

impl From<DateTime<FixedOffset>> for LastModified {
    fn from(moment: DateTime<FixedOffset>) -> Self {
        Self {
            day: moment.date_naive(),
            moment: Some(moment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_the_w3c_profile_are_parsed() {
        for (text, read) in [
            ("1997", "1997-01-01"),
            ("1997-07", "1997-07-01"),
            (" 1997-07-16\n", "1997-07-16"),
            ("1997-07-16T19:20+01:00", "1997-07-16T19:20:00+01:00"),
            ("1997-07-16T19:20Z", "1997-07-16T19:20:00+00:00"),
            ("1997-07-16T19:20:30+01:00", "1997-07-16T19:20:30+01:00"),
            (
                "1997-07-16T19:20:30.45+01:00",
                "1997-07-16T19:20:30.450+01:00",
            ),
        ] {
            assert_eq!(
                LastModified::read(text).map(|it| it.text()).as_deref(),
                Some(read),
                "{text}"
            );
        }
    }

    #[test]
    fn other_dates_are_rejected() {
        for text in [
            "",
            "yesterday",
            "16.07.1997",
            "1997-7-16",
            "1997-13-01",
            "1997-07-16T19:20",
            "1997-07-16 19:20:30Z",
            "+997-07-16",
            "ééééé",
        ] {
            assert_eq!(LastModified::read(text), None, "{text}");
        }
        proptest::proptest!(|(text in ".{0,40}")| { LastModified::read(&text); });
    }
}
