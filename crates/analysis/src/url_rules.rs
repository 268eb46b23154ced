//! Hosts, registrable domains and URL comparison.

mod comparison;
mod domain_name;
mod site_scope;

pub use comparison::{normalised, page_key, unwrapped};
pub use domain_name::{
    DOMAIN_PATTERN, DomainName, DomainRefusal, ParsedDomain, Removed, has_domain_form,
};
pub use site_scope::SiteScope;

/// The part of a host that somebody registered: the public suffix and one label more, by the
/// Public Suffix List with its private section. `None` for a public suffix and for an address.
#[must_use]
pub fn registrable_domain(host: &str) -> Option<&str> {
    let is_address = host.parse::<std::net::IpAddr>().is_ok() || host.starts_with('[');
    if is_address {
        None
    } else {
        psl::domain_str(host)
    }
}

/// The registrable domain of a URL, or its host when that has none.
#[must_use]
pub fn domain_of_url(url: &str) -> Option<String> {
    let target = unwrapped(url);
    let parsed = url::Url::parse(&target).ok()?;
    let host = parsed.host_str()?.trim_end_matches('.');
    Some(registrable_domain(host).unwrap_or(host).to_owned())
}

#[cfg(test)]
mod tests;
