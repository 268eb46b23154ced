//! CSRF protection in three layers: Fetch Metadata or Origin; a body type that forms cannot send ([`crate::pipeline`]);
//! and a token that only our pages can read.

use crate::problem::{Code, Problem};
use actix_web::HttpRequest;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub const HEADER: &str = "X-CSRF-Token";
const SITE: &str = "sec-fetch-site";
/// Domain separation of the session's secret.
const PURPOSE: &[u8] = b"sightline csrf 1";

/// Does not reveal the session's secret.
pub fn token(secret: &str) -> String {
    URL_SAFE_NO_PAD.encode(mac(secret).finalize().into_bytes())
}

fn mac(secret: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length is a key");
    mac.update(PURPOSE);
    mac
}

pub fn check_token(request: &HttpRequest, secret: &str) -> Result<(), Problem> {
    let sent = single_header(request, "x-csrf-token").ok().flatten();
    let tag = sent.and_then(|it| URL_SAFE_NO_PAD.decode(it).ok());
    let fits = tag.is_some_and(|it| mac(secret).verify_slice(&it).is_ok());
    if fits {
        return Ok(());
    }
    let problem = refused(
        "bad-token",
        "The request does not carry the session's CSRF token.",
    );
    Err(problem.hint(format!(
        "Send the csrfToken of GET /api/session in the header {HEADER}."
    )))
}

/// Rejects other sites, other hosts of this site, and unknown origins. Programs use the Agent API.
pub fn check_origin(request: &HttpRequest, base_url: &str) -> Result<(), Problem> {
    let (Ok(site), Ok(origin)) = (
        single_header(request, SITE),
        single_header(request, "origin"),
    ) else {
        return Err(refused("no-origin", "The request says twice where it was made.").hint(HINT));
    };
    let problem = match (site, origin) {
        (Some("same-origin"), _) => return Ok(()),
        (None, Some(origin)) if origin.eq_ignore_ascii_case(origin_of(base_url)) => return Ok(()),
        (Some("same-site"), _) => refused(
            "same-site",
            "The request was made by a page of another host of this site.",
        ),
        (None, None) => refused(
            "no-origin",
            "The request does not say which page it was made by.",
        ),
        _ => refused("cross-site", "The request was made by a page elsewhere."),
    };
    Err(problem.hint(HINT))
}

const HINT: &str = "Send it from a page of this server, at the address that public_base_url names; programs use the Agent API with a token.";

/// Fails if the header is repeated or unreadable.
fn single_header<'a>(request: &'a HttpRequest, name: &str) -> Result<Option<&'a str>, ()> {
    let mut values = request.headers().get_all(name);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(());
    }
    value.to_str().map(Some).map_err(|_| ())
}

/// Scheme, host and port.
fn origin_of(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find('/').map_or(url.len(), |at| host + at);
    &url[..end]
}

fn refused(reason: &'static str, detail: &str) -> Problem {
    Problem::new(Code::CsrfRejected, detail).with("reason", reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn rejection_reason(headers: &[(&str, &str)]) -> Option<String> {
        let mut request = TestRequest::default();
        for (name, value) in headers {
            request = request.append_header((*name, *value));
        }
        let outcome = check_origin(&request.to_http_request(), "https://seo.example/app");
        outcome
            .err()
            .map(|it| it.extra["reason"].as_str().unwrap().to_owned())
    }

    #[test]
    fn sec_fetch_site_decides_otherwise_origin() {
        let ours = ("Origin", "https://seo.example");
        let theirs = ("Origin", "https://seo.example.evil.test");
        assert_eq!(rejection_reason(&[("Sec-Fetch-Site", "same-origin")]), None);
        assert_eq!(
            rejection_reason(&[("Sec-Fetch-Site", "same-origin"), theirs]),
            None
        );
        assert_eq!(rejection_reason(&[ours]), None);
        for (headers, reason) in [
            (vec![("Sec-Fetch-Site", "same-site"), ours], "same-site"),
            (vec![("Sec-Fetch-Site", "cross-site"), ours], "cross-site"),
            (vec![("Sec-Fetch-Site", "none"), ours], "cross-site"),
            (vec![theirs], "cross-site"),
            (vec![("Origin", "null")], "cross-site"),
            (vec![("Origin", "http://seo.example")], "cross-site"),
            (vec![("Origin", "https://seo.example:8443")], "cross-site"),
            (vec![ours, theirs], "no-origin"),
            (vec![], "no-origin"),
        ] {
            assert_eq!(
                rejection_reason(&headers).as_deref(),
                Some(reason),
                "{headers:?}"
            );
        }
    }

    #[test]
    fn a_token_belongs_to_one_session() {
        let check = |sent: &str| {
            let request = TestRequest::default().insert_header((HEADER, sent));
            check_token(&request.to_http_request(), "one").is_ok()
        };
        assert!(check(&token("one")));
        assert!(!check(&token("two")) && !check("") && !check("one"));
        assert!(check_token(&TestRequest::default().to_http_request(), "one").is_err());
    }
}
