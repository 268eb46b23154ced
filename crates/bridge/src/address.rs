use crate::SetupError;
use std::fmt;
use url::{Host, Url};

const MCP_PATH: &str = "/mcp";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// Parses a server's URL, such as `https://sightline.example.com`; its path is kept.
    pub fn parse(text: &str) -> Result<Self, SetupError> {
        let wrong = SetupError::Address;
        let mut url = Url::parse(text.trim())
            .map_err(|_| wrong("is no URL; it looks like http://127.0.0.1:8080"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("has to begin with http:// or https://"));
        }
        // The URL is shown in error messages, so it must not contain a secret.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "must not hold a user or a password; the token goes into SIGHTLINE_TOKEN",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("must end before any ? or #"));
        }
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{MCP_PATH}"));
        Ok(Self(url))
    }

    pub(crate) const fn endpoint(&self) -> &Url {
        &self.0
    }

    pub(crate) fn names_the_endpoint_twice(&self) -> bool {
        self.0.path().ends_with("/mcp/mcp")
    }

    /// Plain HTTP to another machine: every host on the network path can read the token.
    pub(crate) fn is_unencrypted(&self) -> bool {
        let is_loopback = match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        };
        self.0.scheme() == "http" && !is_loopback
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_is_appended_to_the_servers_path() {
        for (base, endpoint) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/mcp"),
            (" https://x.example/ ", "https://x.example/mcp"),
            ("https://x.example/seo", "https://x.example/seo/mcp"),
            ("https://x.example/a/b//", "https://x.example/a/b/mcp"),
        ] {
            assert_eq!(Address::parse(base).unwrap().to_string(), endpoint);
        }
        let twice = Address::parse("http://x.example/mcp/").unwrap();
        assert!(twice.names_the_endpoint_twice());
    }

    #[test]
    fn invalid_url_is_refused_and_not_echoed() {
        for text in [
            "",
            "127.0.0.1:8080",
            "ftp://x.example",
            "file:///etc/passwd",
            "http://ann:sesame@x.example",
            "http://x.example/?token=sesame",
            "http://x.example/#sesame",
        ] {
            let message = Address::parse(text).unwrap_err().to_string();
            assert!(!message.contains("sesame"), "{message}");
        }
    }

    #[test]
    fn only_http_to_other_machines_is_unencrypted() {
        for (text, is_open) in [
            ("http://127.0.0.1:8080", false),
            ("http://127.8.8.8", false),
            ("http://localhost:8080", false),
            ("http://[::1]:8080", false),
            ("https://x.example", false),
            ("http://x.example", true),
            ("http://10.0.0.5:8080", true),
            ("http://localhost.example", true),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.is_unencrypted(), is_open, "{text}");
        }
    }
}
