use super::{public_suffix::has_known_suffix, registrable_domain};
use regex::Regex;
use std::{net::Ipv6Addr, sync::LazyLock};
use thiserror::Error;
use url::Host;

/// What `DomainName::parse` accepts, as an ECMA 262 pattern for JSON Schema. It cannot express reserved names, public
/// suffixes, letters that IDNA forbids, and the length of the ASCII form.
pub const DOMAIN_PATTERN: &str = "^(?:[hH][tT][tT][pP][sS]?://)?(?:[A-Za-z0-9\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3](?:[A-Za-z0-9\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3-]{0,61}[A-Za-z0-9\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3])?\\.)+[A-Za-z\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3](?:[A-Za-z0-9\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3-]{0,61}[A-Za-z0-9\\u00C0-\\u024F\\u0370-\\u06FF\\u0900-\\u1FFF\\u3040-\\u9FFF\\uAC00-\\uD7A3])\\.?(?::[0-9]{1,5})?(?:[/?#][^\\s]*)?$";

pub fn has_domain_form(text: &str) -> bool {
    static FORM: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(DOMAIN_PATTERN).expect("the pattern is one"));
    FORM.is_match(text)
}

/// Cloud metadata services.
const METADATA_NAMES: [&str; 6] = [
    "metadata.goog",
    "metadata.azure.com",
    "metadata.tencentyun.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.oraclecloud.com",
];

/// Never public.
const RESERVED_ENDINGS: [&str; 11] = [
    "local",
    "internal",
    "onion",
    "test",
    "localhost",
    "invalid",
    "example",
    "home.arpa",
    "in-addr.arpa",
    "ip6.arpa",
    "alt",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedDomain {
    /// Lower case, IDNA; `www.` is kept as given.
    pub ascii: String,
    pub unicode: String,
    /// In the order of the input.
    pub removed: Vec<Removed>,
    /// By the Public Suffix List.
    pub has_known_suffix: bool,
}

crate::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Removed {
        Scheme = "scheme",
        Port = "port",
        TrailingDot = "trailingDot",
        /// From the first `/`, `?` or `#` on.
        Path = "path",
    }
}

crate::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
    pub enum DomainRefusal by code {
        #[error("the domain is empty")]
        Empty = "empty",
        #[error("only http:// and https:// may stand before a domain")]
        Scheme = "scheme",
        #[error("a domain holds no user name and no password")]
        UserInfo = "userInfo",
        #[error("this is not a domain name")]
        Malformed = "malformed",
        #[error("the domain name is longer than 253 characters, or a part of it than 63")]
        TooLong = "tooLong",
        /// In any notation.
        #[error("an IP address is not a domain name")]
        IpAddress = "ipAddress",
        /// Such as `localhost`.
        #[error("a public domain name has at least two parts")]
        SingleLabel = "singleLabel",
        #[error("this ending is reserved for private or special use")]
        Reserved = "reserved",
        #[error("this name leads to a metadata service")]
        Metadata = "metadata",
        /// Such as `co.uk`.
        #[error("this is a public suffix, below which domains are registered")]
        PublicSuffix = "publicSuffix",
    }
}

#[derive(Debug)]
pub struct DomainName;

impl DomainName {
    /// Removes and reports scheme, port, path and trailing dot; folds case; keeps everything else, including `www.`.
    pub fn parse(text: &str) -> Result<ParsedDomain, DomainRefusal> {
        let mut removed = Vec::new();
        let ascii = parse_host(text, &mut removed)?;
        reject_non_public(&ascii)?;
        Ok(ParsedDomain {
            unicode: display_form(&ascii),
            has_known_suffix: has_known_suffix(&ascii),
            ascii,
            removed: in_order(removed),
        })
    }

    /// For sites that are only recognized and never visited: need not be public, but must have two labels.
    pub fn parse_non_public(text: &str) -> Result<String, DomainRefusal> {
        let host = parse_host(text, &mut Vec::new())?;
        match registrable_domain(&host) {
            Some(_) => Ok(host),
            None if host.contains('.') => Err(DomainRefusal::PublicSuffix),
            None => Err(DomainRefusal::SingleLabel),
        }
    }
}

/// Unicode, unless it does not round-trip: a label can disguise another (`xn--xn--…`).
fn display_form(ascii: &str) -> String {
    let (unicode, outcome) = idna::domain_to_unicode(ascii);
    let leads_back = || matches!(Host::parse(&unicode), Ok(Host::Domain(it)) if it == ascii);
    if outcome.is_ok() && leads_back() {
        unicode
    } else {
        ascii.to_owned()
    }
}

fn parse_host(text: &str, removed: &mut Vec<Removed>) -> Result<String, DomainRefusal> {
    let authority = authority(text.trim(), removed)?;
    ascii(host(authority, removed)?)
}

/// The part between scheme and path.
fn authority<'t>(text: &'t str, removed: &mut Vec<Removed>) -> Result<&'t str, DomainRefusal> {
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if is_web(scheme) => {
            removed.push(Removed::Scheme);
            rest
        }
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            return Err(DomainRefusal::Scheme);
        }
        _ => text,
    };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    if end < rest.len() {
        removed.push(Removed::Path);
    }
    match &rest[..end] {
        "" => Err(DomainRefusal::Empty),
        authority if authority.contains('@') => Err(DomainRefusal::UserInfo),
        authority => Ok(authority),
    }
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Drops port and trailing dot.
fn host<'t>(authority: &'t str, removed: &mut Vec<Removed>) -> Result<&'t str, DomainRefusal> {
    if authority.starts_with('[') || authority.parse::<Ipv6Addr>().is_ok() {
        return Err(DomainRefusal::IpAddress);
    }
    let host = match authority.split_once(':') {
        Some((host, port)) if port.len() <= 5 && port.bytes().all(|it| it.is_ascii_digit()) => {
            removed.push(Removed::Port);
            host
        }
        Some(_) => return Err(DomainRefusal::Malformed),
        None => authority,
    };
    // IDNA treats these as dots, too.
    match host.strip_suffix(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']) {
        Some(bare) => {
            removed.push(Removed::TrailingDot);
            Ok(bare)
        }
        None => Ok(host),
    }
}

fn ascii(typed: &str) -> Result<String, DomainRefusal> {
    if typed.is_empty() {
        return Err(DomainRefusal::Empty);
    }
    if typed.contains('%') {
        return Err(DomainRefusal::Malformed);
    }
    match Host::parse(typed) {
        Ok(Host::Domain(ascii)) => checked_labels(ascii),
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) => Err(DomainRefusal::IpAddress),
        Err(url::ParseError::InvalidIpv4Address | url::ParseError::InvalidIpv6Address) => {
            Err(DomainRefusal::IpAddress)
        }
        Err(_) => Err(DomainRefusal::Malformed),
    }
}

fn checked_labels(ascii: String) -> Result<String, DomainRefusal> {
    if ascii.len() > 253 || ascii.split('.').any(|label| label.len() > 63) {
        return Err(DomainRefusal::TooLong);
    }
    if ascii.split('.').all(is_label) {
        Ok(ascii)
    } else {
        Err(DomainRefusal::Malformed)
    }
}

fn is_label(label: &str) -> bool {
    !label.is_empty()
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
}

fn reject_non_public(ascii: &str) -> Result<(), DomainRefusal> {
    let is_or_is_below = |ending: &str| {
        ascii
            .strip_suffix(ending)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    if RESERVED_ENDINGS.into_iter().any(is_or_is_below) && ascii.contains('.') {
        Err(DomainRefusal::Reserved)
    } else if !ascii.contains('.') {
        Err(DomainRefusal::SingleLabel)
    } else if METADATA_NAMES.into_iter().any(is_or_is_below) {
        Err(DomainRefusal::Metadata)
    } else if registrable_domain(ascii).is_none() {
        Err(DomainRefusal::PublicSuffix)
    } else {
        Ok(())
    }
}

fn in_order(mut removed: Vec<Removed>) -> Vec<Removed> {
    removed.sort_by_key(|part| match part {
        Removed::Scheme => 0,
        Removed::TrailingDot => 1,
        Removed::Port => 2,
        Removed::Path => 3,
    });
    removed
}
