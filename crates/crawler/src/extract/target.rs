use analysis::observation::{page_url::normalize, web_site::LinkTarget};
use url::{ParseError, Url};

/// Parses a link as browsers do: trimmed, resolved against the base.
pub fn target_of(raw: &str, base: &Url) -> LinkTarget {
    let text = raw.trim_matches(|it: char| it.is_ascii_whitespace() || it.is_ascii_control());
    if text.is_empty() {
        return LinkTarget::Empty;
    }
    match base.join(text) {
        Ok(url) => of_url(&url),
        Err(ParseError::RelativeUrlWithCannotBeABaseBase) => LinkTarget::Inert,
        Err(_) => LinkTarget::Invalid,
    }
}

fn of_url(url: &Url) -> LinkTarget {
    let after_scheme = || url.as_str()[url.scheme().len() + 1..].to_owned();
    match url.scheme() {
        "http" | "https" => {
            let (url, fragment) = normalize(url);
            LinkTarget::Web { url, fragment }
        }
        "mailto" => LinkTarget::Mail(after_scheme()),
        "tel" | "sms" => LinkTarget::Phone(after_scheme()),
        "javascript" | "data" | "blob" | "about" => LinkTarget::Inert,
        other => LinkTarget::OtherScheme(other.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn web(url: &str, fragment: Option<&str>) -> LinkTarget {
        LinkTarget::Web {
            url: url.to_owned(),
            fragment: fragment.map(str::to_owned),
        }
    }

    #[test]
    fn links_are_resolved_as_in_browsers() {
        let base = Url::parse("https://example.com/docs/page.html?x=1").unwrap();
        for (raw, target) in [
            (" ../a b \n", web("https://example.com/a%20b", None)),
            (
                "#top",
                web("https://example.com/docs/page.html?x=1", Some("top")),
            ),
            (
                "//cdn.example.com/x",
                web("https://cdn.example.com/x", None),
            ),
            ("?y", web("https://example.com/docs/page.html?y", None)),
            ("java\nscript:void(0)", LinkTarget::Inert),
            (
                "mailto:a@example.com",
                LinkTarget::Mail("a@example.com".into()),
            ),
            ("tel:+49", LinkTarget::Phone("+49".into())),
            ("ftp://example.com/", LinkTarget::OtherScheme("ftp".into())),
            ("http://", LinkTarget::Invalid),
            ("http://exa mple.com/", LinkTarget::Invalid),
            ("https://example.com:99999/", LinkTarget::Invalid),
            (" ", LinkTarget::Empty),
        ] {
            assert_eq!(target_of(raw, &base), target, "{raw}");
        }
    }
}
