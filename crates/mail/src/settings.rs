//! The section `mail` of the settings.

use domain::email::EmailAddress;
use serde::{Deserialize, Serialize};
use setting::{Mistakes, Seconds, Within, impl_unchecked_setting, settings};
use std::{fmt, net::IpAddr, path::PathBuf};

settings! {
    /// No mail is sent while `host` is not set.
    pub struct MailSettings {
        /// Mail server that accepts messages; without it no mail is sent.
        pub host: Option<ServerName>,
        /// Its port; by default 465 with `tls`, 587 with `starttls`, 25 with `none`.
        pub port: Option<Within<1, 65_535, u16>>,
        /// `tls`, `starttls` (refused unless the server offers it), or `none` for a server on this machine.
        pub security: Security = Security::Tls,
        /// Name to sign in to the mail server.
        pub username: Option<String>,
        /// File with its password; others must not be able to read it.
        pub password_file: Option<PathBuf>,
        /// Sender, with or without a name: `Sightline <sightline@example.com>`.
        pub from: Option<Mailbox>,
        /// Address for replies, if not the sender's.
        pub reply_to: Option<Mailbox>,
        /// Name of this machine in `EHLO`; by default the domain of `from`.
        pub ehlo: Option<DomainName>,
        /// PEM file with an authority of the mail server, in addition to those of this machine.
        pub ca_file: Option<PathBuf>,
        /// Time until the mail server is ready for the text of a message; 1 to 45.
        pub timeout_seconds: Seconds<1, 45> = Seconds::of(30),
        /// Messages a minute, of all servers together; 1 to 10000.
        pub per_minute: Within<1, 10_000> = Within(60),
        /// Domain for bounces, returned to `bounce+…` there; by default they return to `from`.
        pub bounce_domain: Option<DomainName>,
    }
    rules MailSettings::check_together
}

impl_unchecked_setting!(Security, ServerName, DomainName, Mailbox);

/// How the connection to the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// From the start; RFC 8314 prefers it.
    Tls,
    /// After a plain greeting. Without it nothing is sent.
    Starttls,
    /// Not at all: only to a loopback address.
    None,
}

impl Security {
    const fn default_port(self) -> u16 {
        match self {
            Self::Tls => 465,
            Self::Starttls => 587,
            Self::None => 25,
        }
    }
}

impl MailSettings {
    pub fn port(&self) -> u16 {
        self.port.map_or(self.security.default_port(), |it| it.0)
    }

    fn check_together(&self, key: &str, mistakes: &mut Mistakes) {
        let mut missing = |name: &str, wanted: &str, because: &str| {
            let allowed = format!("{wanted}, because {key}.{because} is set");
            mistakes.add(&format!("{key}.{name}"), "not set", allowed);
        };
        if self.host.is_some() && self.from.is_none() {
            missing("from", "the address of the sender", "host");
        }
        match (&self.username, &self.password_file) {
            (Some(_), None) => missing("password_file", "the file of the password", "username"),
            (None, Some(_)) => missing("username", "the name to sign in with", "password_file"),
            _ => {}
        }
        let is_remote = self.host.as_ref().is_some_and(|it| !it.is_loopback());
        if self.security == Security::None && is_remote {
            let allowed = format!("tls or starttls, because {key}.host is another machine");
            mistakes.add(&format!("{key}.security"), "none", allowed);
        }
    }
}

/// Declares text that is checked when it is read.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $is_valid:expr, $takes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let is_valid: fn(&str) -> bool = $is_valid;
                if is_valid(&text) {
                    Ok(Self(text.to_ascii_lowercase()))
                } else {
                    Err(format!(concat!("takes ", $takes, "; it is `{}`"), text))
                }
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }
    };
}

checked_text!(
    /// A host name or an IP address.
    ServerName,
    |it| it.parse::<IpAddr>().is_ok() || is_host_name(it),
    "a host name or an IP address, such as mail.example.com"
);

checked_text!(
    /// A domain that can be part of an e-mail address.
    DomainName,
    |it| EmailAddress::parse(&format!("a@{it}")).is_ok(),
    "a domain, such as example.com"
);

impl ServerName {
    pub fn is_loopback(&self) -> bool {
        let address = self.0.parse::<IpAddr>();
        address.map_or(self.0 == "localhost", |it| it.is_loopback())
    }
}

/// One label is enough, as for a container's name.
fn is_host_name(text: &str) -> bool {
    let is_label = |it: &str| {
        (1..=63).contains(&it.len())
            && !it.starts_with('-')
            && !it.ends_with('-')
            && it.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

/// An address, with or without a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Mailbox {
    pub name: Option<String>,
    pub address: EmailAddress,
}

impl Mailbox {
    /// Characters of a name.
    const MAX_NAME: usize = 100;

    pub fn domain(&self) -> &str {
        let parts = self.address.as_str().rsplit_once('@');
        parts.map_or("", |(_, domain)| domain)
    }

    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (name, address) = match text.strip_suffix('>') {
            Some(text) => text.rsplit_once('<')?,
            None => ("", text),
        };
        let name = name.trim();
        let quoted = name.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let name = quoted.unwrap_or(name);
        let is_name = name.chars().count() <= Self::MAX_NAME
            && !name
                .chars()
                .any(|it| it.is_control() || "<>\"".contains(it));
        is_name.then_some(Self {
            name: Some(name.to_owned()).filter(|it| !it.is_empty()),
            address: EmailAddress::parse(address.trim()).ok()?,
        })
    }
}

impl TryFrom<String> for Mailbox {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| {
            format!("takes an e-mail address, such as `Sightline <sightline@example.com>`; it is `{text}`")
        })
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} <{}>", self.address),
            None => self.address.fmt(f),
        }
    }
}

impl From<Mailbox> for String {
    fn from(mailbox: Mailbox) -> Self {
        mailbox.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use setting::Setting;

    fn read(value: &serde_json::Value) -> Result<MailSettings, String> {
        serde_json::from_value(value.clone()).map_err(|it| it.to_string())
    }

    fn mistakes(value: &serde_json::Value) -> Vec<String> {
        let mut found = Mistakes::default();
        read(value).unwrap().check("mail", &mut found);
        let describe = |it: &setting::Mistake| format!("{} takes {}", it.key, it.allowed);
        found.0.iter().map(describe).collect()
    }

    #[test]
    fn mail_is_off_and_valid_by_default() {
        assert_eq!(mistakes(&json!({})), [""; 0]);
        assert_eq!(MailSettings::default().host, None);
    }

    #[test]
    fn port_follows_the_security() {
        for (security, port) in [("tls", 465), ("starttls", 587), ("none", 25)] {
            assert_eq!(read(&json!({ "security": security })).unwrap().port(), port);
        }
        assert_eq!(read(&json!({ "port": 2525 })).unwrap().port(), 2525);
        assert_eq!(mistakes(&json!({ "port": 0 })).len(), 1);
        assert!(read(&json!({ "port": 65_536 })).is_err());
    }

    #[test]
    fn settings_that_need_another_name_both() {
        for (given, mistake) in [
            (
                json!({ "host": "mail.example.com" }),
                "mail.from takes the address of the sender, because mail.host is set",
            ),
            (
                json!({ "username": "ann" }),
                "mail.password_file takes the file of the password, because mail.username is set",
            ),
            (
                json!({ "password_file": "/run/secrets/mail" }),
                "mail.username takes the name to sign in with, because mail.password_file is set",
            ),
            (
                json!({ "host": "mail.example.com", "from": "a@example.com", "security": "none" }),
                "mail.security takes tls or starttls, because mail.host is another machine",
            ),
            (
                json!({ "timeout_seconds": 46 }),
                "mail.timeout_seconds takes 1 to 45",
            ),
        ] {
            assert_eq!(mistakes(&given), [mistake]);
        }
        for host in ["localhost", "127.0.0.1", "::1"] {
            let given = json!({ "host": host, "from": "a@example.com", "security": "none" });
            assert_eq!(mistakes(&given), [""; 0]);
        }
    }

    #[test]
    fn addresses_may_have_a_name() {
        for (text, name, address) in [
            ("A@Example.com", None, "a@example.com"),
            (
                "Süd & Co <a@example.com>",
                Some("Süd & Co"),
                "a@example.com",
            ),
            (
                "\"Acme, Inc.\" <a@example.com>",
                Some("Acme, Inc."),
                "a@example.com",
            ),
            ("<a@example.com>", None, "a@example.com"),
        ] {
            let read = Mailbox::try_from(text.to_owned()).unwrap();
            assert_eq!(read.name.as_deref(), name, "{text}");
            assert_eq!(read.address.as_str(), address);
            assert_eq!(Mailbox::try_from(read.to_string()), Ok(read));
        }
        for text in [
            "",
            "Ann",
            "Ann <a@example.com",
            "A\r\nB: c <a@example.com>",
            "a@b",
        ] {
            assert!(Mailbox::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn unusable_names_are_refused_with_their_value() {
        for host in [
            "",
            "mail example",
            "-a.example",
            "mail.example.com:25",
            "a..b",
        ] {
            let refused = read(&json!({ "host": host })).unwrap_err();
            assert!(refused.contains(&format!("it is `{host}`")), "{refused}");
        }
        assert!(read(&json!({ "bounce_domain": "127.0.0.1" })).is_err());
        assert!(read(&json!({ "security": "opportunistic" })).is_err());
    }
}
