use crate::table::records;
use std::{collections::HashMap, sync::LazyLock};

/// Languages by text in lower case.
static LIST: LazyLock<HashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut list: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for [language, text] in records::<2>(include_str!("genericness.tsv")) {
        list.entry(text).or_default().push(language);
    }
    list
});

/// Whether a link's text is generic, in any language if `language` is unknown.
pub fn is_generic_link_text(text: &str, language: Option<&str>) -> bool {
    /// Longer than any text of the list.
    const MAX_BYTES: usize = 200;
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return false;
    }
    let text = text.to_lowercase();
    let text = text
        .trim_end_matches(['…', '.', '»', '>', ':', '!', '→'])
        .trim_end();
    LIST.get(text)
        .is_some_and(|languages| language.is_none_or(|it| languages.contains(&it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_texts_depend_on_the_page_language() {
        assert!(is_generic_link_text(" Click here ", Some("en")));
        assert!(is_generic_link_text("Read more…", Some("en")));
        assert!(is_generic_link_text("více", None));
        assert!(!is_generic_link_text("hier", Some("en")));
        assert!(!is_generic_link_text("here is the report", Some("en")));
    }
}
