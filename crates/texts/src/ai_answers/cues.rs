//! Context words near a name that show that a company is meant.

use super::folded::fold;

/// Words inspected on each side.
const WINDOW_WORDS: usize = 3;
/// The same in bytes, since lines may be very long.
const WINDOW_BYTES: usize = 160;
/// Shortest common prefix of two related words, in bytes.
const MIN_SHARED: usize = 4;

/// Words for companies and sales channels, folded, all languages. Our list.
#[rustfmt::skip]
const COMPANY_WORDS: [&str; 96] = [
    "company", "brand", "app", "shop", "store", "retailer", "maker", "manufacturer", "firm", "software", "platform",
    "website", "chain", "startup", "supplier", "vendor", "inc", "ltd", "llc", "gmbh", "ag", "kg", "plc", "corp",
    "firma", "unternehmen", "marke", "mobelhaus", "hersteller", "anbieter", "laden", "geschaft", "filiale", "handler",
    "kaufhaus", "entreprise", "marque", "magasin", "societe", "application", "boutique", "enseigne", "fabricant", "sarl",
    "empresa", "marca", "tienda", "fabricante", "aplicacion", "cadena", "compania", "azienda", "negozio", "produttore",
    "catena", "societa", "srl", "bedrijf", "merk", "winkel", "fabrikant", "keten", "bv", "znacka", "obchod", "vyrobce",
    "vyrobca", "aplikace", "aplikacia", "aplikacja", "spolecnost", "spolocnost", "prodejna", "predajna", "eshop",
    "retezec", "retazec", "pobocka", "sro", "ceg", "cegnel", "marka", "bolt", "gyarto", "uzlet", "alkalmazas", "aruhaz",
    "kft", "zrt", "sklep", "producent", "spolka", "siec", "sieci", "przedsiebiorstwo", "serwis",
];

/// Conjunctions that join list members, folded.
#[rustfmt::skip]
const LIST_JOINERS: [&str; 19] = [
    "and", "or", "vs", "und", "oder", "et", "ou", "y", "o", "e", "i", "a", "es", "vagy", "lub", "nebo", "ci", "en", "of",
];

pub(super) fn has_company_cue(text: &str, start: usize, end: usize, categories: &[String]) -> bool {
    let is_cue = |word: &str| {
        COMPANY_WORDS.iter().any(|it| share_stem(word, it))
            || categories.iter().any(|it| share_stem(word, it))
    };
    words_before(&text[..start]).any(is_cue) || words_after(&text[end..]).any(is_cue)
}

pub(super) fn joins_list(between: &str) -> bool {
    let is_short = between.len() <= 12 && !between.contains('\n');
    is_short
        && between.contains([',', '/', '&', ' '])
        && !between.trim().is_empty()
        && between
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| !it.is_empty())
            .all(|it| LIST_JOINERS.contains(&it))
        && between
            .chars()
            .all(|it| it.is_alphanumeric() || it == ' ' || it == ',' || it == '/' || it == '&')
}

/// Folded.
pub(super) fn categories(words: &[String]) -> Vec<String> {
    let folded = words.iter().map(|it| fold(it));
    folded
        .flat_map(|it| it.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|it| it.len() >= MIN_SHARED)
        .collect()
}

fn words_before(text: &str) -> impl Iterator<Item = &str> {
    let window = &text[text.floor_char_boundary(text.len().saturating_sub(WINDOW_BYTES))..];
    let line = window.rsplit('\n').next().unwrap_or_default();
    let words = line.rsplit(|it: char| !it.is_alphanumeric());
    words.filter(|it| !it.is_empty()).take(WINDOW_WORDS)
}

fn words_after(text: &str) -> impl Iterator<Item = &str> {
    let window = &text[..text.floor_char_boundary(WINDOW_BYTES)];
    let line = window.split('\n').next().unwrap_or_default();
    let words = line.split(|it: char| !it.is_alphanumeric());
    words.filter(|it| !it.is_empty()).take(WINDOW_WORDS)
}

/// Inflected forms share a prefix: all but the last two letters of `of`.
fn share_stem(word: &str, of: &str) -> bool {
    let shared = word
        .bytes()
        .zip(of.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    word == of
        || (shared >= MIN_SHARED.max(of.len().saturating_sub(2)) && word.len() <= of.len() + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn company_words_beside_a_name_are_cues() {
        let beside = |text: &str| {
            let start = text.find('X').unwrap();
            has_company_cue(
                &text.to_lowercase(),
                start,
                start + 1,
                &categories(&["Nábytek".to_owned()]),
            )
        };
        assert!(beside("the X app") && beside("nabytek od X") && beside("nabytkem firmy X"));
        assert!(!beside("X on the terrace") && !beside("app\nX hangs there"));
        assert!(!beside("the app that we all had used before X"));
    }

    #[test]
    fn lists_are_joined_by_commas_and_conjunctions() {
        for between in [" and ", ", ", " es a ", "/", " & ", ", and "] {
            assert!(joins_list(between), "{between}");
        }
        for between in [" ", " on ", ". ", ", the\n", " (", ": "] {
            assert!(!joins_list(between), "{between}");
        }
    }
}
