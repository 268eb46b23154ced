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

#[cfg(test)]
mod tests {
    use super::*;

    /// From the examples and the test data of publicsuffix.org.
    #[test]
    fn rules_wildcards_and_exceptions_are_followed_in_letters_and_in_ascii() {
        for (host, registered) in [
            ("b.example.com", Some("example.com")),
            ("B.EXAMPLE.Co.Uk", Some("EXAMPLE.Co.Uk")),
            ("www.example.com.", Some("example.com")),
            ("com", None),
            ("a.b.test.ck", Some("b.test.ck")),
            ("test.ck", None),
            ("www.www.ck", Some("www.ck")),
            ("city.kobe.jp", Some("city.kobe.jp")),
            ("a.b.github.io", Some("b.github.io")),
            ("www.食狮.公司.cn", Some("食狮.公司.cn")),
            (
                "www.xn--85x722f.xn--55qx5d.cn",
                Some("xn--85x722f.xn--55qx5d.cn"),
            ),
            ("xn--55qx5d.cn", None),
            ("b.example.example", Some("example.example")),
            (".com", None),
            ("", None),
        ] {
            assert_eq!(registrable(host), registered, "{host}");
        }
    }

    #[test]
    fn an_ending_that_no_rule_names_is_not_known() {
        assert!(has_known_suffix("example.co.uk") && has_known_suffix("xn--85x722f.xn--55qx5d.cn"));
        assert!(!has_known_suffix("example.example") && !has_known_suffix(""));
    }
}
