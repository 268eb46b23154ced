//! Words that label dates and names: in class names, and in text of ten languages.

use super::{DateRole, names::phrases};
use crate::extract::dom::{Dom, NodeId};
use crate::extract::main_text::{NameSignalCache, NameSignals};
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

pub fn is_other_content<'a>(dom: &'a Dom, id: NodeId, cache: &mut NameSignalCache<'a>) -> bool {
    if matches!(dom.name(id), None | Some("html" | "body" | "main")) {
        return false;
    }
    if dom.name(id) == Some("nav") {
        return true;
    }
    if !dom.has_attributes(id) {
        return false;
    }
    let of = |name| dom.short_attribute(id, name);
    let signals = cache.get(of("class")).merge(NameSignals::from_id(of("id")));
    signals.comments || signals.navigational
}

/// Parts of names that indicate dates; earlier roles win.
const NAMES: [(DateRole, &[&str]); 3] = [
    (
        DateRole::Modified,
        &[
            "modified", "updated", "lastmod", "last-mod", "changed", "revised",
        ],
    ),
    (
        DateRole::Published,
        &[
            "publish",
            "publication",
            "pubdate",
            "posted",
            "created",
            "entry-date",
            "post-date",
            "postdate",
            "article-date",
            "article__date",
            "story-date",
            "issued",
        ],
    ),
    (
        DateRole::Unspecified,
        &[
            "date",
            "datum",
            "fecha",
            "timestamp",
            "dateline",
            "byline",
            "postmeta",
            "post-meta",
            "entry-meta",
            "article-meta",
            "meta-info",
        ],
    ),
];

/// Matches all of [`NAMES`] in one pass, because every element is tested; by pattern, the index in [`NAMES`].
static FINDER: LazyLock<(AhoCorasick, Vec<usize>)> = LazyLock::new(|| {
    let all = NAMES.iter().enumerate();
    let all = all.flat_map(|(at, (_, names))| names.iter().map(move |it| (*it, at)));
    let (names, places): (Vec<&str>, Vec<usize>) = all.unzip();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(names);
    (finder.expect("a few short names"), places)
});

/// Role of a date by its element's classes, id and `itemprop`; `None` when they do not indicate a date.
pub fn role_of_names(dom: &Dom, id: NodeId) -> Option<DateRole> {
    if !dom.has_attributes(id) {
        return None;
    }
    let names = ["class", "id", "itemprop"].map(|it| dom.short_attribute(id, it));
    let (finder, places) = &*FINDER;
    let found = names.iter().flat_map(|it| {
        let found = finder.find_overlapping_iter(it);
        found.map(|it| places[it.pattern().as_usize()])
    });
    if let Some(first) = found.min() {
        return Some(NAMES[first].0);
    }
    let is_word = |it: &str| {
        let words = ["time", "meta", "when", "day"];
        words.iter().any(|word| it.eq_ignore_ascii_case(word))
    };
    let mut words = names
        .iter()
        .flat_map(|it| it.split(|it: char| !it.is_alphanumeric()));
    words.any(is_word).then_some(DateRole::Unspecified)
}

/// Words before a modification date, in lower case, separated by slash or line.
const MODIFIED: &str = "
updated / last modified / last change / last edited / modified / revised / reviewed
stand: / stand / aktualisiert / zuletzt geändert / letzte änderung / geändert am
mis à jour / mise à jour / modifié / actualizado / última actualización / modificado
aggiornato / ultimo aggiornamento / modificato / bijgewerkt / laatst gewijzigd
gewijzigd / aktualizováno / aktualizace / naposledy upraveno / upraveno
aktualizované / naposledy upravené / aktualizácia / zaktualizowano / aktualizacja
ostatnia modyfikacja / frissítve / frissült / utoljára módosítva / módosítva
";

/// Words before a publication date, in lower case.
const PUBLISHED: &str = "
published / posted / publication date / date: / written on / released
veröffentlicht / erstellt / erschienen / publiziert / datum: / geschrieben / publié
paru le / mis en ligne / posté / publicado / publicada / fecha: / pubblicato
pubblicata / data: / gepubliceerd / geplaatst / publikováno / zveřejněno / vydáno
vloženo / publikované / zverejnené / pridané / vydané / opublikowano / opublikowany
dodano / data publikacji / dieser artikel wurde / dieser beitrag wurde
geschrieben am / közzétéve / megjelent / publikálva / létrehozva
";

/// Role of a date by the last label before it.
pub fn role_of_text(before: &str) -> Option<DateRole> {
    let before = before.to_lowercase();
    let last = |words: &str| phrases(words).filter_map(|it| before.rfind(it)).max();
    match (last(PUBLISHED), last(MODIFIED)) {
        (Some(published), Some(modified)) if published > modified => Some(DateRole::Published),
        (_, Some(_)) => Some(DateRole::Modified),
        (Some(_), None) => Some(DateRole::Published),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_label_before_a_date_decides_its_role() {
        for (text, role) in [
            ("Published by Ann on ", Some(DateRole::Published)),
            ("Published 1 May, updated ", Some(DateRole::Modified)),
            ("Zuletzt geändert am ", Some(DateRole::Modified)),
            ("Publikováno ", Some(DateRole::Published)),
            ("Frissítve: ", Some(DateRole::Modified)),
            ("The war began on ", None),
        ] {
            assert_eq!(role_of_text(text), role, "{text}");
        }
    }
}
