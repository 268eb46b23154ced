//! Replaces noise by placeholders before texts are compared: clock times (dates stay), relative times, counters,
//! tokens, session ids, hashes in file names. In URLs only hashes are noise. Line feeds stay; other white space becomes
//! one space.

use super::words::collapsed;
use regex::{Captures, Regex};
use std::{borrow::Cow, sync::LazyLock};

/// Pattern and placeholder, applied in this order.
static NOISE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    PATTERNS
        .iter()
        .filter_map(|(pattern, placeholder)| Some((Regex::new(pattern).ok()?, *placeholder)))
        .collect()
});

/// app.3f2a9c1b.js, style-0a1b2c3d.css.
static FILE_HASH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[._-](?P<hash>[0-9a-f]{8,64})(?P<dot>\.[a-z])").ok());

static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)\bhttps?://[^\s<>"“”]+"#).ok());

const TIME: &str = "⟨time⟩";
const AGE: &str = "⟨age⟩";
const COUNT: &str = "${unit}⟨count⟩";
const TOKEN: &str = "⟨token⟩";

const PATTERNS: &[(&str, &str)] = &[
    // Named values: csrf_token=…, nonce: "…", PHPSESSID=…, ;jsessionid=….
    (
        r#"(?i)\b(?P<name>(?:x-)?(?:csrf|xsrf)[a-z_-]*|nonce|phpsessid|jsessionid|session[_-]?id|sid|auth[_-]?token|access[_-]?token|request[_-]?id|trace[_-]?id|cf-ray)(?P<sign>\s?[=:]\s?)["']?[A-Za-z0-9_.+/=-]{4,512}["']?"#,
        "${name}${sign}⟨token⟩",
    ),
    // JSON web tokens, UUIDs, long hexadecimal numbers.
    (
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
        TOKEN,
    ),
    (
        r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
        TOKEN,
    ),
    (r"(?i)\b[0-9a-f]{24,128}\b", TOKEN),
    // The time of an ISO 8601 date, and clock times with their zone.
    (
        r"(?P<day>\b\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?\b",
        "${day} ⟨time⟩",
    ),
    (
        r"(?i)\b(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,6})?)?(?:\s?[ap]\.?m\b\.?)?(?:\s?(?:UTC|GMT|CES?T|MES?Z|E[SD]T|P[SD]T)\b)?",
        TIME,
    ),
    (r"(?i)\b(?:0?[1-9]|1[0-2])\s?[ap]\.?m\b\.?", TIME),
    // Relative times.
    (
        r"(?i)\b(?:\d{1,4}|an?|one|few|a few|several)\s?(?:s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?)\s+ago\b",
        AGE,
    ),
    (
        r"(?i)\b(?:just now|gerade eben|právě teď|práve teraz|à l'instant|ahora mismo|przed chwilą|только что)\b",
        AGE,
    ),
    (
        r"(?i)\bvor\s+(?:\d{1,4}|einer|einem|wenigen)\s+(?:sekunden?|minuten?|stunden?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)\b",
        AGE,
    ),
    (
        r"(?i)\bpře?d\s+(?:\d{1,4}\s+)?(?:sekundami|sekundou|minutami|minutou|hodinami|hodinou|dny|dnem|týdny|týdnem|měsíci|měsícem|lety|rokem)\b",
        AGE,
    ),
    (
        r"(?i)\bpred\s+(?:\d{1,4}\s+)?(?:sekundami|sekundou|minútami|minútou|hodinami|hodinou|dňami|dňom|týždňami|týždňom|mesiacmi|mesiacom|rokmi|rokom)\b",
        AGE,
    ),
    (
        r"(?i)\bhace\s+(?:\d{1,4}|una?|unos|unas)\s+(?:segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?)\b",
        AGE,
    ),
    (
        r"(?i)\bil y a\s+(?:\d{1,4}|une?|quelques)\s+(?:secondes?|minutes?|heures?|jours?|semaines?|mois|ans?|années?)\b",
        AGE,
    ),
    (
        r"(?i)\b(?:\d{1,4}|una?)\s+(?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi])\s+fa\b",
        AGE,
    ),
    (
        r"(?i)\b(?:\d{1,4}|een)\s+(?:seconden?|minu(?:ut|ten)|uur|dag(?:en)?|we(?:ek|ken)|maand(?:en)?|ja(?:ar|ren))\s+geleden\b",
        AGE,
    ),
    (
        r"(?i)\b(?:\d{1,4}\s+)?(?:секунд[уы]?|минут[уы]?|час(?:а|ов)?|д(?:ень|ня|ней)|недел[юиь]|месяц(?:а|ев)?|год(?:а)?|лет)\s+назад\b",
        AGE,
    ),
    (
        r"(?i)\b(?:\d{1,4}|egy|néhány)\s+(?:másodperc|perc|óra|órá|nap|hét|het|hónap|hónapj|év)[a-zá-ű]{0,4}\s+ezelőtt\b|\b\d{1,4}\s+(?:másodperce|perce|órája|napja|hete|hónapja|éve)\b",
        AGE,
    ),
    (
        r"(?i)\b(?:\d{1,4}\s+)?(?:sekund[yę]?|minut[yę]?|godzin[yę]?|dni|dzień|tygodni[e]?|tydzień|miesi(?:ąc|ące|ęcy)|lata?|rok)\s+temu\b",
        AGE,
    ),
    // Counters: the number before its unit, and after it.
    (
        r"(?i)\b\d{1,3}(?:[.,\u{a0}\u{202f} ]?\d{3}){0,4}(?:[.,]\d)?\s?[km]?\s(?P<unit>(?:page\s)?views?|visits?|visitors?|likes?|comments?|shares?|downloads?|followers?|subscribers?|votes?|replies|ratings?|reads?|online|aufrufe|besucher|kommentare?|zobrazení|zhlédnutí|komentářů|komentáře|komentárov|stažení|stiahnutí|visitas|vistas|comentarios?|vues|commentaires?|visualizzazioni|commenti|weergaven|reacties|просмотр(?:а|ов)?|комментари(?:й|я|ев)|megtekintés|hozzászólás|wyświetle(?:ń|nia)|komentarzy)\b",
        "⟨count⟩ ${unit}",
    ),
    (
        r"(?i)\b(?P<unit>(?:views|visits|visitors|likes|comments|downloads|followers|votes|online|aufrufe|besucher|zobrazení|zhlédnutí|visitas|vues|visualizzazioni|weergaven|просмотров|megtekintések|wyświetleń):\s?)\d{1,3}(?:[.,\u{a0}\u{202f} ]?\d{3}){0,4}\b",
        COUNT,
    ),
];

/// Blocks (lines) that become empty are dropped.
pub fn without_noise(text: &str) -> String {
    let lines = text.lines().map(|line| clean_line(&collapsed(line)));
    let kept: Vec<String> = lines.filter(|it| !it.is_empty()).collect();
    kept.join("\n")
}

/// Bundlers' hashes in file names: hexadecimal, 8 to 64 characters, with letters and digits. Numbers stay.
pub fn without_content_hash(url: &str) -> String {
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    let host = path.find("://").map_or(0, |it| it + 3);
    let name = path[host..].rfind('/').map(|it| host + it + 1);
    match name {
        Some(at) => {
            let (folder, file, rest) = (&url[..at], &path[at..], &url[path.len()..]);
            format!("{folder}{}{rest}", without_file_hashes(file))
        }
        None if host == 0 => format!("{}{}", without_file_hashes(path), &url[path.len()..]),
        None => url.to_owned(),
    }
}

fn clean_line(line: &str) -> String {
    let Some(address) = ADDRESS.as_ref().filter(|_| line.contains("://")) else {
        return clean_words(line);
    };
    let (mut clean, mut end) = (String::with_capacity(line.len()), 0);
    for found in address.find_iter(line) {
        clean.push_str(&clean_words(&line[end..found.start()]));
        clean.push_str(&without_content_hash(found.as_str()));
        end = found.end();
    }
    clean.push_str(&clean_words(&line[end..]));
    clean
}

fn clean_words(words: &str) -> String {
    let mut words = without_file_hashes(words);
    for (pattern, placeholder) in NOISE.iter() {
        if let Cow::Owned(replaced) = pattern.replace_all(&words, *placeholder) {
            words = Cow::Owned(replaced);
        }
    }
    words.into_owned()
}

fn without_file_hashes(text: &str) -> Cow<'_, str> {
    let Some(pattern) = FILE_HASH.as_ref() else {
        return Cow::Borrowed(text);
    };
    pattern.replace_all(text, |found: &Captures<'_>| {
        let hash = &found["hash"];
        let has = |is: fn(&u8) -> bool| hash.as_bytes().iter().any(is);
        if has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) {
            format!(".⟨hash⟩{}", &found["dot"])
        } else {
            found[0].to_owned()
        }
    })
}

#[cfg(test)]
mod tests;
