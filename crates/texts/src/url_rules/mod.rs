use std::borrow::Cow;

mod comparison;
mod domain_name;
mod own_sites;
mod public_suffix;
mod site_scope;

pub use comparison::{TRACKING_KEYS, normalized, page_key, unwrapped};
pub use domain_name::{
    DOMAIN_PATTERN, DomainName, DomainRefusal, ParsedDomain, Removed, has_domain_form,
};
pub use own_sites::OwnSites;
pub use public_suffix::has_known_suffix;
pub use site_scope::SiteScope;

/// Public suffix and one label (Public Suffix List with its private section); `None` for suffixes and IP addresses.
pub fn registrable_domain(host: &str) -> Option<&str> {
    // IPv4 addresses end with a digit, IPv6 addresses contain a colon.
    let may_be_address = host.ends_with(|it: char| it.is_ascii_digit()) || host.contains(':');
    let is_address =
        host.starts_with('[') || (may_be_address && host.parse::<std::net::IpAddr>().is_ok());
    if is_address {
        None
    } else {
        public_suffix::registrable(host)
    }
}

/// Or the host when it has none.
pub fn domain_of_url(url: &str) -> Option<String> {
    let host = host_of_url(url)?;
    Some(domain_of_host(&host).to_owned())
}

/// Or the host when it has none.
pub fn domain_of_host(host: &str) -> &str {
    registrable_domain(host).unwrap_or(host)
}

/// By the URL standard, after unwrapping engines' redirects.
pub fn host_of_url(url: &str) -> Option<Cow<'_, str>> {
    let target = unwrapped(url);
    if let Cow::Borrowed(url) = target
        && let Some((host, _)) = host_fast_path(url)
    {
        return Some(Cow::Borrowed(host));
    }
    let parsed = url::Url::parse(&target).ok()?;
    let host = parsed.host_str()?.trim_end_matches('.');
    Some(Cow::Owned(host.to_owned()))
}

/// Path `/` without a query.
pub fn is_home_page(url: &str) -> bool {
    if let Some((_, rest)) = host_fast_path(url)
        && let Some(is_home) = is_home_fast_path(rest)
    {
        return is_home;
    }
    url::Url::parse(url).is_ok_and(|url| url.path() == "/" && url.query().is_none())
}

/// `None` if parsing is needed.
fn is_home_fast_path(rest: &str) -> Option<bool> {
    let behind_slash = rest.strip_prefix('/').unwrap_or(rest);
    match behind_slash.bytes().next() {
        None | Some(b'#') => Some(true),
        Some(b'?') => Some(false),
        // A path that begins with a letter or digit is not empty, unless a segment `..` removes it, which may
        // be hidden by an encoding (`%2e`), a tab or a line end, which the parser drops.
        Some(first) => (first.is_ascii_alphanumeric()
            && !rest.contains("..")
            && !rest.bytes().any(|it| it == b'%' || it.is_ascii_control()))
        .then_some(false),
    }
}

/// Host and rest, without parsing, for plain letters, digits and hyphens: the common case, and much faster.
fn host_fast_path(url: &str) -> Option<(&str, &str)> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, behind) = rest.split_at(end);
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    // A last label without a letter may belong to an IP address, and `xn--` may be invalid.
    let is_name = host.rsplit('.').next().is_some_and(|last| {
        last.bytes()
            .next()
            .is_some_and(|it| it.is_ascii_lowercase())
    }) && host.bytes().all(is_plain)
        && !host.starts_with('.')
        && !host.contains("..")
        && !host.contains("xn--");
    is_name.then_some((host, behind))
}

#[cfg(test)]
mod tests;
