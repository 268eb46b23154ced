//! POST /api/policy-reports: CSP violation reports of our pages. Browsers send them without a token, so reports are
//! rate-limited, logged without page URLs, and not stored.

use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use serde_json::Value;
use std::sync::atomic::Ordering;

pub const PATH: &str = "/api/policy-reports";
/// In bytes. Browsers send several reports at once.
pub const MAX_BODY: usize = 16 * 1_024;
/// Reports logged per request.
const MAX_REPORTS: usize = 5;
/// In characters.
const MAX_NAME: usize = 80;

#[derive(Debug, PartialEq, Eq)]
struct Violation {
    directive: String,
    /// Scheme and host, or a keyword such as `inline`.
    blocked: String,
}

/// In either of the two formats.
pub fn accept_reports(services: &Services, body: &[u8]) -> Result<ApiResponse, Problem> {
    let unread = |_| Problem::new(Code::MalformedJson, "The body is not a browser report.");
    let body: Value = serde_json::from_slice(body).map_err(unread)?;
    for Violation { directive, blocked } in violations(&body) {
        let so_far = services.csp_report_count.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::warn!(
            directive,
            blocked,
            so_far,
            "A browser refused something on a page of ours."
        );
    }
    Ok(ApiResponse {
        cache: "no-store",
        ..ApiResponse::text(204, String::new())
    })
}

/// Reporting API list, or `report-uri` object (CSP 3, 5).
fn violations(body: &Value) -> Vec<Violation> {
    let reports: Vec<&Value> = match body {
        Value::Array(all) => { all.iter() }
            .filter(|it| it["type"] == "csp-violation")
            .map(|it| &it["body"])
            .collect(),
        one => vec![&one["csp-report"]],
    };
    let violations = reports.into_iter().take(MAX_REPORTS).filter_map(|it| {
        let name = |now: &str, before: &str| it[now].as_str().or(it[before].as_str());
        Some(Violation {
            directive: cleaned(name("effectiveDirective", "effective-directive")?),
            blocked: cleaned(origin(name("blockedURL", "blocked-uri")?)),
        })
    });
    violations.collect()
}

/// Without path and query, which may contain search terms.
fn origin(url: &str) -> &str {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.split([':', '/', '?', '#']).next().unwrap_or_default();
    };
    let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    &url[..scheme.len() + "://".len() + host]
}

fn cleaned(text: &str) -> String {
    let shown = text.chars().filter(char::is_ascii_graphic);
    shown.take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pairs_of(body: &Value) -> Vec<(String, String)> {
        let all = violations(body).into_iter();
        all.map(|it| (it.directive, it.blocked)).collect()
    }

    #[test]
    fn both_formats_are_read_without_paths() {
        let before = json!({ "csp-report": {
            "document-uri": "https://seo.example/keyword-research?q=secret",
            "effective-directive": "script-src-elem",
            "blocked-uri": "https://ads.example:8443/x.js?who=ann",
        } });
        let script = ("script-src-elem".into(), "https://ads.example:8443".into());
        assert_eq!(pairs_of(&before), std::slice::from_ref(&script));
        let violation = |blocked: &str| {
            let body = json!({ "effectiveDirective": "script-src-elem", "blockedURL": blocked });
            json!({ "type": "csp-violation", "url": "https://seo.example/?q=secret", "body": body })
        };
        let now = json!([
            violation("https://ads.example:8443?who=ann"),
            { "type": "deprecation", "body": { "id": "x" } },
            violation("inline"),
            violation("data:text/javascript,secret"),
            violation("a\nb\u{1b}[31m"),
        ]);
        let of = |blocked: &str| ("script-src-elem".to_owned(), blocked.to_owned());
        assert_eq!(
            pairs_of(&now),
            [script, of("inline"), of("data"), of("ab[31m")]
        );
    }

    #[test]
    fn invalid_and_excess_reports_are_bounded() {
        for nothing in [json!(7), json!({}), json!([[]]), json!({ "csp-report": 7 })] {
            assert_eq!(pairs_of(&nothing), []);
        }
        let long = json!({ "effectiveDirective": "x".repeat(9_000), "blockedURL": "inline" });
        let one = json!({ "type": "csp-violation", "body": long });
        let many = pairs_of(&Value::Array(vec![one; 50]));
        assert_eq!((many.len(), many[0].0.len()), (MAX_REPORTS, MAX_NAME));
    }
}
