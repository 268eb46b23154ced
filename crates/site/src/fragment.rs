use crate::text::likeness::hash_of;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FragmentCheck {
    /// No name can be missing: the top, a text fragment, a script's route.
    NothingToFind,
    /// One of these names must exist: the fragment as written, and percent-decoded.
    NeedsName(String, String),
}

/// Parses a fragment, without `#`, as browsers do.
pub(crate) fn examine(fragment: &str) -> FragmentCheck {
    let name = fragment
        .split_once(":~:")
        .map_or(fragment, |(before, _)| before);
    let is_route = name.starts_with(['!', '/']);
    if name.is_empty() || name.eq_ignore_ascii_case("top") || is_route {
        return FragmentCheck::NothingToFind;
    }
    FragmentCheck::NeedsName(name.to_owned(), percent_decoded(name))
}

impl FragmentCheck {
    /// `names` are sorted.
    pub(crate) fn is_met_by(&self, names: &[String]) -> bool {
        match self {
            Self::NothingToFind => true,
            Self::NeedsName(raw, decoded) => {
                names.binary_search(decoded).is_ok() || names.binary_search(raw).is_ok()
            }
        }
    }

    /// `names` are sorted hashes.
    pub(crate) fn is_met_by_hashes(&self, names: &[u64]) -> bool {
        match self {
            Self::NothingToFind => true,
            Self::NeedsName(raw, decoded) => [decoded, raw]
                .iter()
                .any(|it| names.binary_search(&hash_of(it.as_bytes())).is_ok()),
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
    fn the_top_text_searches_and_routes_lead_somewhere_on_every_page() {
        for fragment in [
            "",
            "top",
            "TOP",
            ":~:text=a",
            "top:~:text=a",
            "!/route",
            "/route",
        ] {
            assert!(examine(fragment).is_met_by(&[]), "{fragment}");
            assert!(examine(fragment).is_met_by_hashes(&[]), "{fragment}");
        }
    }

    #[test]
    fn other_fragments_need_their_name_case_and_all() {
        let names = ["Bücher".to_owned(), "a%20b".to_owned()];
        let hashes = crate::observation::web_site::name_hashes(&names);
        for (fragment, met) in [
            ("B%C3%BCcher", true),
            ("Bücher:~:text=x", true),
            ("b%C3%BCcher", false),
            ("a%20b", true),
            ("c", false),
        ] {
            assert_eq!(examine(fragment).is_met_by(&names), met, "{fragment}");
            assert_eq!(
                examine(fragment).is_met_by_hashes(&hashes),
                met,
                "{fragment}"
            );
        }
    }
}
