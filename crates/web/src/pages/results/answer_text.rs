//! An AI answer's text, with the project's names and links highlighted.

use analysis::ai_answers::brands::{BrandBook, OWN};
use maud::{Markup, html};

/// Renders Markdown links as their labels; marks links to the project's own sites and its names. All other text is
/// kept.
pub fn highlight_mentions(excerpt: &str, brands: &BrandBook) -> Markup {
    let names: Vec<&str> = brands.spelling_patterns(OWN).collect();
    let mut rest = excerpt;
    let links = std::iter::from_fn(|| {
        let (before, label, target, after) = link(rest)?;
        rest = after;
        Some((before, label, target))
    });
    let links: Vec<_> = links.collect();
    html! {
        @for (before, label, target) in links {
            (highlight_names(before, &names))
            @if brands.owner_of_url(target) == Some(OWN) { mark { (label) } } @else { (label) }
        }
        (highlight_names(rest, &names))
    }
}

/// Text before the link, label, target, text after it.
fn link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = text.find("](")?;
    let start = text[..middle].rfind('[')?;
    let target = &text[middle + 2..];
    let end = target.find(')')?;
    Some((
        &text[..start],
        &text[start + 1..middle],
        &target[..end],
        &target[end + 1..],
    ))
}

/// Marks the names, ignoring case.
fn highlight_names(text: &str, names: &[&str]) -> Markup {
    let mut rest = text;
    let found = std::iter::from_fn(|| {
        let (at, length) = first_name(rest, names)?;
        let (before, name) = rest[..at + length].split_at(at);
        rest = &rest[at + length..];
        Some((before, name))
    });
    let found: Vec<_> = found.collect();
    html! {
        @for (before, name) in found { (before) mark { (name) } }
        (rest)
    }
}

/// Offset and length in bytes. Compares by character, since lower case may be longer than upper case.
fn first_name(text: &str, names: &[&str]) -> Option<(usize, usize)> {
    text.char_indices().find_map(|(at, _)| {
        let begins_word = !text[..at].ends_with(char::is_alphanumeric);
        let found = names.iter().filter(|_| begins_word);
        let found = found.filter_map(|name| length_of(&text[at..], name));
        found.max().map(|length| (at, length))
    })
}

/// Length in bytes if the text begins with the name as a whole word.
fn length_of(text: &str, name: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    for wanted in name.chars() {
        let (_, found) = letters.next()?;
        if !found.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let (end, next) = letters.next().unwrap_or((text.len(), ' '));
    (!name.is_empty() && !next.is_alphanumeric()).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::ai_answers::brands::BrandSpec;
    use analysis::url_rules::{OwnSites, SiteScope};

    fn html(text: &str) -> String {
        let mut own = BrandSpec::named("Acme", "acme.com");
        own.aliases.push("ACM".to_owned());
        let competitor = BrandSpec::named("Best Acme", "bestacme.com");
        let book = BrandBook::of(&own, &[competitor], &[]);
        let sites = OwnSites::with_aliases(SiteScope::of("acme.com"), vec![]);
        highlight_mentions(text, &book.with_own_sites(sites)).into_string()
    }

    #[test]
    fn links_are_own_by_host_not_by_name() {
        assert_eq!(html("[A](https://bestacme.com/)"), "A");
        assert_eq!(html("[A](https://x.example/?ref=acme.com)"), "A");
        assert_eq!(html("[A](https://shop.acme.com/a)"), "<mark>A</mark>");
    }

    #[test]
    fn names_are_marked_as_whole_words_ignoring_case() {
        assert_eq!(html("By ACME."), "By <mark>ACME</mark>.");
        assert_eq!(html("See acme.com now"), "See <mark>acme.com</mark> now");
        assert_eq!(html("Acmeist, pacme"), "Acmeist, pacme");
        assert_eq!(html("an acm shoe"), "an <mark>acm</mark> shoe");
    }

    #[test]
    fn links_become_labels_and_own_links_are_marked() {
        assert_eq!(
            html("1. [Shop](https://acme.com/a) 2. [Other](https://o.example)"),
            "1. <mark>Shop</mark> 2. Other"
        );
        assert_eq!(html("[broken](https://a"), "[broken](https://a");
    }

    #[test]
    fn engine_output_is_escaped() {
        assert_eq!(
            html("<b>Acme</b> [<i>](javascript:1)"),
            "&lt;b&gt;<mark>Acme</mark>&lt;/b&gt; &lt;i&gt;"
        );
        assert_eq!(html("İstanbul Acme"), "İstanbul <mark>Acme</mark>");
    }
}
