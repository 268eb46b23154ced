use crate::sandbox::chance::Chance;
use std::{collections::HashMap, sync::LazyLock};

static SENTENCES: LazyLock<HashMap<(&str, Kind), Vec<&str>>> = LazyLock::new(|| {
    let mut sentences: HashMap<_, Vec<&str>> = HashMap::new();
    for line in include_str!("phrases.tsv").lines() {
        let mut fields = line.split('\t');
        if let (Some(language), Some(kind), Some(words)) = (
            fields.next(),
            fields.next().and_then(Kind::of),
            fields.next(),
        ) {
            sentences.entry((language, kind)).or_default().push(words);
        }
    }
    sentences
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Intro,
    /// Recommends a brand.
    Best,
    /// Names it with praise.
    Good,
    /// Only names it.
    Bare,
    /// Criticizes it.
    Bad,
    /// Names no brand.
    Aside,
    End,
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "intro" => Self::Intro,
            "best" => Self::Best,
            "good" => Self::Good,
            "bare" => Self::Bare,
            "bad" => Self::Bad,
            "aside" => Self::Aside,
            "end" => Self::End,
            _ => return None,
        })
    }
}

/// Falls back to English.
pub(super) fn sentence(language: &str, kind: Kind, chance: Chance) -> &'static str {
    let of = |language| SENTENCES.get(&(language, kind)).map(Vec::as_slice);
    let several = { SENTENCES.keys() }
        .find(|(known, _)| *known == language)
        .and_then(|(known, _)| of(known))
        .or_else(|| of("en"))
        .unwrap_or_default();
    several
        .get(chance.below(several.len().max(1)))
        .copied()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::ai_prompts::LANGUAGES;

    #[test]
    fn every_language_of_the_panel_has_two_sentences_of_each_kind() {
        let kinds = [
            Kind::Intro,
            Kind::Best,
            Kind::Good,
            Kind::Bare,
            Kind::Bad,
            Kind::Aside,
            Kind::End,
        ];
        for language in LANGUAGES {
            for kind in kinds {
                let sentences = SENTENCES.get(&(language, kind));
                assert_eq!(sentences.map(Vec::len), Some(2), "{language} {kind:?}");
                let names = matches!(kind, Kind::Best | Kind::Good | Kind::Bare | Kind::Bad);
                for it in sentences.unwrap() {
                    assert_eq!(it.matches("{brand}").count(), usize::from(names), "{it}");
                }
            }
        }
        let of_the_moon = sentence("xx", Kind::End, Chance::seeded(1));
        assert!(SENTENCES[&("en", Kind::End)].contains(&of_the_moon));
    }
}
