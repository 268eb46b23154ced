//! Freshness lifetime of a response by `Cache-Control` and `Expires` (RFC 9111, section 4.2.1, private cache).

use chrono::DateTime;

/// In seconds; `None` without caching headers, 0 when they forbid storing or reuse.
pub fn freshness_lifetime(
    cache_control: Option<&str>,
    expires: Option<&str>,
    date: Option<&str>,
) -> Option<u64> {
    let directives: Vec<String> = cache_control
        .unwrap_or_default()
        .split(',')
        .map(|it| it.trim().to_ascii_lowercase())
        .collect();
    let is_forbidden = |it: &String| {
        let name = it.split('=').next().unwrap_or_default();
        matches!(name, "no-store" | "no-cache")
    };
    if directives.iter().any(is_forbidden) {
        return Some(0);
    }
    let age = directives
        .iter()
        .find_map(|it| it.strip_prefix("max-age=")?.trim_matches('"').parse().ok());
    age.or_else(|| expires_lifetime(expires?, date))
}

/// `Expires` minus `Date`; an invalid `Expires` counts as expired.
fn expires_lifetime(expires: &str, date: Option<&str>) -> Option<u64> {
    let Ok(expires) = DateTime::parse_from_rfc2822(expires.trim()) else {
        return Some(0);
    };
    let date = DateTime::parse_from_rfc2822(date?.trim()).ok()?;
    Some(u64::try_from((expires - date).num_seconds()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freshness_is_read_from_either_header() {
        let now = Some("Sat, 21 Nov 2026 10:00:00 GMT");
        let later = Some("Sat, 21 Nov 2026 11:00:00 GMT");
        assert_eq!(
            freshness_lifetime(Some("public, max-age=600"), later, now),
            Some(600)
        );
        assert_eq!(
            freshness_lifetime(Some("no-store, max-age=600"), None, None),
            Some(0)
        );
        assert_eq!(
            freshness_lifetime(Some("private, no-cache=\"x\""), None, None),
            Some(0)
        );
        assert_eq!(freshness_lifetime(None, later, now), Some(3_600));
        assert_eq!(freshness_lifetime(Some("public"), Some("0"), now), Some(0));
        assert_eq!(freshness_lifetime(None, now, later), Some(0));
        assert_eq!(freshness_lifetime(None, None, now), None);
        assert_eq!(freshness_lifetime(Some("max-age=many"), None, None), None);
    }
}
