//! Equality of URLs and pages.

use super::site_scope::without_www;
use std::{borrow::Cow, fmt::Write};
use url::Url;

/// Tracking parameters, besides `utm_*`.
pub const TRACKING_KEYS: [&str; 12] = [
    "gclid", "gbraid", "wbraid", "fbclid", "msclkid", "dclid", "yclid", "mc_cid", "mc_eid", "_ga",
    "_gl", "srsltid",
];

/// RFC 3986 6.2 and WHATWG: lower-case scheme and host, no default port, fragment or dot segments, minimal upper-case
/// percent-encodings, no tracking parameters. `None` unless `http` or `https`.
pub fn normalized(url: &str) -> Option<String> {
    let mut parsed = Url::parse(url.trim()).ok()?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return None;
    }
    parsed.set_fragment(None);
    let path = minimally_encoded(parsed.path());
    let query = parsed
        .query()
        .map(without_tracking)
        .filter(|query| !query.is_empty());
    parsed.set_path(&path);
    parsed.set_query(query.as_deref());
    Some(parsed.into())
}

/// The normalized URL without scheme and `www.`, after unwrapping. Other text is returned unchanged.
pub fn page_key(url: &str) -> String {
    let target = unwrapped(url);
    let Some(normal) = normalized(&target) else {
        return target.trim().to_owned();
    };
    let after_scheme = normal
        .split_once("://")
        .map_or(normal.as_str(), |(_, rest)| rest);
    let (authority, rest) =
        after_scheme.split_at(after_scheme.find(['/', '?']).unwrap_or(after_scheme.len()));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    format!("{}{rest}", without_www(host))
}

/// The target of a search engine's redirect (`/url?q=`) or AMP cache.
pub fn unwrapped(url: &str) -> Cow<'_, str> {
    let could_be = ["/url?", "/amp/s/", "cdn.ampproject.org/"];
    if !could_be.iter().any(|mark| url.contains(mark)) {
        return Cow::Borrowed(url);
    }
    Url::parse(url)
        .ok()
        .and_then(|parsed| target_of(&parsed))
        .map_or(Cow::Borrowed(url), Cow::Owned)
}

fn target_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let is_engine = host
        .split('.')
        .any(|label| matches!(label, "google" | "bing" | "yahoo"));
    if is_engine && url.path() == "/url" {
        return url
            .query_pairs()
            .find(|(key, value)| matches!(&**key, "q" | "url") && value.starts_with("http"))
            .map(|(_, value)| value.into_owned());
    }
    let cached = if host.ends_with("cdn.ampproject.org") {
        url.path()
            .strip_prefix("/c/s/")
            .or_else(|| url.path().strip_prefix("/v/s/"))
    } else if is_engine {
        url.path().strip_prefix("/amp/s/")
    } else {
        None
    };
    cached.map(|target| format!("https://{target}"))
}

fn without_tracking(query: &str) -> String {
    let kept: Vec<String> = query
        .split('&')
        .filter(|pair| !is_tracking(pair.split('=').next().unwrap_or_default()))
        .map(minimally_encoded)
        .collect();
    kept.join("&")
}

fn is_tracking(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("utm_") || TRACKING_KEYS.contains(&key.as_str())
}

/// Minimal percent-encodings in upper case. A digit that would complete one stays encoded: `%%34A` is `%4A`, not `J`.
fn minimally_encoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut lone = None;
    while let Some(at) = rest.find('%') {
        plain.push_str(&rest[..at]);
        let code = rest
            .get(at + 1..at + 3)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let signed = rest[at + 1..].starts_with('+');
        let behind_a_lone_one = lone.is_some_and(|lone| plain.len() - lone <= 2);
        match code.filter(|_| !signed) {
            Some(byte)
                if (byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
                    && !(behind_a_lone_one && byte.is_ascii_hexdigit()) =>
            {
                plain.push(char::from(byte));
            }
            Some(byte) => {
                let _ = write!(plain, "%{byte:02X}");
            }
            None => {
                lone = Some(plain.len());
                plain.push('%');
                rest = &rest[at + 1..];
                continue;
            }
        }
        rest = &rest[at + 3..];
    }
    plain.push_str(rest);
    plain
}
