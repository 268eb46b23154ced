use super::{comparison::unwrapped, registrable_domain};
use url::Url;

/// A host with its subdomains, or a path with everything below it. `www.` is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteScope {
    root: String,
    /// Without a trailing slash; empty for the whole host.
    path: String,
}

impl SiteScope {
    /// `host` in ASCII, as from [`super::DomainName::parse`].
    pub fn of(host: &str) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        Self {
            root: without_www(&host).to_owned(),
            path: String::new(),
        }
    }

    /// `/shop` owns `/shop` and `/shop/shoes`, not `/shopping`. Only slashes mean the whole host.
    pub fn below(host: &str, path: &str) -> Self {
        let bare = path.trim_matches('/');
        let path = if bare.is_empty() {
            String::new()
        } else {
            format!("/{bare}")
        };
        Self {
            path,
            ..Self::of(host)
        }
    }

    pub fn root(&self) -> &str {
        &self.root
    }

    /// The parent domain is not own.
    pub fn is_subdomain(&self) -> bool {
        registrable_domain(&self.root) != Some(self.root.as_str())
    }

    pub fn owns(&self, url: &str) -> bool {
        // Most results are of other sites, and parsing is expensive.
        if !contains_ignoring_case(url, &self.root) && url.is_ascii() && !url.contains('%') {
            return false;
        }
        Url::parse(&unwrapped(url)).is_ok_and(|parsed| {
            parsed.host_str().is_some_and(|host| self.owns_host(host))
                && self.owns_path(parsed.path())
        })
    }

    fn owns_path(&self, path: &str) -> bool {
        path.strip_prefix(self.path.as_str())
            .is_some_and(|rest| self.path.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }

    pub fn owns_host(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        match host.strip_suffix(self.root.as_str()) {
            Some(before) => before.is_empty() || before.ends_with('.'),
            None => false,
        }
    }
}

/// Unless nothing registrable would be left.
pub(super) fn without_www(host: &str) -> &str {
    match host.strip_prefix("www.") {
        Some(rest) if registrable_domain(rest).is_some() => rest,
        _ => host,
    }
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    let Some((first, rest)) = part.as_bytes().split_first() else {
        return true;
    };
    let (text, lower, upper) = (
        text.as_bytes(),
        first.to_ascii_lowercase(),
        first.to_ascii_uppercase(),
    );
    memchr::memchr2_iter(lower, upper, text).any(|at| {
        text.get(at + 1..at + part.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(rest))
    })
}
