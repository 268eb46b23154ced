use crate::{table::records, text::language::Language};
use regex::Regex;
use std::{collections::BTreeMap, sync::LazyLock};

pub struct Phrases {
    /// First-hand experience.
    pub first_person: Regex,
    pub test_method: Regex,
    /// Reviewed by an expert.
    pub reviewed: Regex,
    pub disclosure: Regex,
    pub own_data: Regex,
}

/// `None` for languages without a list.
pub fn phrases(language: Option<Language>) -> Option<&'static Phrases> {
    PHRASES.get(&language?)
}

/// Titles and degrees, in any language.
pub static CREDENTIALS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:Ph\.?\s?D\.?|M\.?D\.|MD|MBA|M\.?Sc\.?|B\.?Sc\.?|CPA|CFA|CFP|RN|RD|DDS|DVM|J\.?D\.|LL\.?M\.?|Prof\.|Professor|Dr\.|Dipl\.-\w+|Ing\.|Mgr\.|MUDr\.|JUDr\.|PhDr\.|RNDr\.|MVDr\.|PharmDr\.|Bc\.|CSc\.|doc\.|lek\.|mgr|dr n\. med\.)(?:[\s,)]|$)").ok()
});

static PHRASES: LazyLock<BTreeMap<Language, Phrases>> = LazyLock::new(|| {
    // `\W` instead of `\b`, which is slow next to letters that are not ASCII.
    let phrase = |words: &str| Regex::new(&format!(r"(?i)(?:^|\W)(?:{words})(?:\W|$)")).ok();
    let lists = records::<6>(include_str!("phrases.tsv"));
    lists
        .filter_map(|[language, first, test, reviewed, disclosure, data]| {
            Some((
                Language::from_tag(language)?,
                Phrases {
                    first_person: phrase(first)?,
                    test_method: phrase(test)?,
                    reviewed: phrase(reviewed)?,
                    disclosure: phrase(disclosure)?,
                    own_data: phrase(data)?,
                },
            ))
        })
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_phrases() {
        assert_eq!(PHRASES.len(), Language::ALL.len() - 1);
        assert!(phrases(Some(Language::Russian)).is_none() && phrases(None).is_none());
    }

    #[test]
    fn first_person_phrases_are_recognized() {
        for (language, text) in [
            (Language::English, "We tested twelve mattresses."),
            (Language::English, "In my experience it lasts."),
            (Language::German, "Wir haben zwölf Matratzen getestet."),
            (Language::Spanish, "Hemos probado doce colchones."),
            (Language::French, "Nous avons testé douze matelas."),
            (Language::Italian, "Abbiamo provato dodici materassi."),
            (Language::Dutch, "Wij hebben twaalf matrassen getest."),
            (Language::Czech, "Vyzkoušeli jsme dvanáct matrací."),
            (Language::Slovak, "Otestovali sme dvanásť matracov."),
            (Language::Polish, "Przetestowaliśmy dwanaście materacy."),
            (
                Language::Hungarian,
                "Tizenkét matracot teszteltünk, saját tapasztalat.",
            ),
        ] {
            let found = phrases(Some(language)).unwrap();
            assert!(found.first_person.is_match(text), "{text}");
        }
        let english = phrases(Some(Language::English)).unwrap();
        assert!(
            !english
                .first_person
                .is_match("The mattress was tested by them.")
        );
        assert!(
            english
                .reviewed
                .is_match("Medically reviewed by Jane Doe, MD")
        );
    }

    #[test]
    fn degrees_are_recognized() {
        let degree = CREDENTIALS.as_ref().unwrap();
        for name in [
            "Jane Doe, PhD",
            "MUDr. Jana Nová",
            "Dr. Max Muster",
            "Jane Doe MD",
        ] {
            assert!(degree.is_match(name), "{name}");
        }
        assert!(!degree.is_match("Mandy Drake"));
    }
}
