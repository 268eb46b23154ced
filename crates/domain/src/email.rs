use std::fmt;
use thiserror::Error;

/// Lower-cased, so that the same mailbox is the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmailAddress(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be an e-mail address such as name@example.com")]
pub struct NotAnEmailAddress;

impl EmailAddress {
    /// Maximum length in SMTP (RFC 5321, 4.5.3.1.3: a path of 256 with its brackets).
    pub const MAX: usize = 254;

    /// [`EmailAddress::parse`] accepts exactly this, up to the length. Narrower than RFC 5322 (no
    /// quoted local part, no address literal).
    pub const PATTERN: &'static str = r"^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])$";

    pub fn parse(text: &str) -> Result<Self, NotAnEmailAddress> {
        let (local, host) = text.rsplit_once('@').ok_or(NotAnEmailAddress)?;
        let fits = text.len() <= Self::MAX && is_local_part(local) && is_host(host);
        fits.then(|| Self(text.to_ascii_lowercase()))
            .ok_or(NotAnEmailAddress)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_local_part(local: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(c);
    local
        .split('.')
        .all(|atom| !atom.is_empty() && atom.chars().all(allowed))
}

fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let Some((_, last)) = host.rsplit_once('.') else {
        return false;
    };
    host.split('.').all(is_label)
        && last.len() > 1
        && last.starts_with(|c: char| c.is_ascii_alphabetic())
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_folded() {
        assert_eq!(
            EmailAddress::parse("Ann.Lee+seo@Example.COM")
                .unwrap()
                .as_str(),
            "ann.lee+seo@example.com"
        );
        for bad in [
            "",
            "ann",
            "@example.com",
            "ann@",
            "ann@host",
            "a b@example.com",
            "a..b@example.com",
            "ann@-x.com",
            "ann@x.c",
        ] {
            assert_eq!(EmailAddress::parse(bad), Err(NotAnEmailAddress), "{bad}");
        }
    }
}
