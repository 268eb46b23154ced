//! Context words near a name that show that a company is meant.

use super::folded::fold;

/// Words inspected on each side.
const REACH: usize = 3;
/// The same in bytes, since lines may be very long.
const WINDOW: usize = 160;
/// Shortest common prefix of two related words, in bytes.
const LEAST_SHARED: usize = 4;

/// Words for companies and sales channels, folded, all languages. Our list.
#[rustfmt::skip]
const COMPANY: [&str; 96] = [
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
const JOINING: [&str; 19] = [
    "and", "or", "vs", "und", "oder", "et", "ou", "y", "o", "e", "i", "a", "es", "vagy", "lub", "nebo", "ci", "en", "of",
];

pub(super) fn stand_beside(text: &str, start: usize, end: usize, categories: &[String]) -> bool {
    let tells = |word: &str| {
        COMPANY.iter().any(|it| are_alike(word, it))
            || categories.iter().any(|it| are_alike(word, it))
    };
    words_before(&text[..start]).any(tells) || words_after(&text[end..]).any(tells)
}

pub(super) fn join(between: &str) -> bool {
    let is_short = between.len() <= 12 && !between.contains('\n');
    is_short
        && between.contains([',', '/', '&', ' '])
        && !between.trim().is_empty()
        && between
            .split(|it: char| !it.is_alphanumeric())
            .filter(|it| !it.is_empty())
            .all(|it| JOINING.contains(&it))
        && between
            .chars()
            .all(|it| it.is_alphanumeric() || it == ' ' || it == ',' || it == '/' || it == '&')
}

/// Folded.
pub(super) fn categories(words: &[String]) -> Vec<String> {
    let folded = words.iter().map(|it| fold(it));
    folded
        .flat_map(|it| it.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|it| it.len() >= LEAST_SHARED)
        .collect()
}

fn words_before(text: &str) -> impl Iterator<Item = &str> {
    let near = &text[text.floor_char_boundary(text.len().saturating_sub(WINDOW))..];
    let line = near.rsplit('\n').next().unwrap_or_default();
    let words = line.rsplit(|it: char| !it.is_alphanumeric());
    words.filter(|it| !it.is_empty()).take(REACH)
}

fn words_after(text: &str) -> impl Iterator<Item = &str> {
    let near = &text[..text.floor_char_boundary(WINDOW)];
    let line = near.split('\n').next().unwrap_or_default();
    let words = line.split(|it: char| !it.is_alphanumeric());
    words.filter(|it| !it.is_empty()).take(REACH)
}

/// Inflected forms share a prefix: all but the last two letters of `of`.
fn are_alike(word: &str, of: &str) -> bool {
    let shared = word
        .bytes()
        .zip(of.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    word == of
        || (shared >= LEAST_SHARED.max(of.len().saturating_sub(2)) && word.len() <= of.len() + 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_beside_a_name_tell_what_it_is() {
        let beside = |text: &str| {
            let start = text.find('X').unwrap();
            stand_beside(
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
            assert!(join(between), "{between}");
        }
        for between in [" ", " on ", ". ", ", the\n", " (", ": "] {
            assert!(!join(between), "{between}");
        }
    }
}
