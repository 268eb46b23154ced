//! The components that pages are made of: functions that return markup. All text in it is escaped by `html!`.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use maud::{Markup, Render, html};
use serde::Serialize;
use std::fmt::{Display, Write as _};

/// For attributes that are not there when they are empty.
fn given(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

pub fn pager(first: Option<&str>, next: Option<&str>, told: &str) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav .more aria-label="Pages of this list" {
                span { (told) }
                span .row {
                    @if let Some(first) = first { a class="button slim" href=(first) { "To the first page" } }
                    @if let Some(next) = next { a class="button slim" href=(next) rel="next" { "Next page" } }
                }
            }
        }
    }
}

/// What it says has to stand beside it.
pub fn icon(name: &str) -> Markup {
    html! {
        svg viewBox="0 0 24 24" aria-hidden="true" {
            use href={ (crate::pages::assets::base()) "/sprite.svg#" (name) } {}
        }
    }
}

pub fn text(text: impl Render) -> Markup {
    html! { (text) }
}

/// Stands where nothing is known.
pub fn unknown() -> Markup {
    html! { span .soft title="not known" { "–" } }
}

/// With so many decimals, and thousands apart.
pub fn number(value: f64, digits: usize) -> Markup {
    written("", value, digits, "")
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn count(value: u64) -> Markup {
    number(value as f64, 0)
}

pub fn written(before: &str, value: f64, digits: usize, after: &str) -> Markup {
    let shown = grouped(value, digits);
    html! {
        data value=(value) data-d=(digits) data-before=[given(before)] data-after=[given(after)] {
            (before) (shown) (after)
        }
    }
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

pub fn maybe(value: Option<f64>, digits: usize) -> Markup {
    value.map_or_else(unknown, |it| number(it, digits))
}

pub fn maybe_count(value: Option<impl Into<u64>>) -> Markup {
    value.map_or_else(unknown, |it| count(it.into()))
}

/// `value` is a fraction.
pub fn percent(value: Option<f64>) -> Markup {
    value.map_or_else(unknown, |it| {
        written("", 100.0 * it, percent_digits(it), " %")
    })
}

fn percent_digits(fraction: f64) -> usize {
    usize::from(fraction.abs() < 0.1995 && fraction != 0.0)
}

pub fn ago(at: DateTime<Utc>) -> Markup {
    moment(at, "ago")
}

pub fn at(at: DateTime<Utc>) -> Markup {
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

/// Inside of Sightline.
pub fn link(href: &str, text: &str) -> Markup {
    html! { a href=(href) { (text) } }
}

/// Into the web; plain text when it is no address of a page.
pub fn outward(url: &str) -> Markup {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    if is_web(&lower) {
        into_the_web(url, &shortened_url(url))
    } else {
        self::text(url)
    }
}

/// Into the web; the name alone when it is no address of a page.
pub fn outward_as(url: &str, name: &str) -> Markup {
    if is_web(url) {
        into_the_web(url, name)
    } else {
        self::text(name)
    }
}

fn is_web(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

fn into_the_web(href: &str, text: &str) -> Markup {
    html! { a .wrap href=(href) rel="noopener noreferrer nofollow" { (text) } }
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

pub fn outward_path(url: &str) -> Markup {
    if is_web(url) {
        into_the_web(url, &path_of(url))
    } else {
        self::text(url)
    }
}

pub fn tag(kind: &str, text: &str) -> Markup {
    html! { span class={ "tag " (kind) } { (text) } }
}

/// `None` of none.
pub fn tags(tags: impl IntoIterator<Item = Markup>) -> Option<Markup> {
    let mut tags = tags.into_iter().peekable();
    tags.peek()?;
    Some(html! { span .tags { @for tag in tags { (tag) } } })
}

pub fn under(main: impl Render, sub: impl Render) -> Markup {
    html! { (main) span .sub { (sub) } }
}

/// More is better: the sign is that of an improvement. `None` without a change.
pub fn delta(change: Option<f64>, digits: usize, after: &str) -> Option<Markup> {
    let change = change?;
    let zero = grouped(change, digits)
        .bytes()
        .all(|it| matches!(it, b'0' | b'.'));
    let (class, picture, said) = match () {
        () if zero => ("flat", "", "unchanged"),
        () if change > 0.0 => ("up", "up", "better by"),
        () => ("down", "down", "worse by"),
    };
    Some(html! {
        span class={ "delta " (class) } {
            @if !picture.is_empty() { (icon(picture)) }
            span .out { (said) " " }
            @if zero { "±0" } @else { (written("", change.abs(), digits, after)) }
        }
    })
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

/// A sentence in a box, with an icon before it.
pub fn notice(kind: &str, picture: &str, body: impl Render) -> Markup {
    html! { p class={ "note-box " (kind) } { (icon(picture)) span { (body) } } }
}

pub fn remark(kind: &str, text: impl Render) -> Markup {
    notice(kind, "info", text)
}

/// For what nobody can do whose browser runs no scripts.
pub fn needs_scripts(text: &str) -> Markup {
    html! { noscript { p class="note-box warn" { (text) } } }
}

pub fn folded(summary: &str, body: impl Render) -> Markup {
    html! { details .fold { summary { (summary) } (body) } }
}

pub fn pairs(pairs: Vec<(&str, Markup)>) -> Markup {
    html! { dl .pairs { @for (name, value) in pairs { dt { (name) } dd { (value) } } } }
}

/// Address or name, and whether it is the one that is shown.
pub fn tabs(label: &str, tabs: &[(String, String, bool)]) -> Markup {
    html! {
        nav .tabs aria-label=(label) {
            @for (href, text, current) in tabs {
                a href=(href) aria-current=[current.then_some("page")] { (text) }
            }
        }
    }
}

pub fn list(class: &str, items: &[Markup]) -> Markup {
    if items.is_empty() {
        return unknown();
    }
    html! { ul class=(class) { @for it in items { li { (it) } } } }
}

/// Starts an analysis, and leads to `then`, where it shows.
pub fn starter(kind: &str, project: i64, then: &str, text: &str) -> Markup {
    let body = serde_json::json!({ "type": kind, "projectId": project }).to_string();
    html! {
        button type="button" .main data-api="POST /api/analyses" data-body=(body) data-then=(then) {
            (icon("play")) (text)
        }
    }
}

pub fn pressed(
    class: &str,
    api: &str,
    body: &str,
    confirm: &str,
    then: &str,
    text: &str,
) -> Markup {
    html! {
        button type="button" class=(class) data-api=(api) data-body=[given(body)] data-confirm=[given(confirm)] data-then=[given(then)] {
            (text)
        }
    }
}

pub fn main_link(href: &str, text: &str) -> Markup {
    html! { a class="button main" href=(href) { (text) } }
}

pub fn button_link(href: &str, text: &str) -> Markup {
    html! { a .button href=(href) { (text) } }
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

    fn side(&self) -> Option<&'static str> {
        self.right.then_some("r")
    }

    fn head(&self) -> Markup {
        html! {
            th scope="col" class=[self.side()] aria-sort=[self.order] {
                @if let Some(href) = &self.href {
                    a href=(href) {
                        (self.label)
                        @if let Some(order) = self.order {
                            (icon(if order == "ascending" { "up" } else { "down" }))
                        }
                    }
                } @else {
                    (self.label)
                }
            }
        }
    }
}

/// The first cell names it.
pub struct Row {
    cells: Vec<Markup>,
    own: bool,
}

pub fn row(cells: Vec<Markup>) -> Row {
    Row { cells, own: false }
}

impl Row {
    /// Marks it as about the project itself.
    pub fn own(mut self, own: bool) -> Self {
        self.own = own;
        self
    }
}

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
    pub fn new(caption: &str, columns: impl Into<Vec<Column>>, rows: Vec<Row>) -> Self {
        Self {
            caption: caption.to_owned(),
            caption_hidden: false,
            columns: columns.into(),
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

    pub fn html(&self) -> Markup {
        html! {
            div .scroll tabindex="0" role="group" aria-label=(self.caption) {
                table class=[self.cardy.then_some("cardy")] {
                    caption class=[self.caption_hidden.then_some("out")] { (self.caption) }
                    thead { tr { @for column in &self.columns { (column.head()) } } }
                    tbody {
                        @for row in &self.rows {
                            tr class=[row.own.then_some("own")] {
                                @for (at, cell) in row.cells.iter().enumerate() {
                                    @if at == 0 { th scope="row" { (cell) } } @else {
                                        @let column = &self.columns[at];
                                        td class=[column.side()] data-label=(column.label) { (cell) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            (pager(self.first.as_deref(), self.next.as_deref(), &self.told))
        }
    }
}

pub struct Stat {
    label: String,
    value: Markup,
    delta: Option<Markup>,
    period: String,
    note: String,
}

pub fn stat(label: &str, value: Markup, note: &str) -> Stat {
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
    pub fn moved(mut self, delta: Option<Markup>, period: &str) -> Self {
        if delta.is_some() {
            period.clone_into(&mut self.period);
        }
        self.delta = delta;
        self
    }
}

/// The first is the one that counts.
pub fn stats(stats: Vec<Stat>) -> Markup {
    html! {
        dl .tiles {
            @for (at, stat) in stats.into_iter().enumerate() {
                div .stat .first[at == 0] {
                    dt { (stat.label) }
                    dd { (stat.value) @if let Some(delta) = stat.delta { " " (delta) } }
                    @if !stat.period.is_empty() { dd class="note period" { (stat.period) } }
                    @if !stat.note.is_empty() { dd .note { (stat.note) } }
                }
            }
        }
    }
}

#[derive(Default)]
struct Card<'a> {
    id: &'a str,
    title: &'a str,
    note: &'a str,
    aside: Markup,
    flush: bool,
}

impl Card<'_> {
    fn html(&self, body: impl Render) -> Markup {
        html! {
            section .card .flush[self.flush] id=[given(self.id)] {
                @if !self.title.is_empty() {
                    header {
                        div {
                            h2 { (self.title) }
                            @if !self.note.is_empty() { p { (self.note) } }
                        }
                        (self.aside)
                    }
                }
                (body)
            }
        }
    }
}

pub fn card(title: &str, note: &str, body: impl Render) -> Markup {
    card_with(title, note, Markup::default(), body)
}

/// With something beside the heading.
pub fn card_with(title: &str, note: &str, aside: Markup, body: impl Render) -> Markup {
    Card {
        title,
        note,
        aside,
        ..Card::default()
    }
    .html(body)
}

/// Up to the edges.
pub fn card_of(title: &str, note: &str, table: &Table) -> Markup {
    card_of_with(title, note, Markup::default(), table)
}

/// With a place that addresses lead to.
pub fn card_of_at(id: &str, title: &str, note: &str, table: &Table) -> Markup {
    Card {
        id,
        title,
        note,
        flush: true,
        ..Card::default()
    }
    .html(table.html())
}

pub fn card_of_with(title: &str, note: &str, aside: Markup, table: &Table) -> Markup {
    Card {
        title,
        note,
        aside,
        flush: true,
        ..Card::default()
    }
    .html(table.html())
}

/// What stands where there is nothing yet, and what to do about it.
pub fn empty(picture: &str, title: &str, text: &str, action: Option<Markup>) -> Markup {
    html! {
        section .empty {
            (icon(picture))
            h2 { (title) }
            p { (text) }
            @if let Some(action) = action { (action) }
        }
    }
}

/// Beside each other; one under the other where there is no room.
pub fn side_by_side(class: &str, first: impl Render, second: impl Render) -> Markup {
    html! {
        div class=(class) {
            div .stack { (first) }
            div .stack { (second) }
        }
    }
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
            count(1_200).0,
            r#"<data value="1200" data-d="0">1,200</data>"#
        );
        assert_eq!(maybe(None, 1).0, unknown().0);
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
            let html = html.into_string();
            assert!(!html.contains("<script"), "{html}");
            assert!(!html.contains("\"><"), "{html}");
        }
    }

    #[test]
    fn only_addresses_of_pages_become_links() {
        assert!(
            outward("https://a.example/x")
                .0
                .contains("href=\"https://a.example/x\"")
        );
        for wrong in [
            "javascript:alert(1)",
            "data:text/html,x",
            " https://x",
            "mailto:a@b",
        ] {
            assert!(!outward(wrong).0.contains("href"), "{wrong}");
            assert!(!outward_path(wrong).0.contains("href"), "{wrong}");
        }
    }

    #[test]
    fn codes_are_told_in_words() {
        assert_eq!(in_words("redirectChain"), "redirect chain");
        assert_eq!(headed("people_also_ask"), "People also ask");
        assert_eq!(in_words("soft404"), "soft404");
    }
}
