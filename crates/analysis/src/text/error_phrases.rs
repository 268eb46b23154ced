use super::words::words;

/// Contained in the title or first heading, in lower case.
const PHRASES: &[&str] = &[
    // en
    "page not found",
    "404 not found",
    "not found 404",
    "error 404",
    "404 error",
    "http 404",
    "file not found",
    "page cannot be found",
    "page could not be found",
    "page can't be found",
    "page does not exist",
    "page doesn't exist",
    "page no longer exists",
    "page is unavailable",
    // cs
    "stránka nenalezena",
    "stránka nebyla nalezena",
    "stránka neexistuje",
    "chyba 404",
    "stránku se nepodařilo najít",
    // sk
    "stránka sa nenašla",
    "stránka nebola nájdená",
    "stránku sa nepodarilo nájsť",
    // de
    "seite nicht gefunden",
    "seite wurde nicht gefunden",
    "seite existiert nicht",
    "fehler 404",
    // es
    "página no encontrada",
    "página no existe",
    "no se encuentra la página",
    // hu
    "az oldal nem található",
    "oldal nem található",
    "a keresett oldal nem",
    // fr, it, pl, nl, pt
    "page introuvable",
    "page non trouvée",
    "erreur 404",
    "pagina non trovata",
    "errore 404",
    "nie znaleziono strony",
    "strona nie istnieje",
    "strona nie została znaleziona",
    "pagina niet gevonden",
    "página não encontrada",
    "erro 404",
];

/// Compared with the whole title or heading.
const WHOLE: &[&str] = &[
    "404",
    "not found",
    "nenalezeno",
    "nicht gefunden",
    "no encontrado",
];

pub fn names_an_error_page(title: &str) -> bool {
    let text = words(&title.to_lowercase()).collect::<Vec<_>>().join(" ");
    let padded = format!(" {text} ");
    WHOLE.contains(&text.as_str()) || PHRASES.iter().any(|it| padded.contains(&format!(" {it} ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_pages_are_known_in_several_languages() {
        for title in [
            "404 - Page Not Found | Shop",
            "Stránka nenalezena",
            "Seite nicht gefunden – Firma",
            "Az oldal nem található",
            "404",
            "Error 404 (Not Found)!!1",
        ] {
            assert!(names_an_error_page(title), "{title}");
        }
    }

    #[test]
    fn articles_about_errors_are_no_error_pages() {
        for title in [
            "Appendix A. PostgreSQL Error Codes",
            "How to find lost pages",
            "Room 404 in Berlin",
            "Lost and Not Found",
        ] {
            assert!(!names_an_error_page(title), "{title}");
        }
    }
}
