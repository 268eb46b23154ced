use reqwest::header::HeaderMap;

pub fn says_it_is_a_wall(status: u16, headers: &HeaderMap) -> bool {
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
const MARKS: &[&str] = &[
    "cf-browser-verification",
    "cf_chl_opt",
    "/cdn-cgi/challenge-platform/",
    "captcha-delivery.com",
    "_incapsula_resource",
    "px-captcha",
    "awswafcaptcha",
    "ddos-guard",
];

pub fn looks_like_a_wall(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_ascii_lowercase();
    MARKS.iter().any(|it| text.contains(it))
}
