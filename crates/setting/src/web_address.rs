use crate::Setting;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use url::Url;

/// An `http` or `https` URL with a host. Displayed without secrets.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct WebAddress {
    text: String,
    url: Url,
}

impl WebAddress {
    /// # Panics
    /// If the URL is invalid; tests of the defaults cover every call.
    pub fn from_static(text: &'static str) -> Self {
        Self::try_from(text.to_owned()).expect("a fixed address parses")
    }

    pub const fn url(&self) -> &Url {
        &self.url
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends a path, whether or not the URL ends with a slash.
    pub fn join_path(&self, path: &str) -> String {
        format!("{}{path}", self.url.as_str().trim_end_matches('/'))
    }

    fn redacted(&self) -> String {
        redact_credentials(&self.text)
    }
}

/// Hides user, password and query of a URL.
fn redact_credentials(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = match authority.rsplit_once('@') {
        Some((_, place)) => format!("(hidden)@{place}"),
        None => authority.to_owned(),
    };
    let rest = match rest.split_once('?') {
        Some((path, _)) => format!("{path}?(hidden)"),
        None => rest.to_owned(),
    };
    match scheme {
        "" => format!("{host}{rest}"),
        scheme => format!("{scheme}://{host}{rest}"),
    }
}

impl TryFrom<String> for WebAddress {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let url = Url::parse(&text).ok();
        let web = url.filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.host_str().is_some_and(|it| !it.is_empty())
        });
        match web {
            Some(url) => Ok(Self { text, url }),
            None => Err(format!(
                "takes an http or https address, such as https://search.example.com; it is `{}`",
                redact_credentials(&text)
            )),
        }
    }
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl Serialize for WebAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.redacted())
    }
}

impl Setting for WebAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displayed_addresses_hide_credentials_and_queries() {
        for (written, shown) in [
            ("https://a.example/v1", "https://a.example/v1"),
            (
                "http://me:pw@a.example:81/v1",
                "http://(hidden)@a.example:81/v1",
            ),
            ("http://me:p@w@a.example", "http://(hidden)@a.example"),
            (
                "https://a.example/x?key=pw#top",
                "https://a.example/x?(hidden)",
            ),
            ("https://a.example?key=pw", "https://a.example?(hidden)"),
            ("https://a.example/~me@home", "https://a.example/~me@home"),
        ] {
            let address = WebAddress::try_from(written.to_owned()).unwrap();
            assert_eq!(serde_json::to_value(&address).unwrap(), shown);
            assert_eq!(format!("{address:?}"), shown);
            assert_eq!(address.text(), written);
        }
        let message = WebAddress::try_from("htp://me:pw@a.example/?key=pw".to_owned()).unwrap_err();
        assert!(!message.contains("pw"), "{message}");
    }
}
