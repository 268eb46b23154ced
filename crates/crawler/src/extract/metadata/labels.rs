//! Words that say what a date or a name is of: in class names, and in text in ten languages.

use super::{DateRole, names::phrases};
use crate::extract::{
    dom::{Dom, NodeId},
    main_text::Said,
};

/// Whether an element says that what is in it belongs to other pages or to comments.
pub fn leads_elsewhere(dom: &Dom, id: NodeId) -> bool {
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
    let said = Said::by(of("class")).and(Said::by_id(of("id")));
    said.comments || said.elsewhere
}

/// What the classes, the id and `itemprop` of an element say of a date in it; `None` when they do not
/// speak of dates.
pub fn role_of_names(dom: &Dom, id: NodeId) -> Option<DateRole> {
    if !dom.has_attributes(id) {
        return None;
    }
    let of = |name| dom.short_attribute(id, name).to_ascii_lowercase();
    let said = format!("{} {} {}", of("class"), of("id"), of("itemprop"));
    let says = |words: &[&str]| words.iter().any(|it| said.contains(it));
    if says(&[
        "modified", "updated", "lastmod", "last-mod", "changed", "revised",
    ]) {
        Some(DateRole::Modified)
    } else if says(&[
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
    ]) {
        Some(DateRole::Published)
    } else if says(&[
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
    ]) || said
        .split(|it: char| !it.is_alphanumeric())
        .any(|it| matches!(it, "time" | "meta" | "when" | "day"))
    {
        Some(DateRole::Unspecified)
    } else {
        None
    }
}

/// Words after which the date of a change stands, in lower case, between slashes
/// or line ends.
const MODIFIED: &str = "
updated / last modified / last change / last edited / modified / revised / reviewed
stand: / stand / aktualisiert / zuletzt geändert / letzte änderung / geändert am
mis à jour / mise à jour / modifié / actualizado / última actualización / modificado
aggiornato / ultimo aggiornamento / modificato / bijgewerkt / laatst gewijzigd
gewijzigd / aktualizováno / aktualizace / naposledy upraveno / upraveno
aktualizované / naposledy upravené / aktualizácia / zaktualizowano / aktualizacja
ostatnia modyfikacja / frissítve / frissült / utoljára módosítva / módosítva
";

/// Words after which the date of publication stands, in lower case.
const PUBLISHED: &str = "
published / posted / publication date / date: / written on / released
veröffentlicht / erstellt / erschienen / publiziert / datum: / geschrieben / publié
paru le / mis en ligne / posté / publicado / publicada / fecha: / pubblicato
pubblicata / data: / gepubliceerd / geplaatst / publikováno / zveřejněno / vydáno
vloženo / publikované / zverejnené / pridané / vydané / opublikowano / opublikowany
dodano / data publikacji / dieser artikel wurde / dieser beitrag wurde
geschrieben am / közzétéve / megjelent / publikálva / létrehozva
";

/// What a text says of a date in it, by the word that stands last before the date.
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
    fn the_last_word_before_a_date_says_what_it_is_of() {
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
