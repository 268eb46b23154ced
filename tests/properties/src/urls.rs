//! Normalization of URLs is idempotent.

use analysis::{
    observation::page_url,
    url_rules::{host_of_url, normalized, page_key},
};
use url::Url;

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(once) = normalized(&text) {
        assert_eq!(normalized(&once).as_ref(), Some(&once), "of {text:?}");
    }
    if let Some(once) = page_url::normalized(&text) {
        assert_eq!(
            page_url::normalized(&once).as_ref(),
            Some(&once),
            "of {text:?}"
        );
        let parsed = Url::parse(&once).expect("a normal form is a URL");
        assert_eq!(parsed.as_str(), once);
        assert!(
            parsed.username().is_empty() && parsed.password().is_none(),
            "{once}"
        );
        assert!(parsed.fragment().is_none(), "{once}");
    }
    let _ = page_key(&text);
    if let (Some(host), Ok(url)) = (host_of_url(&text), Url::parse(&text))
        && !["/url?", "/amp/s/", "ampproject"]
            .iter()
            .any(|it| text.contains(it))
    {
        let standard = url.host_str().unwrap_or_default().trim_end_matches('.');
        assert_eq!(host, standard, "the short way and the standard agree");
    }
}
