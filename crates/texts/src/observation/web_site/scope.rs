use serde::{Deserialize, Serialize};
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrawlScope {
    /// Both schemes, default ports; `www.` is ignored.
    Host(String),
    /// One scheme, host and port, without a trailing slash.
    Origin(String),
}

impl CrawlScope {
    pub fn from_host(host: &str) -> Self {
        Self::Host(without_www(&host.to_ascii_lowercase()).to_owned())
    }

    pub fn from_url(url: &Url) -> Self {
        Self::Origin(url.origin().ascii_serialization())
    }

    pub fn contains(&self, url: &Url) -> bool {
        match self {
            Self::Host(host) => {
                matches!(url.scheme(), "http" | "https")
                    && url.port().is_none()
                    && url.host_str().is_some_and(|it| without_www(it) == host)
            }
            Self::Origin(origin) => url.origin().ascii_serialization() == *origin,
        }
    }

    pub fn host(&self) -> &str {
        match self {
            Self::Host(host) => host,
            Self::Origin(origin) => origin.split_once("://").map_or(origin, |it| it.1),
        }
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_host_scope_covers_schemes_and_www_only() {
        let scope = CrawlScope::from_host("www.Example.com");
        assert!(scope.contains(&url("http://example.com/a")));
        assert!(scope.contains(&url("https://www.example.com/")));
        assert!(!scope.contains(&url("https://blog.example.com/")));
        assert!(!scope.contains(&url("https://example.com:8443/")));
        assert!(!scope.contains(&url("ftp://example.com/")));
    }

    #[test]
    fn a_url_bounds_the_crawl_to_its_scheme_host_and_port() {
        let scope = CrawlScope::from_url(&url("http://127.0.0.1:8101/docs/"));
        assert!(scope.contains(&url("http://127.0.0.1:8101/other")));
        assert!(!scope.contains(&url("http://127.0.0.1:8102/")));
        assert!(!scope.contains(&url("https://127.0.0.1:8101/")));
    }
}
