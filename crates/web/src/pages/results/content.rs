use super::{Found, Group, ResultPage};
use crate::pages::charts::{bars, ring};
use crate::pages::parts::Table;
use crate::pages::{NoPage, parts};
use analysis::findings::content::{ContentRecord, ContentSummary, SnippetText};
use analysis::findings::issues::{Severity, info};
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Content",
    short: None,
    question: "Is the text of our pages good, complete and unique?",
    unit: "pages",
    icon: "content",
    rows: 30,
};

const fn sign(it: Severity) -> (&'static str, &'static str) {
    match it {
        Severity::Error => ("bad", "error"),
        Severity::Warning => ("warn", "warning"),
        Severity::Notice => ("", "notice"),
    }
}

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<ContentRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<ContentSummary>() {
        body.push(figures(&it));
        body.push(issues(found, &it));
    }
    let chosen: Option<ContentRecord> = found.chosen_page().await?;
    if let Some(it) = &chosen {
        body.insert(0, one(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &ContentSummary) -> Markup {
    let stats = parts::stats(vec![
        parts::stat(
            "Healthy pages",
            parts::percent(it.health_score.map(|it| it / 100.0)),
            &format!("of {} pages are without an error", it.pages),
        ),
        parts::stat(
            "Text score",
            parts::maybe(it.average_content_score, 1),
            "of 100, the mean of all pages",
        ),
        parts::stat(
            "May be indexed",
            parts::count(it.indexable_pages.into()),
            &format!("of {} pages; {} forbid it", it.pages, it.noindex_pages),
        ),
        parts::stat(
            "Little text",
            parts::count(it.thin_pages.into()),
            "pages that may say too little",
        ),
        parts::stat(
            "Twice there",
            parts::count(it.duplicate_pages.into()),
            "pages with nearly the same text as another",
        ),
        parts::stat(
            "Not read",
            parts::count(it.unread_pages.into()),
            "pages that did not answer as pages",
        ),
    ]);
    // A page may have all three, so a stacked bar would be wrong.
    let of_all = |name: &str, pages: u32| {
        let value = parts::text(format_args!("{pages} of {}", it.pages));
        (parts::text(name), value, f64::from(pages), false)
    };
    let bar = bars(&[
        of_all("with errors", it.pages_with_errors),
        of_all("with warnings", it.pages_with_warnings),
        of_all("with notices", it.pages_with_notices),
    ]);
    let languages = it
        .languages
        .iter()
        .map(|(language, count)| format!("{language} {count}"));
    let languages = format!("Languages: {}.", languages.collect::<Vec<_>>().join(", "));
    html! { (stats) (parts::card("Pages with something to fix", &languages, bar)) }
}

fn issues(found: &Found<'_>, it: &ContentSummary) -> Markup {
    if it.issues.is_empty() {
        return super::none(
            "No issues",
            "Nothing of the catalogue was found on these pages.",
        );
    }
    let mut issues: Vec<_> = it.issues.iter().collect();
    issues.sort_by_key(|(_, it)| (it.severity, std::cmp::Reverse(it.urls)));
    let rows = issues.into_iter().map(|(code, it)| {
        let info = info(*code);
        let (class, severity) = sign(it.severity);
        let examples: Vec<Markup> = { it.examples.iter() }
            .take(3)
            .map(|it| parts::link(&found.about("url", it), &parts::path_of(it)))
            .collect();
        parts::row(vec![
            parts::under(info.title, info.what_to_do),
            parts::tag(class, severity),
            parts::count(it.urls.into()),
            parts::count(it.occurrences.into()),
            parts::list("", &examples),
        ])
    });
    let columns = vec![
        parts::words("Issue"),
        parts::words("Severity"),
        parts::figures("Pages"),
        parts::figures("Times"),
        parts::words("For example"),
    ];
    parts::card_of(
        "Issues",
        "What is wrong, how often, and what to do about it.",
        &Table::new("Issues", columns, rows.collect()).named_above(),
    )
}

fn snippet(it: &SnippetText) -> Markup {
    let text = it.text.as_deref().unwrap_or("none");
    let width = it
        .pixel_width
        .map_or_else(String::new, |it| format!(", {it:.0} px"));
    let cut = if it.truncated { "; may be cut off" } else { "" };
    let twice = if it.duplicate_of.is_empty() {
        String::new()
    } else {
        format!("; the same on {} other pages", it.duplicate_of.len())
    };
    parts::under(
        text,
        format_args!("{} characters{width}{cut}{twice}", it.length),
    )
}

fn one(it: &ContentRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let issues: Vec<Markup> = { it.issues.iter() }
        .map(|it| {
            let (class, severity) = sign(it.severity);
            let detail = it
                .detail
                .as_deref()
                .map_or_else(String::new, |it| format!(": {it}"));
            html! { (parts::tag(class, severity)) " " (info(it.code).title) (detail) }
        })
        .collect();
    let outline: Vec<Markup> = { it.headings.iter() }
        .take(40)
        .map(|it| {
            parts::text(format_args!(
                "h{} {}",
                it.level,
                it.text.as_deref().unwrap_or("(empty)")
            ))
        })
        .collect();
    let reading = it.readability.score.map_or_else(parts::unknown, |score| {
        let band = it
            .readability
            .band
            .as_ref()
            .map_or_else(String::new, |it| format!(", {}", parts::said(it)));
        parts::text(format_args!("{score:.0}{band}"))
    });
    let keyword = it.keyword.as_ref().map_or_else(parts::unknown, |it| {
        parts::text(format_args!(
            "“{}”, covered to {:.0} %",
            it.target, it.coverage_score
        ))
    });
    let nearest = it.uniqueness.nearest.as_ref().map_or_else(
        || parts::text("none"),
        |it| html! { (parts::outward_path(&it.url)) (format_args!(" ({:.0} %)", 100.0 * it.similarity)) },
    );
    let facts = parts::pairs(vec![
        ("Address", parts::outward(url)),
        ("Title", snippet(&it.title)),
        ("Description", snippet(&it.meta_description)),
        ("Kind", parts::text(parts::said(&it.page_type))),
        (
            "Words in the main text",
            parts::maybe_count(it.main_word_count),
        ),
        ("Readability", reading),
        ("Keyword", keyword),
        ("Nearest own page", nearest),
        (
            "Links from own pages",
            parts::count(it.links.inlinks.into()),
        ),
        (
            "Clicks from the home page",
            parts::count(it.links.depth.into()),
        ),
        (
            "Language",
            parts::text(
                it.language
                    .detected
                    .as_deref()
                    .or(it.language.declared.as_deref())
                    .unwrap_or("not known"),
            ),
        ),
    ]);
    let side = html! {
        (ring("Text score", it.content_score))
        p .small .soft { "Issues of this page" }
        (parts::list("stack small", &issues))
    };
    let inside = html! {
        (parts::side_by_side("split", facts, side))
        (parts::folded("Its headings", parts::list("plain", &outline)))
    };
    parts::card(&parts::path_of(url), "", inside)
}

fn table(found: &Found<'_>, records: &[ContentRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let count = |of: Severity| it.issues.iter().filter(|it| it.severity == of).count() as u64;
        let signs = [Severity::Error, Severity::Warning, Severity::Notice]
            .into_iter()
            .filter(|it| count(*it) > 0);
        let signs =
            signs.map(|it| parts::tag(sign(it).0, &format!("{} {}", count(it), sign(it).1)));
        parts::row(vec![
            parts::under(
                parts::link(&found.about("url", url), &parts::path_of(url)),
                it.title.text.as_deref().unwrap_or("no title"),
            ),
            parts::maybe(it.content_score, 0),
            parts::tags(signs).unwrap_or_else(|| parts::tag("good", "nothing")),
            parts::maybe_count(it.main_word_count),
            parts::maybe(it.readability.score, 0),
            parts::count(it.links.inlinks.into()),
            parts::text(if it.indexable { "yes" } else { "no" }),
        ])
    });
    let columns = vec![
        parts::words("Page"),
        parts::figures("Text score"),
        parts::words("To fix"),
        parts::figures("Words"),
        parts::figures("Readability"),
        parts::figures("Links to it"),
        parts::words("May be indexed"),
    ];
    found.listed(
        "All pages",
        "Choose a page to see all that is known of it.",
        columns,
        rows,
    )
}
