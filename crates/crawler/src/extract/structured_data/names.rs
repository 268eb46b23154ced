use analysis::observation::structured_data::SCHEMA_ORG;
use std::borrow::Cow;
use url::Url;

/// The rest after schema.org's URL: `http` or `https`, with or without `www`, in any case.
pub fn strip_schema_org(address: &str) -> Option<&str> {
    let after_scheme =
        without_prefix(address, "https://").or(without_prefix(address, "http://"))?;
    let host = without_prefix(after_scheme, "www.").unwrap_or(after_scheme);
    let rest = without_prefix(host, "schema.org")?;
    (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/'))
}

/// Types of schema.org get one canonical URL.
pub fn type_name(written: &str) -> Cow<'_, str> {
    match strip_schema_org(written) {
        Some(name) => Cow::Owned(format!("{SCHEMA_ORG}{name}")),
        None => Cow::Borrowed(written),
    }
}

/// Properties of schema.org get their plain name.
pub fn property_name(written: &str) -> &str {
    strip_schema_org(written)
        .filter(|it| !it.is_empty())
        .unwrap_or(written)
}

/// `None` for text that is not a URL.
pub fn resolve_url(written: &str, base: &Url) -> Option<String> {
    let trimmed = written.trim_matches(|it: char| it.is_ascii_whitespace());
    base.join(trimmed).ok().map(String::from)
}

fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_org_urls_are_recognized_in_every_form() {
        for address in [
            "http://schema.org/Product",
            "https://schema.org/Product",
            "https://www.schema.org/Product",
            "HTTP://Schema.org//Product",
        ] {
            assert_eq!(strip_schema_org(address), Some("Product"), "{address}");
            assert_eq!(type_name(address), "https://schema.org/Product");
        }
        for address in [
            "schema.org/Product",
            "http://schema.organic/x",
            "ftp://schema.org/x",
            "é",
        ] {
            assert_eq!(strip_schema_org(address), None, "{address}");
            assert_eq!(type_name(address), address);
        }
        assert_eq!(property_name("http://schema.org/name"), "name");
        assert_eq!(property_name("http://schema.org"), "http://schema.org");
    }
}
