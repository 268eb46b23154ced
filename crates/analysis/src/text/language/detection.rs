//! Which language a text is in, told from its letters and trigrams (crate `whatlang`).

use super::{Language, codes};

/// Letters below which nothing is claimed.
pub const FEWEST_LETTERS: usize = 60;

/// Confidence from which on a language is sure enough to contradict a declared one. Shorter texts
/// of a kindred language (Czech and Slovak, Spanish and Portuguese) are mostly below it; figures of
/// `tests/oracles/language.py` stand in `docs/MEASUREMENT.md`.
pub const SURE: f64 = 0.9;

/// Characters after which more text adds nothing but time.
const MOST_CHARACTERS: usize = 4_000;

/// A language that was told from a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detected {
    /// The ISO 639-1 code, or that of ISO 639-3 where there is none.
    pub code: &'static str,
    /// Confidence from 0 to 1: how far the best language is ahead of the next, given the length.
    pub confidence: f64,
}

impl Detected {
    /// The language, if it is one of those with more than a code.
    #[must_use]
    pub fn language(self) -> Option<Language> {
        Language::from_tag(self.code)
    }

    /// Whether the text is surely in another language than a declared tag names. Norwegian has
    /// several tags; Serbian, Croatian and Bosnian are not told apart.
    #[must_use]
    pub fn disagrees_with(self, declared: &str) -> bool {
        let primary = declared.trim().split(['-', '_']).next();
        let primary = primary.unwrap_or_default().to_ascii_lowercase();
        let kind = |code: &str| match code {
            "nb" | "nn" | "no" => "no".to_owned(),
            "hr" | "sr" | "bs" | "sh" => "sh".to_owned(),
            other => other.to_owned(),
        };
        self.confidence >= SURE && kind(self.code) != kind(&primary)
    }
}

/// The language of a text; `None` below [`FEWEST_LETTERS`] letters, or where no script prevails.
#[must_use]
pub fn detect(text: &str) -> Option<Detected> {
    let end = text
        .char_indices()
        .nth(MOST_CHARACTERS)
        .map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let letters = text.chars().filter(|it| it.is_alphabetic());
    // A character of Chinese or Japanese says as much as several letters.
    let weight: usize = letters.map(|it| if it > '\u{2e7f}' { 4 } else { 1 }).sum();
    if weight < FEWEST_LETTERS {
        return None;
    }
    let found = whatlang::detect(text)?;
    Some(Detected {
        code: codes::shortest(found.lang().code()),
        confidence: found.confidence(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code_of(text: &str) -> Option<&'static str> {
        detect(text).map(|it| it.code)
    }

    #[test]
    fn languages_are_told_apart() {
        for (code, text) in [
            (
                "en",
                "The installer will now ask you a few questions about the network and the disks of this machine.",
            ),
            (
                "de",
                "Das Installationsprogramm stellt Ihnen nun einige Fragen zum Netzwerk und zu den Festplatten.",
            ),
            (
                "es",
                "El instalador le hará ahora algunas preguntas sobre la red y los discos de esta máquina.",
            ),
            (
                "fr",
                "L'installateur va maintenant vous poser quelques questions sur le réseau et les disques.",
            ),
            (
                "it",
                "Il programma di installazione farà ora alcune domande sulla rete e sui dischi della macchina.",
            ),
            (
                "nl",
                "Het installatieprogramma stelt u nu enkele vragen over het netwerk en de schijven.",
            ),
            (
                "ru",
                "Сейчас программа установки задаст вам несколько вопросов о сети и дисках этого компьютера.",
            ),
            (
                "hu",
                "A telepítő most feltesz néhány kérdést a hálózatról és a gép merevlemezeiről, kérem válaszoljon.",
            ),
            (
                "cs",
                "Instalátor vám nyní položí několik otázek týkajících se sítě a pevných disků tohoto počítače.",
            ),
            (
                "sk",
                "Inštalátor vám teraz položí niekoľko otázok týkajúcich sa siete a pevných diskov tohto počítača.",
            ),
            (
                "pl",
                "Instalator zada teraz kilka pytań dotyczących sieci oraz dysków twardych tego komputera.",
            ),
            (
                "ja",
                "インストーラーはネットワークとディスクについていくつか質問をします。",
            ),
            (
                "uk",
                "Зараз програма встановлення поставить вам кілька запитань про мережу та диски цього комп'ютера.",
            ),
        ] {
            assert_eq!(code_of(text), Some(code), "{text}");
        }
    }

    #[test]
    fn too_little_text_tells_no_language() {
        for text in [
            "",
            "Home Contact",
            "12 345 678 — 90 % * * * 2024-01-01 10:00:00 +420 777 123 456",
        ] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    #[test]
    fn a_declared_tag_is_compared_by_its_language() {
        let detected = |code| Detected {
            code,
            confidence: 1.0,
        };
        assert!(!detected("cs").disagrees_with("cs-CZ"));
        assert!(!detected("nb").disagrees_with("no"));
        assert!(!detected("hr").disagrees_with("sr-Latn"));
        assert!(detected("sk").disagrees_with("cs"));
        let unsure = Detected {
            code: "sk",
            confidence: 0.8,
        };
        assert!(!unsure.disagrees_with("cs"));
    }

    proptest! {
        #[test]
        fn confidence_is_a_share(text in any::<String>()) {
            if let Some(found) = detect(&text.repeat(8)) {
                prop_assert!((0.0..=1.0).contains(&found.confidence));
            }
        }
    }
}
