//! Language detection by letters and trigrams (crate `whatlang`), confirmed by common words.

use super::{Language, codes, common_words};

/// Shorter texts have no detected language.
pub const MIN_LETTERS: usize = 60;

/// Confidence from which on a detection overrides a declared language. Short texts in similar languages (Czech and
/// Slovak, Spanish and Portuguese) are mostly below it; figures are in `docs/measurement/languages-and-readability.md`.
pub const HIGH_CONFIDENCE: f64 = 0.9;

/// By `tests/oracles/language.py`, one in seven is wrong from 0.3 to 0.5, one in sixteen from 0.5 to 0.9.
pub const MIN_CONFIDENCE: f64 = 0.5;

/// More text does not improve the detection.
const MAX_CHARACTERS: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detected {
    /// ISO 639-1, or else ISO 639-3.
    pub code: &'static str,
    /// 0 to 1: by the lead over the second language and the text's length.
    pub confidence: f64,
}

impl Detected {
    /// `None` for languages that are not supported.
    pub fn language(self) -> Option<Language> {
        Language::from_tag(self.code)
    }

    /// Norwegian Bokmål and Nynorsk are one language, as are Serbian, Croatian and Bosnian.
    pub fn disagrees_with(self, declared: &str) -> bool {
        let primary = declared.trim().split(['-', '_']).next();
        let primary = primary.unwrap_or_default().to_ascii_lowercase();
        let kind = |code: &str| match code {
            "nb" | "nn" | "no" => "no".to_owned(),
            "hr" | "sr" | "bs" | "sh" => "sh".to_owned(),
            other => other.to_owned(),
        };
        self.confidence >= HIGH_CONFIDENCE && kind(self.code) != kind(&primary)
    }
}

/// `None` below [`MIN_LETTERS`] or [`MIN_CONFIDENCE`], without a clear script, or if rejected by common words.
pub fn detect(text: &str) -> Option<Detected> {
    let end = text
        .char_indices()
        .nth(MAX_CHARACTERS)
        .map_or(text.len(), |(at, _)| at);
    let text = &text[..end];
    let letters = text.chars().filter(|it| it.is_alphabetic());
    // A Chinese or Japanese character carries as much information as several letters.
    let weight: usize = letters.map(|it| if it > '\u{2e7f}' { 4 } else { 1 }).sum();
    if weight < MIN_LETTERS {
        return None;
    }
    let found = whatlang::detect(text).filter(|it| it.confidence() >= MIN_CONFIDENCE)?;
    let code = codes::iso_639_1(found.lang().code());
    common_words::confirms_language(text, code).then(|| Detected {
        code,
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
    fn languages_are_detected() {
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

    /// Without common words each is detected as a related language, seven with a confidence of at least 0.9.
    #[test]
    fn undetectable_languages_give_none() {
        for (language, text) in [
            (
                "Mongolian",
                "Манай дэлгүүр өдөр бүр нээлттэй байдаг бөгөөд бид таны захиалгыг хоёр хоногийн дотор хүргэж өгнө.",
            ),
            (
                "Kazakh",
                "Біздің дүкен күн сайын ашық және біз сіздің тапсырысыңызды екі күннің ішінде жеткіземіз.",
            ),
            (
                "Kyrgyz",
                "Биздин дүкөн күн сайын ачык жана биз сиздин буйрутмаңызды эки күндүн ичинде жеткиребиз.",
            ),
            (
                "Tatar",
                "Безнең кибет көн саен ачык һәм без сезнең заказны ике көн эчендә китереп бирәбез.",
            ),
            (
                "Malay",
                "Kedai kami dibuka setiap hari dan kami akan menghantar pesanan anda dalam masa dua hari kerana kami mahu anda gembira.",
            ),
            (
                "Basque",
                "Gure denda egunero zabalik dago eta zure eskaera bi eguneko epean bidaliko dugu, beti bezala kalitate onean.",
            ),
            (
                "Irish",
                "Tá ár siopa ar oscailt gach lá agus cuirfimid d’ordú chugat laistigh de dhá lá, mar a dhéanaimid i gcónaí.",
            ),
            (
                "Icelandic",
                "Verslunin okkar er opin alla daga og við sendum pöntunina þína innan tveggja daga eins og alltaf áður.",
            ),
            (
                "Swahili",
                "Duka letu liko wazi kila siku na tutatuma oda yako ndani ya siku mbili kama tunavyofanya siku zote.",
            ),
            (
                "Maltese",
                "Il-ħanut tagħna jiftaħ kuljum u aħna nibagħtulek l-ordni tiegħek fi żmien jumejn bħalma nagħmlu dejjem.",
            ),
            (
                "Xhosa",
                "Ivenkile yethu ivulwa yonke imihla kwaye siya kuyithumela iodolo yakho kwiintsuku ezimbini njengesiqhelo.",
            ),
            (
                "Tigrinya",
                "ድኳንና መዓልታዊ ክፉት እዩ ከምኡ'ውን ትእዛዝኩም ኣብ ውሽጢ ክልተ መዓልታት ክንሰድድ ኢና ከምቲ ኩሉ ግዜ እንገብሮ።",
            ),
        ] {
            assert_eq!(detect(text), None, "{language}");
        }
    }

    #[test]
    fn too_little_text_gives_no_language() {
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
                prop_assert!((MIN_CONFIDENCE..=1.0).contains(&found.confidence));
            }
        }
    }
}
