use crate::domain_name::SiteDomain;
use analysis::url_rules::host_of_url;
use std::fmt;
use thiserror::Error;

/// Prefix of a domain property.
const DOMAIN: &str = "sc-domain:";

/// `sc-domain:example.com`, or a URL such as `https://www.example.com/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Property(String);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PropertyRefusal {
    #[error("must be `sc-domain:example.com` or an address such as `https://www.example.com/`")]
    Form,
    #[error(
        "is the property of {property}, and the project is {site}: bind the property of the project's own site, or the figures would be those of another"
    )]
    OtherSite { property: String, site: String },
}

impl Property {
    /// Takes an already validated property.
    pub const fn accepted(text: String) -> Self {
        Self(text)
    }

    /// Accepts only a property that is the project's whole site: rows of a wider one cannot be
    /// separated, and rows of a part would pass for the whole.
    pub fn parse(text: &str, site: &SiteDomain) -> Result<Self, PropertyRefusal> {
        let text = text.trim();
        let host = match text.strip_prefix(DOMAIN) {
            Some(domain) => domain.to_ascii_lowercase(),
            None => whole_site(text).ok_or(PropertyRefusal::Form)?,
        };
        let is_host = !host.is_empty() && !host.contains(['/', ':', ' ', '?', '#', '@']);
        if !is_host {
            return Err(PropertyRefusal::Form);
        }
        let bare = |it: &str| it.strip_prefix("www.").unwrap_or(it).to_owned();
        if bare(&host) != bare(site.ascii()) {
            return Err(PropertyRefusal::OtherSite {
                property: host,
                site: site.ascii().to_owned(),
            });
        }
        Ok(match text.strip_prefix(DOMAIN) {
            Some(_) => Self(format!("{DOMAIN}{host}")),
            None if text.ends_with('/') => Self(text.to_owned()),
            None => Self(format!("{text}/")),
        })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Host of a URL that names a whole site.
fn whole_site(address: &str) -> Option<String> {
    let rest = address
        .strip_prefix("https://")
        .or_else(|| address.strip_prefix("http://"))?;
    let is_whole =
        rest.trim_end_matches('/').split('/').count() == 1 && !rest.contains(['?', '#', '@']);
    let host = host_of_url(address)?.into_owned();
    is_whole.then_some(host)
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, site: &str) -> Result<String, PropertyRefusal> {
        let site = SiteDomain::accepted(site.to_owned(), site.to_owned());
        Property::parse(text, &site).map(|it| it.0)
    }

    #[test]
    fn a_property_is_the_whole_site_of_the_project() {
        for (text, site, kept) in [
            ("sc-domain:acme.com", "acme.com", "sc-domain:acme.com"),
            ("sc-domain:ACME.com", "www.acme.com", "sc-domain:acme.com"),
            ("https://www.acme.com/", "acme.com", "https://www.acme.com/"),
            (" http://acme.com ", "acme.com", "http://acme.com/"),
        ] {
            assert_eq!(parse(text, site).as_deref(), Ok(kept), "{text}");
        }
        for text in [
            "",
            "acme.com",
            "sc-domain:",
            "https://",
            "https://acme.com/blog/",
            "ftp://acme.com/",
            "sc-domain:a b",
            "https://acme.com/?x",
        ] {
            assert_eq!(
                parse(text, "acme.com"),
                Err(PropertyRefusal::Form),
                "{text}"
            );
        }
        for text in [
            "sc-domain:acme.org",
            "sc-domain:shop.acme.com",
            "https://shop.acme.com/",
        ] {
            let refused = matches!(
                parse(text, "acme.com"),
                Err(PropertyRefusal::OtherSite { .. })
            );
            assert!(refused, "{text}");
        }
        let wider = parse("sc-domain:acme.com", "shop.acme.com");
        assert!(matches!(wider, Err(PropertyRefusal::OtherSite { .. })));
    }
}
