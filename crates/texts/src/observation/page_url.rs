//! URL normalization: RFC 3986 section 6.2 on top of the WHATWG parser.

use crate::url_rules;
use std::net::IpAddr;
use url::{Host, Url};

/// The normal form, and the fragment. Lower-case scheme and host, ASCII host, no default port, no dot segments (all by
/// the `url` crate); upper-case percent-encodings, unreserved characters decoded; no user name and password. Query
/// parameters stay, since they may select a page.
pub fn normalize(url: &Url) -> (String, Option<String>) {
    let fragment = url.fragment().map(str::to_owned);
    let mut bare = url.clone();
    bare.set_fragment(None);
    // Not part of the page's identity, and must not be published. Fails only for URLs that cannot have
    // them.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    let text = normalize_escapes(bare.as_str());
    // Decoding `%2E` can create a dot segment, which another parse resolves.
    let text = Url::parse(&text).map_or(text, String::from);
    (text, fragment)
}

/// `None` if not an absolute URL.
pub fn normalized(text: &str) -> Option<String> {
    Url::parse(text).ok().map(|url| normalize(&url).0)
}

/// Public suffix plus one label; IP addresses unchanged.
pub fn registrable_domain(host: &str) -> String {
    let host = host.trim_end_matches('.');
    url_rules::domain_of_host(host).to_ascii_lowercase()
}

pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost"
                || std::path::Path::new(name)
                    .extension()
                    .is_some_and(|it| it == "localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
        None => false,
    }
}

fn normalize_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match escaped_byte(rest) {
            Some(byte) if is_unreserved(byte) && !continues_escape(&out, byte) => {
                out.push(char::from(byte));
            }
            Some(_) => out.push_str(&rest[..3].to_ascii_uppercase()),
            None => {
                out.push('%');
                rest = &rest[1..];
                continue;
            }
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

/// Whether decoding the byte would complete an escape: `%0%61` is not `%0a`.
fn continues_escape(before: &str, byte: u8) -> bool {
    let mut last = before.bytes().rev();
    let opens = match (last.next(), last.next()) {
        (Some(b'%'), _) => true,
        (Some(digit), Some(b'%')) => digit.is_ascii_hexdigit(),
        _ => false,
    };
    opens && byte.is_ascii_hexdigit()
}

fn escaped_byte(text: &str) -> Option<u8> {
    let digits = text.get(1..3)?;
    let all_hex = digits.bytes().all(|it| it.is_ascii_hexdigit());
    all_hex
        .then(|| u8::from_str_radix(digits, 16).ok())
        .flatten()
}

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pages_have_one_form() {
        for (given, wanted) in [
            ("HTTP://Example.COM:80/a/../b", "http://example.com/b"),
            ("https://example.com:443", "https://example.com/"),
            (
                "http://example.com/%7euser/%e2%82%ac",
                "http://example.com/~user/%E2%82%AC",
            ),
            (
                "http://example.com/a%2fb?x=%41&utm_source=y#z",
                "http://example.com/a%2Fb?x=A&utm_source=y",
            ),
            (
                "http://bücher.example/ä",
                "http://xn--bcher-kva.example/%C3%A4",
            ),
            ("http://example.com/100%", "http://example.com/100%"),
            ("http://example.com/%0%61", "http://example.com/%0%61"),
            ("http://example.com/%%61%31", "http://example.com/%%611"),
            ("http://ann:secret@example.com/p", "http://example.com/p"),
            ("http://example.com/a/%2E%2E/b", "http://example.com/b"),
        ] {
            assert_eq!(normalized(given).as_deref(), Some(wanted), "{given}");
        }
    }

    #[test]
    fn url_normalization_is_idempotent() {
        proptest::proptest!(|(path in "[a-z%0-9A-F./ä?&=#]{0,40}")| {
            if let Some(once) = normalized(&format!("http://example.com/{path}")) {
                proptest::prop_assert_eq!(normalized(&once), Some(once.clone()));
            }
        });
    }

    #[test]
    fn registrable_domains_follow_the_public_suffix_list() {
        assert_eq!(registrable_domain("a.b.example.co.uk"), "example.co.uk");
        assert_eq!(registrable_domain("x.github.io"), "x.github.io");
        assert_eq!(registrable_domain("127.0.0.1"), "127.0.0.1");
    }

    #[test]
    fn loopback_hosts_are_known_in_every_notation() {
        for text in [
            "http://localhost/",
            "http://a.localhost",
            "http://2130706433/",
            "http://[::1]:80/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(is_loopback(&Url::parse(text).unwrap()), "{text}");
        }
        assert!(!is_loopback(&Url::parse("http://example.com/").unwrap()));
    }
}
