use super::{Group, ResultContext, ResultPage};
use crate::pages::{PageError, charts::stacked_bar, components};
use analysis::findings::content_changes::{
    ChangeClass, ChangeRecord, ContentChangesSummary, FieldValue,
};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Content changes",
    short: Some("Changes"),
    question: "What changed on our pages, and how much does it matter?",
    unit: "pages",
    icon: "changes",
    rows: 50,
};

const fn change_tag(it: ChangeClass) -> (&'static str, &'static str) {
    match it {
        ChangeClass::None => ("", "unchanged"),
        ChangeClass::Trivial => ("", "trivial"),
        ChangeClass::Minor => ("info", "minor"),
        ChangeClass::Moderate => ("warn", "moderate"),
        ChangeClass::Major => ("bad", "major"),
    }
}

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<ChangeRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<ContentChangesSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<ChangeRecord> = found.chosen_page().await?;
    let changed = |it: &&ChangeRecord| it.changed == Some(true);
    if let Some(it) = chosen.as_ref().or_else(|| records.iter().find(changed)) {
        body.push(record_card(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &ContentChangesSummary) -> Markup {
    let of = |class: ChangeClass| u64::from(it.by_class.get(&class).copied().unwrap_or(0));
    let stats = components::stats(vec![
        components::stat(
            "Changed",
            components::count(it.changed.into()),
            &format!("of {} pages", it.pages),
        ),
        components::stat(
            "Major",
            components::count(of(ChangeClass::Major)),
            "such as a page that may no longer be indexed",
        ),
        components::stat(
            "Not read",
            components::count(it.unread.into()),
            "a failed look is not a change",
        ),
        components::stat(
            "To and fro",
            components::count(it.flapping.into()),
            "pages that alternate, as in an A/B test",
        ),
    ]);
    let bar = stacked_bar(
        "Pages by how much changed",
        &[
            ("major", of(ChangeClass::Major), 5),
            ("moderate", of(ChangeClass::Moderate), 2),
            ("minor", of(ChangeClass::Minor), 4),
            ("trivial", of(ChangeClass::Trivial), 3),
            ("unchanged", of(ChangeClass::None), 6),
        ],
    );
    let fields = it
        .by_field
        .iter()
        .map(|(field, count)| format!("{} {count}", components::humanize_value(field)));
    let note = fields.collect::<Vec<_>>().join(" · ");
    html! { (stats) (components::card("How much changed", &note, bar)) }
}

fn value(it: Option<&FieldValue>) -> String {
    match it {
        None => "nothing".to_owned(),
        Some(FieldValue::Flag(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
        Some(FieldValue::Number(number)) => number.to_string(),
        Some(FieldValue::Text(text)) => text.clone(),
        Some(FieldValue::List(list)) => list.join("\n"),
    }
}

fn record_card(it: &ChangeRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let (class, name) = it.change_class.map_or(("", "not known"), change_tag);
    let text = it.text_diff.iter().map(|it| {
        let (before, after) = (
            it.before.as_deref().unwrap_or_default(),
            it.after.as_deref().unwrap_or_default(),
        );
        let same = before == after;
        let (removed, added) = (!same && !before.is_empty(), !same && !after.is_empty());
        pair(before, after, removed, added)
    });
    let facts = components::pairs(vec![
        ("Address", components::external_link(url)),
        ("From", components::date_time(it.from_at)),
        ("To", components::date_time(it.to_at)),
        (
            "Significance",
            components::optional_number(it.significance, 0),
        ),
        ("Text alike", components::percent(it.similarity)),
        ("Words added", components::optional_count(it.added_words)),
        (
            "Words removed",
            components::optional_count(it.removed_words),
        ),
        (
            "Changes in 30 days",
            components::optional_number(it.change_frequency.changes_per_30d, 1),
        ),
    ]);
    let inside = html! {
        div .page {
            (facts)
            @for it in &it.fields {
                p .small { (components::humanize_capitalized(&components::api_name(&it.name))) }
                div .diff { (pair(&value(it.before.as_ref()), &value(it.after.as_ref()), true, true)) }
            }
            @if it.text_diff.is_empty() {
                p .soft .small { "The main text is the same." }
            } @else {
                p .small { "Main text: before on the left, after on the right" }
                div .diff { @for pair in text { (pair) } }
            }
            @if it.text_diff_left_out > 0 {
                p .soft .small { (it.text_diff_left_out) " more differences are not shown." }
            }
        }
    };
    components::card_with_aside(
        &components::url_path(url),
        "",
        components::tag(class, name),
        inside,
    )
}

fn pair(before: &str, after: &str, removed: bool, added: bool) -> Markup {
    html! {
        div {
            p class=[removed.then_some("was")] { @if removed { del { (before) } } @else { (before) } }
            p class=[added.then_some("is")] { @if added { ins { (after) } } @else { (after) } }
        }
    }
}

fn table(found: &ResultContext<'_>, records: &[ChangeRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let (class, name) = it.change_class.map_or(("", "not known"), change_tag);
        let fields = { it.fields.iter().take(4) }
            .map(|it| components::tag("", &components::humanize_value(&it.name)));
        components::row(vec![
            components::link(
                &found.url_with_parameter("url", url),
                &components::url_path(url),
            ),
            components::tag(class, name),
            components::optional_number(it.significance, 0),
            components::tags(fields).unwrap_or_else(|| components::text("–")),
            components::optional_count(it.added_words),
            components::optional_count(it.removed_words),
            components::ago(it.to_at),
        ])
    });
    let columns = vec![
        components::text_column("Page"),
        components::text_column("Change"),
        components::number_column("Significance"),
        components::text_column("What"),
        components::number_column("Words added"),
        components::number_column("Removed"),
        components::text_column("Looked at"),
    ];
    found.records_card(
        "All pages",
        "Choose a page to see what was there before and what is there now.",
        columns,
        rows,
    )
}
