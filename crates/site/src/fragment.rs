use crate::text::similarity::fnv1a;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FragmentCheck {
    /// No name can be missing: the top, a text fragment, a script's route.
    NoNameNeeded,
    /// One of these names must exist: the fragment as written, and percent-decoded.
    NeedsName(String, String),
}

/// Parses a fragment, without `#`, as browsers do.
pub(crate) fn parse_fragment(fragment: &str) -> FragmentCheck {
    let name = fragment
        .split_once(":~:")
        .map_or(fragment, |(before, _)| before);
    let is_route = name.starts_with(['!', '/']);
    if name.is_empty() || name.eq_ignore_ascii_case("top") || is_route {
        return FragmentCheck::NoNameNeeded;
    }
    FragmentCheck::NeedsName(name.to_owned(), percent_decoded(name))
}

impl FragmentCheck {
    /// `names` are sorted.
    pub(crate) fn is_met_by(&self, names: &[String]) -> bool {
        match self {
            Self::NoNameNeeded => true,
            Self::NeedsName(raw, decoded) => {
                names.binary_search(decoded).is_ok() || names.binary_search(raw).is_ok()
            }
        }
    }

    /// `names` are sorted hashes.
    pub(crate) fn is_met_by_hashes(&self, names: &[u64]) -> bool {
        match self {
            Self::NoNameNeeded => true,
            Self::NeedsName(raw, decoded) => [decoded, raw]
                .iter()
                .any(|it| names.binary_search(&fnv1a(it.as_bytes())).is_ok()),
        }
    }
}

pub(crate) fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = text
            .get(at + 1..at + 3)
            .filter(|_| byte == b'%')
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_text_fragments_and_routes_need_no_name() {
        for fragment in [
            "",
            "top",
            "TOP",
            ":~:text=a",
            "top:~:text=a",
            "!/route",
            "/route",
        ] {
            assert!(parse_fragment(fragment).is_met_by(&[]), "{fragment}");
            assert!(parse_fragment(fragment).is_met_by_hashes(&[]), "{fragment}");
        }
    }

    #[test]
    fn other_fragments_need_an_exact_name() {
        let names = ["Bücher".to_owned(), "a%20b".to_owned()];
        let hashes = crate::observation::web_site::name_hashes(&names);
        for (fragment, met) in [
            ("B%C3%BCcher", true),
            ("Bücher:~:text=x", true),
            ("b%C3%BCcher", false),
            ("a%20b", true),
            ("c", false),
        ] {
            assert_eq!(
                parse_fragment(fragment).is_met_by(&names),
                met,
                "{fragment}"
            );
            assert_eq!(
                parse_fragment(fragment).is_met_by_hashes(&hashes),
                met,
                "{fragment}"
            );
        }
    }
}
