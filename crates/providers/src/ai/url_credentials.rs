//! URLs without credentials, which may come from pages that an engine crawled.

use std::borrow::Cow;
use url::Url;

/// In bytes; longer URLs are dropped.
const MAX_URL_LENGTH: usize = 2_000;

const SECRET_PARAMETERS: [&str; 24] = [
    "access_token",
    "accesstoken",
    "api-key",
    "api_key",
    "apikey",
    "auth",
    "auth_token",
    "authorization",
    "client_secret",
    "id_token",
    "jwt",
    "passwd",
    "password",
    "pwd",
    "refresh_token",
    "secret",
    "session",
    "session_id",
    "sessionid",
    "sig",
    "signature",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
];

/// The URL without credentials; `None` unless it is http or https.
pub(super) fn safe_url(address: &str) -> Option<String> {
    let address = address.trim();
    if address.len() > MAX_URL_LENGTH || address.chars().any(char::is_control) {
        return None;
    }
    let mut url = Url::parse(address).ok()?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return None;
    }
    let is_secret = |name: &str| SECRET_PARAMETERS.contains(&name.to_ascii_lowercase().as_str());
    let has_secret = url.query_pairs().any(|(name, _)| is_secret(&name));
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !has_secret && !has_user {
        return Some(address.to_owned());
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if has_secret {
        let kept: Vec<(Cow<'_, str>, Cow<'_, str>)> = { url.query_pairs() }
            .filter(|(name, _)| !is_secret(name))
            .collect();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(kept).finish();
        url.set_query(Some(&query).filter(|it| !it.is_empty()).map(String::as_str));
    }
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_credentials_are_removed_from_urls() {
        for (address, kept) in [
            ("https://a.test/ä?b=1#c", Some("https://a.test/ä?b=1#c")),
            (
                "https://ann:pw@a.test/x?id=7&API_KEY=abc&token=t",
                Some("https://a.test/x?id=7"),
            ),
            ("https://a.test/?sig=abc", Some("https://a.test/")),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("/relative", None),
            ("https://a.test/\u{0}", None),
        ] {
            assert_eq!(safe_url(address).as_deref(), kept, "{address}");
        }
        assert_eq!(
            safe_url(&format!("https://a.test/{}", "x".repeat(3_000))),
            None
        );
    }
}
