//! The Public Suffix List with its private section (publicsuffix.org).

use std::borrow::Cow;
use structured_public_domains::{DomainInfo, lookup};

/// The public suffix of a host name and one label more; nothing when the name is a public suffix.
pub fn registrable(host: &str) -> Option<&str> {
    let found = found(host)?;
    let labels = found.registrable_domain()?.split('.').count();
    let name = host.strip_suffix('.').unwrap_or(host);
    let before = name.rmatch_indices('.').nth(labels - 1);
    Some(&name[before.map_or(0, |(dot, _)| dot + 1)..])
}

/// Whether the list names the ending of a host name.
pub fn has_known_suffix(host: &str) -> bool {
    found(host).is_some_and(|it| it.is_known())
}

/// The list is written in letters, hosts in the ASCII of IDNA: label by label the same.
fn found(host: &str) -> Option<DomainInfo> {
    let is_encoded = host.contains("xn--");
    let name = if is_encoded {
        Cow::Owned(idna::domain_to_unicode(host).0)
    } else {
        Cow::Borrowed(host)
    };
    lookup(&name)
}
