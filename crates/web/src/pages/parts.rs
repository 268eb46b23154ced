//! The small parts that pages are made of. Each is a template, so that all text in it is escaped.

use askama::{Template, filters::HtmlSafe};
use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use serde::Serialize;
use std::fmt::{self, Write as _};

/// Markup that came out of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl HtmlSafe for Html {}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Html {
    /// # Panics
    /// Never for the templates of this crate: nothing in them fails.
    pub fn of(template: &impl Template) -> Self {
        Self(template.render().expect("templates render"))
    }

    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut whole = String::new();
        for part in parts {
            whole.push_str(&part.0);
        }
        Self(whole)
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A template that stands in one line.
macro_rules! snippet {
    ($name:ident { $($field:ident : $kind:ty),* $(,)? } = $source:literal) => {
        #[derive(askama::Template)]
        #[template(source = $source, ext = "html")]
        struct $name<'a> { $($field: $kind,)* life: std::marker::PhantomData<&'a ()> }
    };
}
pub(crate) use snippet;

macro_rules! fill {
    ($name:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {
        $crate::pages::parts::Html::of(&$name { $($field $(: $value)?,)* life: std::marker::PhantomData })
    };
}
pub(crate) use fill;

snippet!(Icon { base: &'a str, name: &'a str } = r##"<svg viewBox="0 0 24 24" aria-hidden="true"><use href="{{ base }}/sprite.svg#{{ name }}"/></svg>"##);
snippet!(Plain { text: &'a str } = "{{ text }}");
snippet!(Number { value: f64, digits: usize, before: &'a str, shown: &'a str, after: &'a str } = r#"<data value="{{ value }}" data-d="{{ digits }}"{% if !before.is_empty() %} data-before="{{ before }}"{% endif %}{% if !after.is_empty() %} data-after="{{ after }}"{% endif %}>{{ before }}{{ shown }}{{ after }}</data>"#);
snippet!(Moment { at: &'a str, kind: &'a str, shown: &'a str } = r#"<time datetime="{{ at }}" data-t="{{ kind }}">{{ shown }}</time>"#);
snippet!(Anchor { href: &'a str, text: &'a str } = r#"<a href="{{ href }}">{{ text }}</a>"#);
snippet!(Outward { href: &'a str, text: &'a str } = r#"<a class="wrap" href="{{ href }}" rel="noopener noreferrer nofollow">{{ text }}</a>"#);
snippet!(Sign { kind: &'a str, text: &'a str } = r#"<span class="tag {{ kind }}">{{ text }}</span>"#);
snippet!(Under { main: &'a Html, sub: &'a Html } = r#"{{ main }}<span class="sub">{{ sub }}</span>"#);
snippet!(Moved { class: &'a str, picture: &'a str, said: &'a str, shown: &'a Html } = r#"<span class="delta {{ class }}">{% if !picture.is_empty() %}{{ crate::pages::parts::icon(picture) }}{% endif %}<span class="out">{{ said }} </span>{{ shown }}</span>"#);
snippet!(Wrapped { tag: &'a str, class: &'a str, body: &'a Html } = r#"<{{ tag }} class="{{ class }}">{{ body }}</{{ tag }}>"#);
snippet!(Paragraph { class: &'a str, text: &'a str } = r#"<p class="{{ class }}">{{ text }}</p>"#);
snippet!(Remarked { kind: &'a str, picture: &'a str, text: &'a str } = r#"<p class="note-box {{ kind }}">{{ crate::pages::parts::icon(picture) }}<span>{{ text }}</span></p>"#);
snippet!(Folded { summary: &'a str, body: &'a Html } = r#"<details class="fold"><summary>{{ summary }}</summary>{{ body }}</details>"#);
snippet!(Pairs { pairs: &'a [(String, Html)] } = r#"<dl class="pairs">{% for (name, value) in pairs %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}</dl>"#);
snippet!(Tabs { label: &'a str, links: &'a [(String, String, bool)] } = r#"<nav class="tabs" aria-label="{{ label }}">{% for (href, text, current) in links %}<a href="{{ href }}"{% if *current %} aria-current="page"{% endif %}>{{ text }}</a>{% endfor %}</nav>"#);
snippet!(Listed { class: &'a str, items: &'a [Html] } = r#"<ul class="{{ class }}">{% for it in items %}<li>{{ it }}</li>{% endfor %}</ul>"#);
snippet!(Starter { body: &'a str, then: &'a str, text: &'a str } = r#"<button type="button" class="main" data-api="POST /api/analyses" data-body="{{ body }}" data-then="{{ then }}">{{ crate::pages::parts::icon("play") }}{{ text }}</button>"#);
snippet!(Pressed { class: &'a str, api: &'a str, body: &'a str, confirm: &'a str, then: &'a str, text: &'a str } = r#"<button type="button" class="{{ class }}" data-api="{{ api }}"{% if !body.is_empty() %} data-body="{{ body }}"{% endif %}{% if !confirm.is_empty() %} data-confirm="{{ confirm }}"{% endif %}{% if !then.is_empty() %} data-then="{{ then }}"{% endif %}>{{ text }}</button>"#);
snippet!(MainLink { href: &'a str, text: &'a str } = r#"<a class="button main" href="{{ href }}">{{ text }}</a>"#);
snippet!(ButtonLink { href: &'a str, text: &'a str } = r#"<a class="button" href="{{ href }}">{{ text }}</a>"#);

snippet!(Pager { first: Option<&'a str>, next: Option<&'a str>, told: &'a str } = r#"{% if first.is_some() || next.is_some() %}<nav class="more" aria-label="Pages of this list"><span>{{ told }}</span><span class="row">{% if let Some(first) = first %}<a class="button slim" href="{{ first }}">To the first page</a>{% endif %}{% if let Some(next) = next %}<a class="button slim" href="{{ next }}" rel="next">Next page</a>{% endif %}</span></nav>{% endif %}"#);

pub fn pager(first: Option<&str>, next: Option<&str>, told: &str) -> Html {
    fill!(Pager { first, next, told })
}

/// What it says has to stand beside it.
pub fn icon(name: &str) -> Html {
    fill!(Icon {
        base: crate::pages::assets::base(),
        name
    })
}

pub fn text(text: &str) -> Html {
    fill!(Plain { text })
}

/// Stands where nothing is known.
pub fn unknown() -> Html {
    Html(r#"<span class="soft" title="not known">–</span>"#.to_owned())
}

/// With so many decimals, and thousands apart.
pub fn number(value: f64, digits: usize) -> Html {
    written("", value, digits, "")
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn count(value: u64) -> Html {
    number(value as f64, 0)
}

pub fn written(before: &str, value: f64, digits: usize, after: &str) -> Html {
    let shown = grouped(value, digits);
    fill!(Number {
        value,
        digits,
        before,
        shown: &shown,
        after
    })
}

/// A number as English writes it.
pub fn grouped(value: f64, digits: usize) -> String {
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

pub fn maybe(value: Option<f64>, digits: usize) -> Html {
    value.map_or_else(unknown, |it| number(it, digits))
}

pub fn maybe_count(value: Option<impl Into<u64>>) -> Html {
    value.map_or_else(unknown, |it| count(it.into()))
}

/// `value` is a fraction.
pub fn percent(value: Option<f64>) -> Html {
    value.map_or_else(unknown, |it| {
        written("", 100.0 * it, percent_digits(it), " %")
    })
}

fn percent_digits(fraction: f64) -> usize {
    usize::from(fraction.abs() < 0.1995 && fraction != 0.0)
}

pub fn ago(at: DateTime<Utc>) -> Html {
    moment(at, "ago")
}

pub fn at(at: DateTime<Utc>) -> Html {
    moment(at, "at")
}

fn moment(at: DateTime<Utc>, kind: &str) -> Html {
    let machine = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let shown = at.format("%-d %b %Y, %H:%M UTC").to_string();
    fill!(Moment {
        at: &machine,
        kind,
        shown: &shown
    })
}

pub fn day(day: NaiveDate) -> Html {
    let (machine, shown) = (day.to_string(), day.format("%-d %b %Y").to_string());
    fill!(Moment {
        at: &machine,
        kind: "day",
        shown: &shown
    })
}

pub fn short_day(day: NaiveDate) -> Html {
    let (machine, shown) = (day.to_string(), day.format("%-d %b").to_string());
    fill!(Moment {
        at: &machine,
        kind: "short",
        shown: &shown
    })
}

/// Inside of Sightline.
pub fn link(href: &str, text: &str) -> Html {
    fill!(Anchor { href, text })
}

/// Into the web; plain text when it is no address of a page.
pub fn outward(url: &str) -> Html {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        let shown = shortened_url(url);
        fill!(Outward {
            href: url,
            text: &shown
        })
    } else {
        self::text(url)
    }
}

/// Into the web; the name alone when it is no address of a page.
pub fn outward_as(url: &str, name: &str) -> Html {
    if url.starts_with("http://") || url.starts_with("https://") {
        fill!(Outward {
            href: url,
            text: name
        })
    } else {
        self::text(name)
    }
}

/// Without its scheme and a slash at the end.
pub fn shortened_url(url: &str) -> String {
    let bare = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let bare = bare.unwrap_or(url);
    let bare = bare.strip_suffix('/').unwrap_or(bare);
    crate::shortened(bare, 110)
}

/// For columns in which the site is always the same.
pub fn path_of(url: &str) -> String {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = bare.find('/').map_or("/", |at| &bare[at..]);
    crate::shortened(path, 90)
}

pub fn outward_path(url: &str) -> Html {
    if url.starts_with("http://") || url.starts_with("https://") {
        fill!(Outward {
            href: url,
            text: &path_of(url)
        })
    } else {
        self::text(url)
    }
}

pub fn tag(kind: &str, text: &str) -> Html {
    fill!(Sign { kind, text })
}

pub fn under(main: &Html, sub: &Html) -> Html {
    fill!(Under { main, sub })
}

/// More is better: the sign is that of an improvement. `None` without a change.
pub fn delta(change: Option<f64>, digits: usize, after: &str) -> Option<Html> {
    let change = change?;
    let zero = grouped(change, digits)
        .bytes()
        .all(|it| matches!(it, b'0' | b'.'));
    let (class, picture, said) = match () {
        () if zero => ("flat", "", "unchanged"),
        () if change > 0.0 => ("up", "up", "better by"),
        () => ("down", "down", "worse by"),
    };
    let shown = if zero {
        text("±0")
    } else {
        written("", change.abs(), digits, after)
    };
    Some(fill!(Moved {
        class,
        picture,
        said,
        shown: &shown
    }))
}

/// What a change compares: since when, the same keywords at both ends, and those that came later.
pub fn compared(days: u32, since: DateTime<Utc>, keywords: u64, added: u64) -> String {
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

pub fn wrapped(tag: &str, class: &str, body: &Html) -> Html {
    fill!(Wrapped { tag, class, body })
}

pub fn paragraph(class: &str, text: &str) -> Html {
    fill!(Paragraph { class, text })
}

pub fn remark(kind: &str, text: &str) -> Html {
    fill!(Remarked {
        kind,
        picture: "info",
        text
    })
}

pub fn folded(summary: &str, body: &Html) -> Html {
    fill!(Folded { summary, body })
}

pub fn pairs(pairs: Vec<(&str, Html)>) -> Html {
    let pairs: Vec<(String, Html)> = pairs
        .into_iter()
        .map(|(name, it)| (name.to_owned(), it))
        .collect();
    fill!(Pairs { pairs: &pairs })
}

/// Address or name, and whether it is the one that is shown.
pub fn tabs(label: &str, tabs: &[(String, String, bool)]) -> Html {
    fill!(Tabs { label, links: tabs })
}

pub fn list(class: &str, items: &[Html]) -> Html {
    if items.is_empty() {
        unknown()
    } else {
        fill!(Listed { class, items })
    }
}

/// Starts an analysis, and leads to `then`, where it shows.
pub fn starter(kind: &str, project: i64, then: &str, text: &str) -> Html {
    let body = serde_json::json!({ "type": kind, "projectId": project }).to_string();
    fill!(Starter {
        body: &body,
        then,
        text
    })
}

pub fn pressed(class: &str, api: &str, body: &str, confirm: &str, then: &str, text: &str) -> Html {
    fill!(Pressed {
        class,
        api,
        body,
        confirm,
        then,
        text
    })
}

pub fn main_link(href: &str, text: &str) -> Html {
    fill!(MainLink { href, text })
}

pub fn button_link(href: &str, text: &str) -> Html {
    fill!(ButtonLink { href, text })
}

/// The name in the API: `redirectChain`.
pub fn code(it: &impl Serialize) -> String {
    match serde_json::to_value(it) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// `redirectChain` is “redirect chain”.
pub fn in_words(code: &str) -> String {
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
    // The one abbreviation among our codes.
    match words.strip_prefix("ai ") {
        Some(rest) => format!("AI {rest}"),
        None => words,
    }
}

/// With a capital letter at its beginning.
pub fn headed(code: &str) -> String {
    let words = in_words(code);
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// [`in_words`] of the value's [`code`].
pub fn said(it: &impl Serialize) -> String {
    in_words(&code(it))
}

#[derive(Debug, Clone, Default)]
pub struct Column {
    label: String,
    right: bool,
    href: Option<String>,
    order: Option<&'static str>,
}

pub fn words(label: &str) -> Column {
    Column {
        label: label.to_owned(),
        ..Column::default()
    }
}

pub fn figures(label: &str) -> Column {
    Column {
        right: true,
        ..words(label)
    }
}

impl Column {
    /// Sorts through that link; `order` is how it is now.
    pub fn sorted(mut self, href: String, order: Option<&'static str>) -> Self {
        self.href = Some(href);
        self.order = order;
        self
    }
}

/// The first cell names it.
pub struct Row {
    cells: Vec<Html>,
    own: bool,
}

pub fn row(cells: Vec<Html>) -> Row {
    Row { cells, own: false }
}

impl Row {
    /// Marks it as about the project itself.
    pub fn own(mut self, own: bool) -> Self {
        self.own = own;
        self
    }
}

#[derive(Template)]
#[template(path = "table.html")]
pub struct Table {
    caption: String,
    caption_hidden: bool,
    columns: Vec<Column>,
    rows: Vec<Row>,
    cardy: bool,
    told: String,
    first: Option<String>,
    next: Option<String>,
}

impl Table {
    pub fn new(caption: &str, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Self {
            caption: caption.to_owned(),
            caption_hidden: false,
            columns,
            rows,
            cardy: true,
            told: String::new(),
            first: None,
            next: None,
        }
    }

    /// The name is read, not shown: the heading above says the same.
    pub fn named_above(mut self) -> Self {
        self.caption_hidden = true;
        self
    }

    /// At any width, for few short columns.
    pub fn tight(mut self) -> Self {
        self.cardy = false;
        self
    }

    pub fn paged(mut self, told: String, first: Option<String>, next: Option<String>) -> Self {
        self.told = told;
        self.first = first;
        self.next = next;
        self
    }

    pub fn html(&self) -> Html {
        Html::of(self)
    }
}

pub struct Stat {
    label: String,
    value: Html,
    delta: Option<Html>,
    period: String,
    note: String,
}

pub fn stat(label: &str, value: Html, note: &str) -> Stat {
    Stat {
        label: label.to_owned(),
        value,
        delta: None,
        period: String::new(),
        note: note.to_owned(),
    }
}

impl Stat {
    /// `period` is shown only beside a change.
    pub fn moved(mut self, delta: Option<Html>, period: &str) -> Self {
        if delta.is_some() {
            period.clone_into(&mut self.period);
        }
        self.delta = delta;
        self
    }
}

#[derive(Template)]
#[template(path = "stats.html")]
struct Stats {
    stats: Vec<Stat>,
}

/// The first is the one that counts.
pub fn stats(stats: Vec<Stat>) -> Html {
    Html::of(&Stats { stats })
}

#[derive(Template)]
#[template(path = "card.html")]
struct Card<'a> {
    id: &'a str,
    title: &'a str,
    note: &'a str,
    aside: Option<Html>,
    body: Html,
    flush: bool,
}

pub fn card(title: &str, note: &str, body: Html) -> Html {
    Html::of(&Card {
        id: "",
        title,
        note,
        aside: None,
        body,
        flush: false,
    })
}

/// With something beside the heading.
pub fn card_with(title: &str, note: &str, aside: Html, body: Html) -> Html {
    Html::of(&Card {
        id: "",
        title,
        note,
        aside: Some(aside),
        body,
        flush: false,
    })
}

/// Up to the edges.
pub fn card_of(title: &str, note: &str, table: &Table) -> Html {
    Html::of(&Card {
        id: "",
        title,
        note,
        aside: None,
        body: table.html(),
        flush: true,
    })
}

/// With a place that addresses lead to.
pub fn card_of_at(id: &str, title: &str, note: &str, table: &Table) -> Html {
    Html::of(&Card {
        id,
        title,
        note,
        aside: None,
        body: table.html(),
        flush: true,
    })
}

pub fn card_of_with(title: &str, note: &str, aside: Html, table: &Table) -> Html {
    Html::of(&Card {
        id: "",
        title,
        note,
        aside: Some(aside),
        body: table.html(),
        flush: true,
    })
}

#[derive(Template)]
#[template(path = "empty.html")]
struct Empty<'a> {
    picture: &'a str,
    title: &'a str,
    text: &'a str,
    action: Option<Html>,
}

/// What stands where there is nothing yet, and what to do about it.
pub fn empty(picture: &str, title: &str, text: &str, action: Option<Html>) -> Html {
    Html::of(&Empty {
        picture,
        title,
        text,
        action,
    })
}

/// One under another where there is no room.
pub fn side_by_side(class: &str, parts: Vec<Html>) -> Html {
    wrapped(
        "div",
        class,
        &Html::all(parts.into_iter().map(|it| wrapped("div", "stack", &it))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people_and_machines() {
        assert_eq!(grouped(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(
            (grouped(-0.04, 1), grouped(-12.0, 0)),
            ("0.0".to_owned(), "−12".to_owned())
        );
        assert_eq!(
            count(1_200).as_str(),
            r#"<data value="1200" data-d="0">1,200</data>"#
        );
        assert_eq!(maybe(None, 1), unknown());
    }

    #[test]
    fn hostile_text_stays_text() {
        let hostile = r#""><script>alert(1)</script>"#;
        for html in [
            text(hostile),
            link("/", hostile),
            tag(hostile, hostile),
            outward(hostile),
        ] {
            assert!(!html.as_str().contains("<script"), "{html}");
            assert!(!html.as_str().contains("\"><"), "{html}");
        }
    }

    #[test]
    fn only_addresses_of_pages_become_links() {
        assert!(
            outward("https://a.example/x")
                .as_str()
                .contains("href=\"https://a.example/x\"")
        );
        for wrong in [
            "javascript:alert(1)",
            "data:text/html,x",
            " https://x",
            "mailto:a@b",
        ] {
            assert!(!outward(wrong).as_str().contains("href"), "{wrong}");
            assert!(!outward_path(wrong).as_str().contains("href"), "{wrong}");
        }
    }

    #[test]
    fn codes_are_told_in_words() {
        assert_eq!(in_words("redirectChain"), "redirect chain");
        assert_eq!(headed("people_also_ask"), "People also ask");
        assert_eq!(in_words("soft404"), "soft404");
    }
}
