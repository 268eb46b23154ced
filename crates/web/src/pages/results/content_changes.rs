use super::{Found, Group, ResultPage};
use crate::pages::{NoPage, charts::parts_bar, parts};
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

const fn sign(it: ChangeClass) -> (&'static str, &'static str) {
    match it {
        ChangeClass::None => ("", "unchanged"),
        ChangeClass::Trivial => ("", "trivial"),
        ChangeClass::Minor => ("info", "minor"),
        ChangeClass::Moderate => ("warn", "moderate"),
        ChangeClass::Major => ("bad", "major"),
    }
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<ChangeRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<ContentChangesSummary>() {
        body.push(figures(&it));
    }
    let chosen: Option<ChangeRecord> = found.chosen_page().await?;
    let changed = |it: &&ChangeRecord| it.changed == Some(true);
    if let Some(it) = chosen.as_ref().or_else(|| records.iter().find(changed)) {
        body.push(one(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &ContentChangesSummary) -> Markup {
    let of = |class: ChangeClass| u64::from(it.by_class.get(&class).copied().unwrap_or(0));
    let stats = parts::stats(vec![
        parts::stat(
            "Changed",
            parts::count(it.changed.into()),
            &format!("of {} pages", it.pages),
        ),
        parts::stat(
            "Major",
            parts::count(of(ChangeClass::Major)),
            "such as a page that may no longer be indexed",
        ),
        parts::stat(
            "Not read",
            parts::count(it.unread.into()),
            "a failed look is not a change",
        ),
        parts::stat(
            "To and fro",
            parts::count(it.flapping.into()),
            "pages that alternate, as in an A/B test",
        ),
    ]);
    let bar = parts_bar(
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
        .map(|(field, count)| format!("{} {count}", parts::said(field)));
    let told = fields.collect::<Vec<_>>().join(" · ");
    html! { (stats) (parts::card("How much changed", &told, bar)) }
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

fn one(it: &ChangeRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let (class, name) = it.change_class.map_or(("", "not known"), sign);
    let text = it.text_diff.iter().map(|it| {
        let (before, after) = (
            it.before.as_deref().unwrap_or_default(),
            it.after.as_deref().unwrap_or_default(),
        );
        let same = before == after;
        let (removed, added) = (!same && !before.is_empty(), !same && !after.is_empty());
        pair(before, after, removed, added)
    });
    let facts = parts::pairs(vec![
        ("Address", parts::outward(url)),
        ("From", parts::at(it.from_at)),
        ("To", parts::at(it.to_at)),
        ("Significance", parts::maybe(it.significance, 0)),
        ("Text alike", parts::percent(it.similarity)),
        ("Words added", parts::maybe_count(it.added_words)),
        ("Words removed", parts::maybe_count(it.removed_words)),
        (
            "Changes in 30 days",
            parts::maybe(it.change_frequency.changes_per_30d, 1),
        ),
    ]);
    let inside = html! {
        div .page {
            (facts)
            @for it in &it.fields {
                p .small { (parts::headed(&parts::code(&it.name))) }
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
    parts::card_with(&parts::path_of(url), "", parts::tag(class, name), inside)
}

fn pair(before: &str, after: &str, removed: bool, added: bool) -> Markup {
    html! {
        div {
            p class=[removed.then_some("was")] { @if removed { del { (before) } } @else { (before) } }
            p class=[added.then_some("is")] { @if added { ins { (after) } } @else { (after) } }
        }
    }
}

fn table(found: &Found<'_>, records: &[ChangeRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let (class, name) = it.change_class.map_or(("", "not known"), sign);
        let fields = { it.fields.iter().take(4) }.map(|it| parts::tag("", &parts::said(&it.name)));
        parts::row(vec![
            parts::link(&found.about("url", url), &parts::path_of(url)),
            parts::tag(class, name),
            parts::maybe(it.significance, 0),
            parts::tags(fields).unwrap_or_else(|| parts::text("–")),
            parts::maybe_count(it.added_words),
            parts::maybe_count(it.removed_words),
            parts::ago(it.to_at),
        ])
    });
    let columns = vec![
        parts::words("Page"),
        parts::words("Change"),
        parts::figures("Significance"),
        parts::words("What"),
        parts::figures("Words added"),
        parts::figures("Removed"),
        parts::words("Looked at"),
    ];
    found.listed(
        "All pages",
        "Choose a page to see what was there before and what is there now.",
        columns,
        rows,
    )
}
