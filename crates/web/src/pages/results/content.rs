use super::{Group, ResultContext, ResultPage};
use crate::pages::assignments::Assignments;
use crate::pages::charts::{bars, ring};
use crate::pages::components::Table;
use crate::pages::{PageError, components};
use analysis::findings::content::{ContentRecord, ContentSummary, SnippetText};
use analysis::findings::issues::{Severity, info};
use domain::assignment::AssignmentSubject;
use domain::rights::Right;
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

const fn severity_tag(it: Severity) -> (&'static str, &'static str) {
    match it {
        Severity::Error => ("bad", "error"),
        Severity::Warning => ("warn", "warning"),
        Severity::Notice => ("", "notice"),
    }
}

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<ContentRecord> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<ContentSummary>() {
        body.push(figures(&it));
        let assignments = if found.visit.may(Right::DetailsRead) {
            Some(Assignments::read(found.visit, found.project.id).await?)
        } else {
            None
        };
        body.push(issues(found, &it, assignments.as_ref()));
    }
    let chosen: Option<ContentRecord> = found.chosen_page().await?;
    if let Some(it) = &chosen {
        body.insert(0, record_card(it));
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &ContentSummary) -> Markup {
    let stats = components::stats(vec![
        components::stat(
            "Healthy pages",
            components::percent(it.health_score.map(|it| it / 100.0)),
            &format!("of {} pages are without an error", it.pages),
        ),
        components::stat(
            "Text score",
            components::optional_number(it.average_content_score, 1),
            "of 100, the mean of all pages",
        ),
        components::stat(
            "May be indexed",
            components::count(it.indexable_pages.into()),
            &format!("of {} pages; {} forbid it", it.pages, it.noindex_pages),
        ),
        components::stat(
            "Little text",
            components::count(it.thin_pages.into()),
            "pages that may say too little",
        ),
        components::stat(
            "Twice there",
            components::count(it.duplicate_pages.into()),
            "pages with nearly the same text as another",
        ),
        components::stat(
            "Not read",
            components::count(it.unread_pages.into()),
            "pages that did not answer as pages",
        ),
    ]);
    // A page may have all three, so a stacked bar would be wrong.
    let of_all = |name: &str, pages: u32| {
        let value = components::text(format_args!("{pages} of {}", it.pages));
        (components::text(name), value, f64::from(pages), false)
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
    html! { (stats) (components::card("Pages with something to fix", &languages, bar)) }
}

fn issues(
    found: &ResultContext<'_>,
    it: &ContentSummary,
    assignments: Option<&Assignments>,
) -> Markup {
    if it.issues.is_empty() {
        return super::no_results(
            "No issues",
            "Nothing of the catalogue was found on these pages.",
        );
    }
    let mut issues: Vec<_> = it.issues.iter().collect();
    issues.sort_by_key(|(_, it)| (it.severity, std::cmp::Reverse(it.urls)));
    let rows = issues.into_iter().map(|(code, it)| {
        let info = info(*code);
        let (class, severity) = severity_tag(it.severity);
        let examples: Vec<Markup> = { it.examples.iter() }
            .take(3)
            .map(|it| {
                components::link(
                    &found.url_with_parameter("url", it),
                    &components::url_path(it),
                )
            })
            .collect();
        let mut cells = vec![
            components::with_subtext(info.title, info.what_to_do),
            components::tag(class, severity),
            components::count(it.urls.into()),
            components::count(it.occurrences.into()),
            components::list("", &examples),
        ];
        if let Some(assignments) = assignments {
            let subject = AssignmentSubject::issue(code.as_str());
            cells.push(assignments.owner(found.visit, found.project, &subject));
        }
        components::row(cells)
    });
    let mut columns = vec![
        components::text_column("Issue"),
        components::text_column("Severity"),
        components::number_column("Pages"),
        components::number_column("Times"),
        components::text_column("For example"),
    ];
    if assignments.is_some() {
        columns.push(components::text_column("Owner"));
    }
    components::table_card(
        "Issues",
        "What is wrong, how often, and what to do about it.",
        &Table::new("Issues", columns, rows.collect()).hide_caption(),
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
    components::with_subtext(
        text,
        format_args!("{} characters{width}{cut}{twice}", it.length),
    )
}

fn record_card(it: &ContentRecord) -> Markup {
    let url = it.envelope.url.as_deref().unwrap_or_default();
    let issues: Vec<Markup> = { it.issues.iter() }
        .map(|it| {
            let (class, severity) = severity_tag(it.severity);
            let detail = it
                .detail
                .as_deref()
                .map_or_else(String::new, |it| format!(": {it}"));
            html! { (components::tag(class, severity)) " " (info(it.code).title) (detail) }
        })
        .collect();
    let outline: Vec<Markup> = { it.headings.iter() }
        .take(40)
        .map(|it| {
            components::text(format_args!(
                "h{} {}",
                it.level,
                it.text.as_deref().unwrap_or("(empty)")
            ))
        })
        .collect();
    let reading = it
        .readability
        .score
        .map_or_else(components::unknown, |score| {
            let band = it.readability.band.as_ref().map_or_else(String::new, |it| {
                format!(", {}", components::humanize_value(it))
            });
            components::text(format_args!("{score:.0}{band}"))
        });
    let keyword = it.keyword.as_ref().map_or_else(components::unknown, |it| {
        components::text(format_args!(
            "“{}”, covered to {:.0} %",
            it.target, it.coverage_score
        ))
    });
    let nearest = it.uniqueness.nearest.as_ref().map_or_else(
        || components::text("none"),
        |it| html! { (components::external_path_link(&it.url)) (format_args!(" ({:.0} %)", 100.0 * it.similarity)) },
    );
    let facts = components::pairs(vec![
        ("Address", components::external_link(url)),
        ("Title", snippet(&it.title)),
        ("Description", snippet(&it.meta_description)),
        (
            "Kind",
            components::text(components::humanize_value(&it.page_type)),
        ),
        (
            "Words in the main text",
            components::optional_count(it.main_word_count),
        ),
        ("Readability", reading),
        ("Keyword", keyword),
        ("Nearest own page", nearest),
        (
            "Links from own pages",
            components::count(it.links.inlinks.into()),
        ),
        (
            "Clicks from the home page",
            components::count(it.links.depth.into()),
        ),
        (
            "Language",
            components::text(
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
        (components::list("stack small", &issues))
    };
    let inside = html! {
        (components::side_by_side("split", facts, side))
        (components::collapsible("Its headings", components::list("plain", &outline)))
    };
    components::card(&components::url_path(url), "", inside)
}

fn table(found: &ResultContext<'_>, records: &[ContentRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let url = it.envelope.url.as_deref().unwrap_or_default();
        let count = |of: Severity| it.issues.iter().filter(|it| it.severity == of).count() as u64;
        let signs = [Severity::Error, Severity::Warning, Severity::Notice]
            .into_iter()
            .filter(|it| count(*it) > 0);
        let signs = signs.map(|it| {
            components::tag(
                severity_tag(it).0,
                &format!("{} {}", count(it), severity_tag(it).1),
            )
        });
        components::row(vec![
            components::with_subtext(
                components::link(
                    &found.url_with_parameter("url", url),
                    &components::url_path(url),
                ),
                it.title.text.as_deref().unwrap_or("no title"),
            ),
            components::optional_number(it.content_score, 0),
            components::tags(signs).unwrap_or_else(|| components::tag("good", "nothing")),
            components::optional_count(it.main_word_count),
            components::optional_number(it.readability.score, 0),
            components::count(it.links.inlinks.into()),
            components::text(if it.indexable { "yes" } else { "no" }),
        ])
    });
    let columns = vec![
        components::text_column("Page"),
        components::number_column("Text score"),
        components::text_column("To fix"),
        components::number_column("Words"),
        components::number_column("Readability"),
        components::number_column("Links to it"),
        components::text_column("May be indexed"),
    ];
    found.records_card(
        "All pages",
        "Choose a page to see all that is known of it.",
        columns,
        rows,
    )
}
