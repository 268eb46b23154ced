//! BCP 47 (RFC 5646).

/// ISO 639-1, with deprecated codes that browsers still accept (`in`, `iw`, `ji`, `mo`, `sh`).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv \
    dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io \
    is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo \
    mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si \
    sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo \
    za zh zu";

/// ISO 3166-1 alpha-2, as of tzdata's `iso3166.tab`.
const REGIONS: &str = "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw \
    by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm \
    fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je \
    jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp \
    mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa \
    re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr \
    tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw xk";

/// Well-formed BCP 47 with an existing two-letter (ISO 639-1) or any three-letter language and an existing region.
pub fn is_language_tag(tag: &str) -> bool {
    let tag = tag.trim().to_ascii_lowercase();
    let mut parts = tag.split('-').peekable();
    let language = parts.next().unwrap_or_default();
    if matches!(language, "x" | "i") {
        return parts.next().is_some_and(|it| !it.is_empty());
    }
    let is_letters =
        |it: &str, length| it.len() == length && it.bytes().all(|it| it.is_ascii_lowercase());
    let is_known =
        is_letters(language, 3) || (is_letters(language, 2) && list_contains(LANGUAGES, language));
    if !is_known {
        return false;
    }
    for _ in 0..3 {
        parts.next_if(|it| is_letters(it, 3));
    }
    parts.next_if(|it| is_letters(it, 4));
    if let Some(region) = parts.next_if(|it| is_letters(it, 2) || is_digits(it, 3))
        && is_letters(region, 2)
        && !list_contains(REGIONS, region)
    {
        return false;
    }
    let is_variant = |it: &&str| {
        let word = it.bytes().all(|it| it.is_ascii_alphanumeric());
        word && ((5..=8).contains(&it.len())
            || (it.len() == 4 && it.starts_with(|it: char| it.is_ascii_digit())))
    };
    while parts.next_if(|it| is_variant(it)).is_some() {}
    // Extensions and private use: a single character, then subtags of two to eight.
    match parts.next() {
        None => true,
        Some(single) => {
            single.len() == 1
                && parts.clone().count() > 0
                && parts.all(|it| {
                    (1..=8).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_alphanumeric())
                })
        }
    }
}

/// Lower case.
pub fn primary_subtag(tag: &str) -> String {
    let first = tag.trim().split(['-', '_']).next();
    first.unwrap_or_default().to_ascii_lowercase()
}

/// [`primary_subtag`], with one code for Norwegian, for Filipino and Tagalog, and for Serbo-Croatian's successors.
pub fn language_group(tag: &str) -> String {
    match primary_subtag(tag).as_str() {
        "nb" | "nn" => "no".to_owned(),
        "fil" => "tl".to_owned(),
        "hr" | "sr" | "bs" => "sh".to_owned(),
        other => other.to_owned(),
    }
}

/// ISO 639-1, else ISO 639-3; `None` for names (`english`). Other subtags are ignored.
pub fn language_code(tag: &str) -> Option<String> {
    let primary = primary_subtag(tag);
    is_language_tag(&primary).then(|| super::codes::iso_639_1(&primary).to_owned())
}

/// Language or country in a URL path: `de`, `de-at`, `us`; lower case.
pub fn is_locale_segment(part: &str) -> bool {
    match part.split_once('-') {
        None => list_contains(LANGUAGES, part) || list_contains(REGIONS, part),
        Some((language, region)) => {
            list_contains(LANGUAGES, language) && list_contains(REGIONS, region)
        }
    }
}

fn is_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|it| it.is_ascii_digit())
}

fn list_contains(all: &str, one: &str) -> bool {
    all.split_ascii_whitespace().any(|it| it == one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_language_has_one_group() {
        for (one, other) in [
            ("nb-NO", "no"),
            ("nn", "nb"),
            ("fil-PH", "tl"),
            ("hr", "SR"),
        ] {
            assert_eq!(language_group(one), language_group(other));
        }
        assert_ne!(language_group("nb"), language_group("da"));
    }

    #[test]
    fn locale_path_segments_are_recognized() {
        for part in ["de", "de-at", "us", "pt-br"] {
            assert!(is_locale_segment(part), "{part}");
        }
        for part in ["go", "", "de-xx", "tv-sets", "en-us-x", "qq"] {
            assert!(!is_locale_segment(part), "{part}");
        }
    }

    /// Examples of RFC 5646, appendix A, and common mistakes.
    #[test]
    fn only_valid_language_tags_are_accepted() {
        for tag in [
            "de",
            "fr",
            "ja",
            "zh-Hant",
            "zh-cmn-Hans-CN",
            "sr-Latn-RS",
            "sl-rozaj-biske",
            "de-CH-1901",
            "hy-Latn-IT-arevela",
            "en-US",
            "es-419",
            "x-whatever",
            "de-CH-x-phonebk",
            "en-US-u-islamcal",
            "i-klingon",
            "ast",
            "cs-CZ",
        ] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in [
            "",
            "english",
            "en_US",
            "en-UK",
            "cz",
            "jp",
            "xx",
            "de-",
            "en-us-",
            "e",
            "x",
            "de-419-DE",
            "1",
        ] {
            assert!(!is_language_tag(tag), "{tag}");
        }
        assert_eq!(primary_subtag("EN_us"), "en");
        for (tag, code) in [
            ("EN_us", "en"),
            ("deu-AT", "de"),
            ("ast", "ast"),
            ("zh-Hant", "zh"),
        ] {
            assert_eq!(language_code(tag).as_deref(), Some(code), "{tag}");
        }
        for tag in ["english", "", "x-whatever", "cz"] {
            assert_eq!(language_code(tag), None, "{tag}");
        }
    }
}
