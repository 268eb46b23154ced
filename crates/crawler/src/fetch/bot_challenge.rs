use reqwest::header::HeaderMap;

pub fn is_challenge_response(status: u16, headers: &HeaderMap) -> bool {
    let has = |name: &str, wanted: &str| {
        headers.get_all(name).iter().any(|it| {
            it.to_str()
                .is_ok_and(|text| text.to_ascii_lowercase().contains(wanted))
        })
    };
    matches!(status, 403 | 405 | 429 | 503)
        && (has("cf-mitigated", "challenge")
            || has("x-amzn-waf-action", "c")
            || has("x-datadome", "")
            || has("server", "ddos-guard"))
}

/// Markers in challenge pages, in lower case.
const CHALLENGE_MARKERS: &[&str] = &[
    "cf-browser-verification",
    "cf_chl_opt",
    "/cdn-cgi/challenge-platform/",
    "captcha-delivery.com",
    "_incapsula_resource",
    "px-captcha",
    "awswafcaptcha",
    "ddos-guard",
];

pub fn is_challenge_body(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_ascii_lowercase();
    CHALLENGE_MARKERS.iter().any(|it| text.contains(it))
}
