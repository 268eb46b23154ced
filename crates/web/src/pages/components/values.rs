//! Numbers, times, URLs and changes: text for people, machine-readable values in attributes.

use super::{icon, non_empty};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use maud::{Markup, Render, html};
use serde::Serialize;
use std::fmt::{Display, Write as _};

pub fn text(text: impl Render) -> Markup {
    html! { (text) }
}

pub fn unknown() -> Markup {
    html! { span .soft title="not known" { "–" } }
}

/// With thousands separators.
pub fn number(value: f64, digits: usize) -> Markup {
    number_with_unit("", value, digits, "")
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn count(value: u64) -> Markup {
    number(value as f64, 0)
}

pub fn number_with_unit(before: &str, value: f64, digits: usize, after: &str) -> Markup {
    let shown = format_number(value, digits);
    html! {
        data value=(value) data-d=(digits) data-before=[non_empty(before)] data-after=[non_empty(after)] {
            (before) (shown) (after)
        }
    }
}

/// In English notation.
pub fn format_number(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    let mut shown = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    if let Some(rest) = rest {
        shown.push('.');
        shown.push_str(rest);
    }
    let is_zero = text.bytes().all(|it| matches!(it, b'0' | b'.'));
    if value < 0.0 && !is_zero {
        format!("−{shown}")
    } else {
        shown
    }
}

pub fn optional_number(value: Option<f64>, digits: usize) -> Markup {
    value.map_or_else(unknown, |it| number(it, digits))
}

pub fn optional_count(value: Option<impl Into<u64>>) -> Markup {
    value.map_or_else(unknown, |it| count(it.into()))
}

/// `value` is a fraction.
pub fn percent(value: Option<f64>) -> Markup {
    value.map_or_else(unknown, |it| {
        number_with_unit("", 100.0 * it, percent_digits(it), " %")
    })
}

fn percent_digits(fraction: f64) -> usize {
    usize::from(fraction.abs() < 0.1995 && fraction != 0.0)
}

pub fn ago(at: DateTime<Utc>) -> Markup {
    moment(at, "ago")
}

pub fn date_time(at: DateTime<Utc>) -> Markup {
    moment(at, "at")
}

fn moment(at: DateTime<Utc>, kind: &str) -> Markup {
    let machine = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    time(&machine, kind, at.format("%-d %b %Y, %H:%M UTC"))
}

pub fn day(day: NaiveDate) -> Markup {
    time(&day.to_string(), "day", day.format("%-d %b %Y"))
}

pub fn short_day(day: NaiveDate) -> Markup {
    time(&day.to_string(), "short", day.format("%-d %b"))
}

fn time(machine: &str, kind: &str, shown: impl Display) -> Markup {
    html! { time datetime=(machine) data-t=(kind) { (maud::display(shown)) } }
}

/// To a page of Sightline.
pub fn link(href: &str, text: &str) -> Markup {
    html! { a href=(href) { (text) } }
}

/// External link; plain text if it is not an HTTP URL.
pub fn external_link(url: &str) -> Markup {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    if is_http_url(&lower) {
        external_anchor(url, &shortened_url(url))
    } else {
        self::text(url)
    }
}

/// External link; the name alone if it is not an HTTP URL.
pub fn external_link_named(url: &str, name: &str) -> Markup {
    if is_http_url(url) {
        external_anchor(url, name)
    } else {
        self::text(name)
    }
}

fn is_http_url(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn external_anchor(href: &str, text: &str) -> Markup {
    html! { a .wrap href=(href) rel="noopener noreferrer nofollow" { (text) } }
}

/// Without scheme and trailing slash.
pub fn shortened_url(url: &str) -> String {
    let bare = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let bare = bare.unwrap_or(url);
    let bare = bare.strip_suffix('/').unwrap_or(bare);
    crate::shortened(bare, 110)
}

/// For columns with URLs of one site.
pub fn url_path(url: &str) -> String {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = bare.find('/').map_or("/", |at| &bare[at..]);
    crate::shortened(path, 90)
}

pub fn external_path_link(url: &str) -> Markup {
    if is_http_url(url) {
        external_anchor(url, &url_path(url))
    } else {
        self::text(url)
    }
}

pub fn tag(kind: &str, text: &str) -> Markup {
    html! { span class={ "tag " (kind) } { (text) } }
}

/// `None` if empty.
pub fn tags(tags: impl IntoIterator<Item = Markup>) -> Option<Markup> {
    let mut tags = tags.into_iter().peekable();
    tags.peek()?;
    Some(html! { span .tags { @for tag in tags { (tag) } } })
}

pub fn with_subtext(main: impl Render, sub: impl Render) -> Markup {
    html! { (main) span .sub { (sub) } }
}

/// A positive change is shown as an improvement. `None` without a change.
pub fn delta(change: Option<f64>, digits: usize, after: &str) -> Option<Markup> {
    let change = change?;
    let zero = format_number(change, digits)
        .bytes()
        .all(|it| matches!(it, b'0' | b'.'));
    let (class, picture, meaning) = match () {
        () if zero => ("flat", "", "unchanged"),
        () if change > 0.0 => ("up", "up", "better by"),
        () => ("down", "down", "worse by"),
    };
    Some(html! {
        span class={ "delta " (class) } {
            @if !picture.is_empty() { (icon(picture)) }
            span .out { (meaning) " " }
            @if zero { "±0" } @else { (number_with_unit("", change.abs(), digits, after)) }
        }
    })
}

/// What a change compares: the start, the keywords measured at both ends, and those added later.
pub fn comparison_note(days: u32, since: DateTime<Utc>, keywords: u64, added: u64) -> String {
    let same = if keywords == 1 { "keyword" } else { "keywords" };
    let mut text = format!(
        "vs {days} days ago ({}), same {keywords} {same}",
        since.format("%-d %b")
    );
    if added > 0 {
        let _ = write!(text, "; +{added} added since are not compared");
    }
    text
}

/// The API's name of the value, such as `redirectChain`.
pub fn api_name(it: &impl Serialize) -> String {
    match serde_json::to_value(it) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// `redirectChain` becomes “redirect chain”.
pub fn humanize(code: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for letter in code.chars() {
        if matches!(letter, '_' | '-' | '.') && before != ' ' {
            words.push(' ');
        } else if letter.is_uppercase() && before.is_lowercase() {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
        before = letter;
    }
    // The only abbreviation in our codes.
    match words.strip_prefix("ai ") {
        Some(rest) => format!("AI {rest}"),
        None => words,
    }
}

/// With an initial capital.
pub fn humanize_capitalized(code: &str) -> String {
    let words = humanize(code);
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// [`humanize`] of the value's [`code`].
pub fn humanize_value(it: &impl Serialize) -> String {
    humanize(&api_name(it))
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_text_and_machine_readable_values() {
        assert_eq!(format_number(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(
            (format_number(-0.04, 1), format_number(-12.0, 0)),
            ("0.0".to_owned(), "−12".to_owned())
        );
        assert_eq!(
            count(1_200).0,
            r#"<data value="1200" data-d="0">1,200</data>"#
        );
        assert_eq!(optional_number(None, 1).0, unknown().0);
    }

    #[test]
    fn hostile_text_is_escaped() {
        let hostile = r#""><script>alert(1)</script>"#;
        for html in [
            text(hostile),
            link("/", hostile),
            tag(hostile, hostile),
            external_link(hostile),
        ] {
            let html = html.into_string();
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.contains("\"><"), "{html}");
        }
    }

    #[test]
    fn only_http_urls_become_links() {
        assert!(
            external_link("https://a.example/x")
                .0
                .contains("href=\"https://a.example/x\"")
        );
        for wrong in [
            "javascript:alert(1)",
            "data:text/html,x",
            " https://x",
            "mailto:a@b",
        ] {
            assert!(!external_link(wrong).0.contains("href"), "{wrong}");
            assert!(!external_path_link(wrong).0.contains("href"), "{wrong}");
        }
    }

    #[test]
    fn codes_become_readable_words() {
        assert_eq!(humanize("redirectChain"), "redirect chain");
        assert_eq!(humanize_capitalized("people_also_ask"), "People also ask");
        assert_eq!(humanize("soft404"), "soft404");
    }
}
