use crate::text::{language::Language, words::words};

/// Ends with a question mark, or begins with an interrogative and goes on; not with one that mostly begins clauses
/// (`when`, `wenn`, `když`).
pub fn is_question(heading: &str, language: Option<Language>) -> bool {
    let text = heading.trim_end_matches(|it: char| it.is_whitespace() || "\"'»”)".contains(it));
    if text.ends_with(['?', '？', '؟']) {
        return true;
    }
    let lower = text.to_lowercase();
    let mut words = words(&lower);
    let first = words.next();
    words.next().is_some()
        && first.is_some_and(|it| {
            language.is_some_and(|language| interrogatives(language).contains(&it))
        })
}

/// `None` without headings.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn question_share<'a>(
    headings: impl IntoIterator<Item = &'a str>,
    language: Option<Language>,
) -> Option<f64> {
    let (mut asked, mut all) = (0_usize, 0_usize);
    for heading in headings {
        all += 1;
        asked += usize::from(is_question(heading, language));
    }
    (all > 0).then(|| asked as f64 / all as f64)
}

const fn interrogatives(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "what", "what's", "why", "how", "who", "whose", "where", "which",
        ],
        Language::German => &[
            "was", "wie", "warum", "wieso", "weshalb", "wer", "wo", "wohin", "woher", "wann",
            "welche", "welcher", "welches", "wozu", "womit", "wofür",
        ],
        Language::Spanish => &[
            "qué", "cómo", "cuál", "cuáles", "quién", "quiénes", "dónde", "cuándo", "cuánto",
            "cuánta", "cuántos", "cuántas",
        ],
        Language::French => &[
            "comment", "pourquoi", "qui", "quel", "quelle", "quels", "quelles", "où", "combien",
            "qu'est",
        ],
        Language::Italian => &[
            "cosa", "come", "perché", "chi", "quale", "quali", "dove", "quanto", "quanti", "cos'è",
        ],
        Language::Dutch => &[
            "wat", "hoe", "waarom", "wie", "welke", "welk", "waar", "wanneer", "hoeveel",
        ],
        Language::Russian => &[
            "что",
            "как",
            "почему",
            "зачем",
            "кто",
            "где",
            "куда",
            "какой",
            "какая",
            "какое",
            "какие",
            "сколько",
        ],
        Language::Hungarian => &[
            "mi", "mit", "miért", "hogyan", "ki", "kik", "hol", "melyik", "mennyi", "mennyibe",
            "milyen", "mikor",
        ],
        Language::Czech => &[
            "co", "jak", "proč", "kdo", "kde", "kam", "kdy", "kolik", "který", "která", "které",
            "jaký", "jaká", "jaké",
        ],
        Language::Slovak => &[
            "čo", "ako", "prečo", "kto", "kde", "kam", "kedy", "koľko", "ktorý", "ktorá", "ktoré",
            "aký", "aká", "aké",
        ],
        Language::Polish => &[
            "co", "jak", "dlaczego", "kto", "gdzie", "kiedy", "ile", "który", "która", "które",
            "jaki", "jaka", "jakie", "czy",
        ],
    }
}
