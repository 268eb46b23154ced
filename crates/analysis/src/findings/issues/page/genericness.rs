//! Link texts that do not say where a link leads.
//!
//! Lists: Lighthouse 12.8.2 (`core/audits/seo/link-text.js`) for en, ja, es, pt, ko, sv, de, ta and fa; ours
//! for cs, sk, hu and pl.

/// Texts by language, in lower case.
const LISTS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "click here",
            "click this",
            "go",
            "here",
            "information",
            "learn more",
            "more",
            "more info",
            "more information",
            "right here",
            "read more",
            "see more",
            "start",
            "this",
        ],
    ),
    (
        "ja",
        &[
            "ここをクリック",
            "こちらをクリック",
            "リンク",
            "続きを読む",
            "続く",
            "全文表示",
        ],
    ),
    (
        "es",
        &[
            "click aquí",
            "click aqui",
            "clicka aquí",
            "clicka aqui",
            "pincha aquí",
            "pincha aqui",
            "aquí",
            "aqui",
            "más",
            "mas",
            "más información",
            "más informacion",
            "mas información",
            "mas informacion",
            "este",
            "enlace",
            "este enlace",
            "empezar",
        ],
    ),
    (
        "pt",
        &[
            "clique aqui",
            "ir",
            "mais informação",
            "mais informações",
            "mais",
            "veja mais",
        ],
    ),
    (
        "ko",
        &[
            "여기",
            "여기를 클릭",
            "클릭",
            "링크",
            "자세히",
            "자세히 보기",
            "계속",
            "이동",
            "전체 보기",
        ],
    ),
    (
        "sv",
        &[
            "här",
            "klicka här",
            "läs mer",
            "mer",
            "mer info",
            "mer information",
        ],
    ),
    (
        "de",
        &[
            "klicke hier",
            "hier klicken",
            "hier",
            "mehr",
            "siehe",
            "dies",
            "das",
            "weiterlesen",
        ],
    ),
    (
        "ta",
        &[
            "அடுத்த பக்கம்",
            "மறுபக்கம்",
            "முந்தைய பக்கம்",
            "முன்பக்கம்",
            "மேலும் அறிக",
            "மேலும் தகவலுக்கு",
            "மேலும் தரவுகளுக்கு",
            "தயவுசெய்து இங்கே அழுத்தவும்",
            "இங்கே கிளிக் செய்யவும்",
        ],
    ),
    (
        "fa",
        &[
            "اطلاعات بیشتر",
            "اطلاعات",
            "این",
            "اینجا بزنید",
            "اینجا کلیک کنید",
            "اینجا",
            "برو",
            "بیشتر بخوانید",
            "بیشتر بدانید",
            "بیشتر",
            "شروع",
        ],
    ),
    (
        "cs",
        &[
            "zde",
            "tady",
            "klikněte zde",
            "klikni zde",
            "více",
            "více informací",
            "číst dál",
            "číst více",
            "zobrazit více",
            "odkaz",
            "další",
            "čtěte více",
        ],
    ),
    (
        "sk",
        &[
            "tu",
            "sem",
            "kliknite sem",
            "kliknite tu",
            "viac",
            "viac informácií",
            "čítať ďalej",
            "čítať viac",
            "zobraziť viac",
            "odkaz",
        ],
    ),
    (
        "hu",
        &[
            "itt",
            "ide",
            "kattintson ide",
            "kattints ide",
            "tovább",
            "bővebben",
            "több",
            "további információ",
            "részletek",
        ],
    ),
    (
        "pl",
        &[
            "tutaj",
            "tu",
            "kliknij tutaj",
            "kliknij",
            "więcej",
            "czytaj więcej",
            "czytaj dalej",
            "zobacz więcej",
            "więcej informacji",
            "link",
        ],
    ),
];

/// Whether a link's text says nothing; in all languages where that of the page is not known.
pub fn is_generic_link_text(text: &str, language: Option<&str>) -> bool {
    /// The longest of the lists, and some room.
    const MOST_BYTES: usize = 200;
    let text = text.trim();
    if text.len() > MOST_BYTES {
        return false;
    }
    let text = text.to_lowercase();
    let text = text
        .trim_end_matches(['…', '.', '»', '>', ':', '!', '→'])
        .trim_end();
    LISTS
        .iter()
        .filter(|(known, _)| language.is_none_or(|it| it == *known))
        .any(|(_, list)| list.contains(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_looked_up_in_the_language_of_the_page() {
        assert!(is_generic_link_text(" Click here ", Some("en")));
        assert!(is_generic_link_text("Read more…", Some("en")));
        assert!(is_generic_link_text("více", None));
        assert!(!is_generic_link_text("hier", Some("en")));
        assert!(!is_generic_link_text("here is the report", Some("en")));
    }
}
