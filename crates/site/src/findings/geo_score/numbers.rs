//! Numeric facts in text: shares, money, amounts with units, and counts of two digits and more.
//! Years, dates, clock times, phone numbers, versions, status codes, and numbers of lists, chapters and
//! figures are not facts. The rules are ours; `tests/oracles/geo_counts.py` repeats them in Python.

use regex::Regex;
use std::sync::LazyLock;

const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|januari|februari|maart|mei|augustus|ledna|února|března|dubna|května|června|července|srpna|září|října|listopadu|prosince|januára|februára|marca|apríla|mája|júna|júla|augusta|septembra|októbra|novembra|decembra|stycznia|lutego|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|január|február|március|április|május|június|július|augusztus|szeptember|október";

/// Reason phrases of statuses (RFC 9110 and IANA's registry of status codes), including old ones.
const REASONS: &str = "Continue|Switching Protocols|Processing|Early Hints|OK|Created|Accepted|Non-Authoritative Information|No Content|Reset Content|Partial Content|Multi-Status|Already Reported|IM Used|Multiple Choices|Moved Permanently|Moved Temporarily|Found|See Other|Not Modified|Use Proxy|Temporary Redirect|Permanent Redirect|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Proxy Authentication Required|Request Time-?[Oo]ut|Conflict|Gone|Length Required|Precondition Failed|(?:Content|Payload|Request Entity) Too Large|URI Too Long|Unsupported Media Type|Range Not Satisfiable|Expectation Failed|Misdirected Request|Unprocessable (?:Content|Entity)|Locked|Failed Dependency|Too Early|Upgrade Required|Precondition Required|Too Many Requests|Request Header Fields Too Large|Unavailable For Legal Reasons|Internal Server Error|Not Implemented|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?[Oo]ut|HTTP Version Not Supported|Insufficient Storage|Loop Detected|Network Authentication Required";

/// Patterns that are removed first, in this order.
static NO_FACTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        r"(?i)\b(?:https?://|www\.)\S+|\S+@\S+\.\S+".to_owned(),
        // Numbers of lists and sections.
        r"^\(?\d{1,3}[.)]\s|^\d{1,3}(?:\.\d{1,3})+\.?\s".to_owned(),
        // Dates and clock times.
        r"\b\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+)?|\b\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}\b|\b\d{1,2}/\d{1,2}/\d{2}\b".to_owned(),
        format!(r"(?i)\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(?:{MONTHS})(?:\.?,?\s+(?:de\s+)?\d{{4}}\b|\W|$)"),
        format!(r"(?i)(?:^|\W)(?:{MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th|\.)?(?:,?\s+\d{{4}}\b|\b)"),
        r"\b\d{1,2}:\d{2}(?::\d{2})?\b".to_owned(),
        r"(?i)\b\d{1,2}(?:st|nd|rd|th|\.|e|er)?\s?(?:Jh\.|Jahrhundert|centur(?:y|ies)|siècles?|století|storoči|wiek|század|siglos?|secol[oi]|eeuw)".to_owned(),
        // Phone numbers.
        r"\+\d[\d ()./-]{6,20}\d|\(\d{2,5}\)\s?\d[\d -]{4,12}\d|\b\d{3}-\d{3}-\d{4}\b".to_owned(),
        // HTTP statuses: after a word such as `status`, also several, and before one.
        r"(?i)(?:^|\W)(?:https?(?:/\d(?:\.\d)?)?|(?:http-?)?status(?:-?codes?)?|codes?|error|fehler|erreur|errore|chyb[auy]|fout|błąd|hiba)(?:[\s:-]+(?:status|codes?|error))*:?\s+[1-5]\d\d\b(?:(?:\s*[,/–-]\s*|,?\s+(?:and|or|to|und|oder|bis|et|ou|y|e|nebo|alebo|lub|en|of|és|vagy)\s+)[1-5]\d\d\b)*".to_owned(),
        format!(r"\b[1-5]\d\d\s+(?:{REASONS})\b"),
        r"(?i)\b[45]\d\d[\s-](?:errors?|fehler|erreurs?|errores)\b|\b30[0-8][\s-]redirect(?:s|ed|ion|ions)?\b|\b404[\s-]pages?\b|\b[1-5]\d\d[\s-](?:status|response)\b".to_owned(),
        // Versions.
        r"(?i)\bv\.?\s?\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+[\w.-]*|\b(?:version|versions|verze|verzia|verzió|wersja|versión|versione|versie|release)\s+\d[\w.-]*".to_owned(),
        // References within a document.
        r"(?i)(?:(?:^|\W)(?:chapter|section|figure|fig\.|table|page|pages|pp?\.|step|no\.|nr\.|number|line|rfc|iso|kapitel|abschnitt|abbildung|abb\.|tabelle|seite|schritt|capítulo|sección|figura|tabla|página|chapitre|tableau|étape|capitolo|sezione|tabella|pagina|hoofdstuk|kapitola|strana|tabulka|tabuľka|obrázek|obrázok|krok|rozdział|rysunek|strona|fejezet|ábra|táblázat)|[§#№])\s*\d+(?:[.–-]\d+)*".to_owned(),
    ];
    patterns
        .iter()
        .filter_map(|it| Regex::new(it).ok())
        .collect()
});

/// A number: groups of three, or digits, each with optional decimals.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"[0-9]{1,3}(?:[,. '\u{a0}\u{202f}][0-9]{3})+(?:[.,][0-9]{1,2})?|[0-9]+(?:[.,][0-9]+)?",
    )
    .ok()
});

/// What makes the preceding number a fact: shares, money, large numbers, units.
static FACT_SUFFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shares = r"%|‰|percent(?:\W|$)|per\s?cent(?:\W|$)|prozent(?:\W|$)|procent\w*|por ciento(?:\W|$)|pour cent(?:\W|$)|per cento(?:\W|$)|százalék\w*|percentage points?(?:\W|$)";
    let money = r"[€$£¥₹]|(?:EUR|USD|GBP|CZK|HUF|PLN|CHF|JPY)(?:\W|$)|Kč|zł|Ft(?:\W|$)|(?i:euros?|dollars?|pounds?|cents?|korun\w*)(?:\W|$)";
    let large = r"(?:thousand|millions?|billions?|trillions?|tausend|Millionen|Milliarden|Mio|Mrd|tisíc\w*|milion\w*|milión\w*|miliard\w*|tysi\w+|millones|mille|milliards?|mila|miljoen|miljard|ezer|millió|milliárd)(?:\W|$)";
    let units = r"(?:[kMGTP]i?B|[kKMGT]?bit|[kMG]?Hz|[kMG]?Wh?|[kmµn]?m[²³]?|cm|[kmµ]?g|[mcd]?l|[mµn]?s|kcal|km/h|mph|px|dpi|fps|mAh|V|A|lbs?|oz|ft|mi)(?:\W|$)|°\s?[CF]|(?:bytes?|kilobytes?|megabytes?|gigabytes?|meters?|metres?|kilometers?|kilometres?|miles?|feet|inches|grams?|kilograms?|tonn?e?s?|liters?|litres?|degrees?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|x)(?:\W|$)|(?:Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|Tonnen|Grad)(?:\W|$)|(?:segundos?|minutos?|horas?|días?|semanas?|meses|años?|secondes?|heures?|jours?|semaines?|mois|ans|secondi|minuti|ore|giorni|settimane|mesi|anni)(?:\W|$)|(?:sekund\w*|minut\w*|hodin\w*|dnů|dnech|dnů|dní|dny|dni|týdn\w+|týžd\w+|měsíc\w*|mesiac\w*|let|rok\w*|lat|godzin\w*|tygodni\w*|miesi\w+|másodperc\w*|perc\w*|órá?\w*|napo?\w*|hét\w*|hónap\w*|év\w*|uur|dagen|weken|maanden|jaar|stop[ně]\w*)(?:\W|$)";
    Regex::new(&format!(r"^(?:[ \u{{a0}}\u{{202f}}-]?(?:{shares}|{large})|[ \u{{a0}}\u{{202f}}]?(?:{money})|[ \u{{a0}}\u{{202f}}-]?(?:{units}))")).ok()
});

/// Currencies before the number.
const MONEY: [&str; 13] = [
    "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CZK", "HUF", "PLN", "CHF", "JPY",
];

pub fn facts(block: &str) -> Vec<String> {
    if !block.bytes().any(|it| it.is_ascii_digit()) {
        return Vec::new();
    }
    let mut text = block.to_owned();
    for pattern in NO_FACTS.iter() {
        // The placeholder separates the neighbors.
        text = pattern.replace_all(&text, " ¤ ").into_owned();
    }
    let (Some(number), Some(after)) = (NUMBER.as_ref(), FACT_SUFFIX.as_ref()) else {
        return Vec::new();
    };
    let found = number.find_iter(&text).filter(|it| {
        let (before, rest) = (&text[..it.start()], &text[it.end()..]);
        is_fact(before, it.as_str(), rest, after)
    });
    found
        .map(|it| around(&text, it.start(), it.end()))
        .collect()
}

fn is_fact(before: &str, number: &str, rest: &str, after: &Regex) -> bool {
    if continues_a_word(before) {
        return false;
    }
    let bare = before.trim_end_matches([' ', '\u{a0}']);
    if after.is_match(rest) || MONEY.iter().any(|it| bare.ends_with(it)) {
        return true;
    }
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let goes_on = rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    digits >= 2 && !goes_on && !is_year(number) && !is_version(bare, number)
}

/// A decimal number after a name: `Python 3.11`.
fn is_version(before: &str, number: &str) -> bool {
    let decimals = number.split_once('.').map(|it| it.1.len());
    let word = before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    decimals.is_some_and(|it| it < 3) && word.starts_with(char::is_uppercase)
}

/// Whether the number continues a name (`H264`), a range (`10-20`) or a fraction.
fn continues_a_word(before: &str) -> bool {
    let mut back = before.chars().rev();
    match back.next() {
        Some('-' | '–' | '−' | '/' | '.' | ',' | ':') => {
            back.next().is_some_and(char::is_alphanumeric)
        }
        Some(it) => it.is_alphanumeric() || matches!(it, '_' | '@' | '\\'),
        None => false,
    }
}

fn is_year(number: &str) -> bool {
    number.len() == 4
        && number
            .parse()
            .is_ok_and(|it: u32| (1_400..=2_100).contains(&it))
}

fn around(text: &str, start: usize, end: usize) -> String {
    let before: String = {
        let back: Vec<&str> = text[..start].split_whitespace().rev().take(3).collect();
        back.into_iter().rev().collect::<Vec<_>>().join(" ")
    };
    let after: Vec<&str> = text[end..].split_whitespace().take(3).collect();
    let glued = |text: &str, at_start: bool| {
        let edge = if at_start {
            text.chars().next()
        } else {
            text.chars().next_back()
        };
        edge.is_some_and(|it| !it.is_whitespace())
    };
    let one = if glued(&text[..start], false) {
        ""
    } else {
        " "
    };
    let other = if glued(&text[end..], true) { "" } else { " " };
    let whole = format!(
        "{before}{one}{}{other}{}",
        &text[start..end],
        after.join(" ")
    );
    whole.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(NO_FACTS.len(), 13);
        assert!(NUMBER.is_some() && FACT_SUFFIX.is_some());
    }

    #[test]
    fn facts_are_counted() {
        for (text, count) in [
            ("Sales rose by 43 % to $1,200.50 within 3 years.", 3),
            ("It weighs 5 kg and reaches 120 km/h.", 2),
            ("Of 1 250 people 37 answered.", 2),
            ("Costs 5 € or EUR 7 or 120 Kč", 3),
            ("Sie kostet 1500 Euro und 5 Cent.", 2),
            ("8 out of 10 cats, 5 in the house", 1),
            ("between 10-20 % of users", 1),
            ("Úspora je 15 procent, tedy 3 miliony korun.", 2),
            ("-12 °C at night", 1),
            ("a 5-year study of 2 million visits", 2),
            ("twice the 16 GB of 2019", 1),
            (
                "Of 404 people, 302 found it and 200 responses were good.",
                3,
            ),
            ("Errors: 120 on 500 pages", 2),
            ("The error cost 500 euros in 404 days.", 2),
        ] {
            assert_eq!(facts(text).len(), count, "{text}: {:?}", facts(text));
        }
    }

    #[test]
    fn numbers_that_are_no_facts_are_ignored() {
        for text in [
            "In 1998 and 2024 nothing happened.",
            "On 12 March 2024, on March 3, 2021, 2024-05-01 and 1. 5. 2024",
            "dne 12. května 2024 v 10:15",
            "Call +420 777 123 456 or 555-123-4567.",
            "Version 2.10.3, v15 and 3.11.2",
            "1. First item",
            "3.2.1 A section",
            "See chapter 12, figure 3.14, page 250 and §17.",
            "An H264 stream on x86_64",
            "As of Python 3.11 and GCC 8.3 in the 19th century and im 17. Jahrhundert",
            "https://example.com/2024/100-things",
            "one of 5 things",
            "404 Not Found, then 301 Moved Permanently and 200 OK",
            "It answers with HTTP 301 or 302, HTTP/1.1 503 and status code 410.",
            "The status codes 301, 302 and 307; HTTP status: 404",
            "error 500, Fehler 404, a 503 response, 301 redirects, 404 errors and a 404 page",
        ] {
            assert!(facts(text).is_empty(), "{text}: {:?}", facts(text));
        }
    }

    #[test]
    fn evidence_includes_context() {
        assert_eq!(
            facts("Sales rose by 43 % within a year."),
            ["Sales rose by 43 % within a"]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_counted(text in "\\PC{0,120}") {
            facts(&text);
        }
    }
}
