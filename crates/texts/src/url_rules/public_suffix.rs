//! The Public Suffix List with its private section (publicsuffix.org).

use std::borrow::Cow;
use structured_public_domains::{DomainInfo, lookup};

/// Public suffix plus one label; `None` for a public suffix.
pub fn registrable(host: &str) -> Option<&str> {
    let found = lookup_suffix(host)?;
    let labels = found.registrable_domain()?.split('.').count();
    let name = host.strip_suffix('.').unwrap_or(host);
    let before = name.rmatch_indices('.').nth(labels - 1);
    Some(&name[before.map_or(0, |(dot, _)| dot + 1)..])
}

pub fn has_known_suffix(host: &str) -> bool {
    lookup_suffix(host).is_some_and(|it| it.is_known())
}

/// The list is in Unicode, hosts are in IDNA.
fn lookup_suffix(host: &str) -> Option<DomainInfo> {
    let is_encoded = host.contains("xn--");
    let name = if is_encoded {
        Cow::Owned(idna::domain_to_unicode(host).0)
    } else {
        Cow::Borrowed(host)
    };
    lookup(&name)
}
