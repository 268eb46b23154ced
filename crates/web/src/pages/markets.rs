//! Form fields for country and language, with the names that they accept.

use domain::market::{COUNTRIES, Country, LANGUAGES, Language};
use maud::{Markup, html};
use std::{fmt::Display, sync::LazyLock};

#[derive(Debug, Clone, Copy)]
pub struct FieldNames {
    pub country: &'static str,
    pub language: &'static str,
}

static LISTS: LazyLock<Markup> = LazyLock::new(|| {
    let countries = names_with_codes(COUNTRIES, |code| Country::parse(code).ok(), Country::name);
    let languages = names_with_codes(LANGUAGES, |code| Language::parse(code).ok(), Language::name);
    html! {
        datalist #countries { (with_codes(&countries)) }
        datalist #languages { (with_codes(&languages)) }
    }
});

fn with_codes(named: &[(String, String)]) -> Markup {
    html! { @for (name, code) in named { option value=(name) data-code=(code) {} } }
}

/// Includes the datalists, so a page may call it only once.
pub fn fields(names: FieldNames, country: Country, language: Language) -> Markup {
    html! {
        label .field {
            span { "Country" }
            input name=(names.country) data-as="country" value=(country.name()) required maxlength="100" list="countries" autocomplete="off";
        }
        label .field {
            span { "Language" }
            input name=(names.language) data-as="language" value=(language.name()) required maxlength="100" list="languages" autocomplete="off";
        }
        (*LISTS)
    }
}

/// Name and code, sorted by name.
fn names_with_codes<T: Copy + Display>(
    codes: &str,
    parse: impl Fn(&str) -> Option<T>,
    name: impl Fn(T) -> &'static str,
) -> Vec<(String, String)> {
    let known = codes.split_whitespace().filter_map(parse);
    let mut named: Vec<(String, String)> = known
        .map(|it| (name(it).to_owned(), it.to_string()))
        .collect();
    named.sort_unstable();
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_listed_name_maps_to_its_code() {
        let countries = names_with_codes(COUNTRIES, |it| Country::parse(it).ok(), Country::name);
        let languages = names_with_codes(LANGUAGES, |it| Language::parse(it).ok(), Language::name);
        assert_eq!((countries.len(), languages.len()), (249, 184));
        for (name, code) in &countries {
            assert_eq!(Country::named(name).unwrap().to_string(), *code, "{name}");
        }
        for (name, code) in &languages {
            assert_eq!(Language::named(name).unwrap().to_string(), *code, "{name}");
        }
        let distinct =
            |of: &[(String, String)]| of.iter().map(|it| &it.0).collect::<BTreeSet<_>>().len();
        assert_eq!((distinct(&countries), distinct(&languages)), (249, 184));
        assert!(countries.contains(&("Germany".to_owned(), "de".to_owned())));
    }
}
