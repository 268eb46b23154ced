use crate::table::records;
use crate::text::language::Language;
use crate::text::words::words;
use std::{collections::HashMap, sync::LazyLock};

static INTERROGATIVES: LazyLock<HashMap<Language, Vec<&'static str>>> = LazyLock::new(|| {
    let lists = records::<2>(include_str!("questions.tsv"));
    lists
        .map(|[language, words]| {
            let language = Language::from_tag(language).expect("a known language");
            (language, words.split(' ').collect())
        })
        .collect()
});

/// Ends with a question mark, or begins with an interrogative and has more words. Interrogatives that mostly begin
/// clauses (`when`, `wenn`, `když`) do not count.
pub fn is_question(heading: &str, language: Option<Language>) -> bool {
    let text = heading.trim_end_matches(|it: char| it.is_whitespace() || "\"'»”)".contains(it));
    if text.ends_with(['?', '？', '؟']) {
        return true;
    }
    let lower = text.to_lowercase();
    let mut words = words(&lower);
    let first = words.next();
    let interrogatives = language.and_then(|it| INTERROGATIVES.get(&it));
    words.next().is_some()
        && first.is_some_and(|it| interrogatives.is_some_and(|list| list.contains(&it)))
}

/// `None` without headings.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn question_share<'a>(
    headings: impl IntoIterator<Item = &'a str>,
    language: Option<Language>,
) -> Option<f64> {
    let (mut questions, mut all) = (0_usize, 0_usize);
    for heading in headings {
        all += 1;
        questions += usize::from(is_question(heading, language));
    }
    (all > 0).then(|| questions as f64 / all as f64)
}
