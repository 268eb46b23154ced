//! Components: functions that return markup. `html!` escapes all text.

mod table;
mod values;

use maud::{Markup, Render, html};

pub use table::{Column, Row, Table, number_column, row, text_column};
pub use values::{
    ago, api_name, comparison_note, count, date_time, day, delta, external_link,
    external_link_named, external_path_link, format_number, humanize, humanize_capitalized,
    humanize_value, link, number, number_with_unit, optional_count, optional_number, percent,
    short_day, shortened_url, tag, tags, text, unknown, url_path, with_subtext,
};

/// For attributes that are omitted if empty.
fn non_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

pub fn pager(first: Option<&str>, next: Option<&str>, summary: &str) -> Markup {
    html! {
        @if first.is_some() || next.is_some() {
            nav .more aria-label="Pages of this list" {
                span { (summary) }
                span .row {
                    @if let Some(first) = first { a class="button slim" href=(first) { "To the first page" } }
                    @if let Some(next) = next { a class="button slim" href=(next) rel="next" { "Next page" } }
                }
            }
        }
    }
}

/// Decorative: hidden from screen readers, so it needs text beside it.
pub fn icon(name: &str) -> Markup {
    html! {
        svg viewBox="0 0 24 24" aria-hidden="true" {
            use href={ (crate::pages::assets::base()) "/sprite.svg#" (name) } {}
        }
    }
}

/// A text in a box, with an icon before it.
pub fn notice(kind: &str, picture: &str, body: impl Render) -> Markup {
    html! { p class={ "note-box " (kind) } { (icon(picture)) span { (body) } } }
}

pub fn remark(kind: &str, text: impl Render) -> Markup {
    notice(kind, "info", text)
}

/// For functions that need JavaScript.
pub fn noscript_note(text: &str) -> Markup {
    html! { noscript { p class="note-box warn" { (text) } } }
}

pub fn collapsible(summary: &str, body: impl Render) -> Markup {
    html! { details .fold { summary { (summary) } (body) } }
}

pub fn pairs(pairs: Vec<(&str, Markup)>) -> Markup {
    html! { dl .pairs { @for (name, value) in pairs { dt { (name) } dd { (value) } } } }
}

/// URL, label, and whether it is the current one.
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

/// Starts an analysis, then opens `then`.
pub fn start_analysis_button(kind: &str, project: i64, then: &str, text: &str) -> Markup {
    let body = serde_json::json!({ "type": kind, "projectId": project }).to_string();
    html! {
        button type="button" .main data-api="POST /api/analyses" data-body=(body) data-then=(then) {
            (icon("play")) (text)
        }
    }
}

pub fn api_button(
    class: &str,
    api: &str,
    body: &str,
    confirm: &str,
    then: &str,
    text: &str,
) -> Markup {
    html! {
        button type="button" class=(class) data-api=(api) data-body=[non_empty(body)] data-confirm=[non_empty(confirm)] data-then=[non_empty(then)] {
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
    /// `period` is shown only with a change.
    pub fn with_change(mut self, delta: Option<Markup>, period: &str) -> Self {
        if delta.is_some() {
            period.clone_into(&mut self.period);
        }
        self.delta = delta;
        self
    }
}

/// The first one is emphasized.
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
    title: &'a str,
    note: &'a str,
    aside: Markup,
    flush: bool,
}

impl Card<'_> {
    fn html(&self, body: impl Render) -> Markup {
        html! {
            section .card .flush[self.flush] {
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
    card_with_aside(title, note, Markup::default(), body)
}

/// `aside` is beside the heading.
pub fn card_with_aside(title: &str, note: &str, aside: Markup, body: impl Render) -> Markup {
    Card {
        title,
        note,
        aside,
        ..Card::default()
    }
    .html(body)
}

/// A table without padding around it.
pub fn table_card(title: &str, note: &str, table: &Table) -> Markup {
    table_card_with_aside(title, note, Markup::default(), table)
}

pub fn table_card_with_aside(title: &str, note: &str, aside: Markup, table: &Table) -> Markup {
    Card {
        title,
        note,
        aside,
        flush: true,
    }
    .html(table.html())
}

/// Shown instead of an empty list, with what to do about it.
pub fn empty_state(picture: &str, title: &str, text: &str, action: Option<Markup>) -> Markup {
    html! {
        section .empty {
            (icon(picture))
            h2 { (title) }
            p { (text) }
            @if let Some(action) = action { (action) }
        }
    }
}

/// Two columns; one on narrow screens.
pub fn side_by_side(class: &str, first: impl Render, second: impl Render) -> Markup {
    html! {
        div class=(class) {
            div .stack { (first) }
            div .stack { (second) }
        }
    }
}
