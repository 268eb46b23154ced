//! Host and Origin checks, which protect against DNS rebinding.

use crate::problem::{Code, Problem};
use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::http::header::HeaderName;
use actix_web::http::uri::Authority;
use std::net::IpAddr;

/// Rejects foreign host names and pages of other origins: 403 `origin-not-allowed`. Allowed hosts are the server's own,
/// IP addresses, and names without a dot, which cannot be registered. The origin has to be the requested host or the
/// server's own.
pub fn check(request: &HttpRequest, base_url: &str) -> Result<(), Problem> {
    let own = authority_of(base_url);
    let tools = format!("{base_url}/mcp");
    let host = check_host(request, own.as_ref(), &tools)?;
    let Some(origin) = single_header(request, &header::ORIGIN)? else {
        return Ok(());
    };
    let page = origin
        .contains("://")
        .then(|| authority_of(origin))
        .flatten();
    let is_ours = page.is_some_and(|page| page == host || is_own_host(&page, own.as_ref()));
    if is_ours {
        return Ok(());
    }
    Err(refused(
        "Origin",
        "The request was made by a page elsewhere.",
        &tools,
    ))
}

/// Rejects requests to pages or the session API under a foreign host name: 403 `origin-not-allowed`. If `base_url` has
/// no host name, every name is allowed, since a proxy may use any.
pub fn check_own_host(request: &HttpRequest, base_url: &str) -> Result<(), Problem> {
    let own = authority_of(base_url);
    if own.as_ref().is_none_or(|it| is_rebinding_safe(it.host())) {
        return Ok(());
    }
    check_host(request, own.as_ref(), base_url).map(drop)
}

fn check_host(
    request: &HttpRequest,
    own: Option<&Authority>,
    instead: &str,
) -> Result<Authority, Problem> {
    let host = match single_header(request, &header::HOST)? {
        Some(text) => text.parse::<Authority>().ok(),
        None => request.uri().authority().cloned(),
    };
    let Some(host) = host else {
        let detail = "The request does not name one host.";
        return Err(refused("Host", detail, instead));
    };
    if is_rebinding_safe(host.host()) || is_own_host(&host, own) {
        return Ok(host);
    }
    let detail = "The request names a host that is not this server's.";
    Err(refused("Host", detail, instead))
}

fn single_header<'a>(
    request: &'a HttpRequest,
    name: &HeaderName,
) -> Result<Option<&'a str>, Problem> {
    let mut values = request.headers().get_all(name);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    text.map(Some).ok_or_else(|| {
        let detail = format!("The header {name} cannot be read.");
        Problem::new(Code::OriginNotAllowed, detail).with("header", name.as_str())
    })
}

fn authority_of(url: &str) -> Option<Authority> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next()?.parse().ok()
}

/// Whether the name cannot be registered and pointed at this server.
pub fn is_rebinding_safe(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok() || !bare.contains('.') || bare.ends_with(".localhost")
}

/// Ignores the port: proxies may listen on another one.
fn is_own_host(host: &Authority, own: Option<&Authority>) -> bool {
    own.is_some_and(|own| own.host().eq_ignore_ascii_case(host.host()))
}

fn refused(header: &str, detail: &str, instead: &str) -> Problem {
    Problem::new(Code::OriginNotAllowed, detail)
        .with("header", header)
        .hint(format!(
            "Send it to {instead}; the operator names its address as public_base_url."
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn is_let_in(host: &str, origin: Option<&str>) -> bool {
        let mut request = TestRequest::default().insert_header(("Host", host));
        if let Some(origin) = origin {
            request = request.insert_header(("Origin", origin));
        }
        check(&request.to_http_request(), "https://seo.example:8443").is_ok()
    }

    #[test]
    fn hosts_are_own_or_safe_from_dns_rebinding() {
        for host in [
            "seo.example",
            "SEO.example:8443",
            "localhost:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
            "192.168.1.5",
            "sightline:8080",
            "a.localhost",
        ] {
            assert!(is_let_in(host, None), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "seo.example.evil.example",
            "127.0.0.1.nip.io",
            "",
            "a b",
        ] {
            assert!(!is_let_in(host, None), "{host}");
        }
    }

    #[test]
    fn pages_need_the_own_host_name() {
        let is_let_in = |host: &str, base_url: &str| {
            let request = TestRequest::default().insert_header(("Host", host));
            check_own_host(&request.to_http_request(), base_url).is_ok()
        };
        for host in [
            "seo.example",
            "SEO.example:444",
            "127.0.0.1:8080",
            "sightline",
        ] {
            assert!(is_let_in(host, "https://seo.example"), "{host}");
        }
        for host in ["evil.example", "seo.example.evil.example", ""] {
            assert!(!is_let_in(host, "https://seo.example"), "{host}");
            assert!(is_let_in(host, "http://127.0.0.1:8080"), "{host}");
        }
    }

    #[test]
    fn origins_are_own_or_the_requested_host() {
        assert!(is_let_in("localhost:8080", Some("http://localhost:8080")));
        assert!(is_let_in("localhost:8080", Some("https://seo.example")));
        for origin in [
            "http://localhost:9090",
            "http://evil.example",
            "null",
            "localhost:8080",
            "",
            "https://seo.example.evil.example",
        ] {
            assert!(!is_let_in("localhost:8080", Some(origin)), "{origin}");
        }
    }
}
