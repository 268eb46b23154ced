//! Enhanced status codes (RFC 3463), such as `5.1.1`.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnhancedStatus {
    pub class: u8,
    pub subject: u16,
    pub detail: u16,
}

impl EnhancedStatus {
    /// The first code in a text.
    pub fn find(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
        words.into_iter().find_map(Self::parse)
    }

    fn parse(word: &str) -> Option<Self> {
        let mut parts = word.trim_end_matches('.').split('.');
        let mut number = |max_digits: usize| {
            let part = parts.next()?;
            let fits = (1..=max_digits).contains(&part.len());
            fits.then(|| part.parse::<u16>().ok()).flatten()
        };
        let (class, subject, detail) = (number(1)?, number(3)?, number(3)?);
        let class = u8::try_from(class).ok()?;
        let is_status = matches!(class, 2 | 4 | 5) && parts.next().is_none();
        is_status.then_some(Self {
            class,
            subject,
            detail,
        })
    }

    pub const fn is_permanent(self) -> bool {
        self.class == 5
    }

    /// Whether the mailbox or its domain does not exist, accepts no mail (null MX), has moved or has an invalid address.
    pub const fn is_unknown_address(self) -> bool {
        self.is_permanent() && self.subject == 1 && matches!(self.detail, 1 | 2 | 3 | 6 | 10)
    }
}

impl fmt::Display for EnhancedStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.class, self.subject, self.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_found_in_replies() {
        for (text, status) in [
            ("5.1.1 No such user", Some("5.1.1")),
            (
                "smtp; 550-5.1.10 RESOLVER.ADR.RecipientNotFound",
                Some("5.1.10"),
            ),
            ("(#5.7.1)", Some("5.7.1")),
            ("5.0.0.", Some("5.0.0")),
            ("No such user", None),
            ("192.0.2.1 is listed", None),
            ("version 3.1.1 and 15.1.1", None),
        ] {
            let found = EnhancedStatus::find(text).map(|it| it.to_string());
            assert_eq!(found.as_deref(), status, "{text}");
        }
    }

    #[test]
    fn only_addressing_statuses_mean_an_unknown_address() {
        let is_unknown = |text| EnhancedStatus::find(text).unwrap().is_unknown_address();
        for text in ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"] {
            assert!(is_unknown(text), "{text}");
        }
        for text in ["4.1.1", "5.1.0", "5.1.8", "5.2.1", "5.2.2", "5.7.1"] {
            assert!(!is_unknown(text), "{text}");
        }
    }
}
