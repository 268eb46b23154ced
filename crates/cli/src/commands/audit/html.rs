//! An audit as one self-contained HTML page: no scripts, no other files, printable.

use super::details::{Details, details};
use super::findings::{AuditFindings, PageLine};
use super::rendering::RenderStatus;
use super::speed::{SPEED_COLUMNS, speed_row};
use super::wire_name;
use crate::terminal::escape_controls;
use analysis::findings::broken_links::{BrokenLink, Severity};
use analysis::findings::issues::info;
use analysis::findings::vitals::VitalsRecord;
use chrono::{DateTime, Utc};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const MAX_LINKS: usize = 500;

const STYLE: &str = include_str!("report.css");

pub(super) fn page(
    url: &str,
    at: DateTime<Utc>,
    found: &AuditFindings,
    rendered: &RenderStatus,
) -> anyhow::Result<String> {
    let broken = found.link_records.first(MAX_LINKS)?;
    let title = format!("Site audit of {url}");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p { "Read on " (at.format("%-d %B %Y, %H:%M")) " UTC by Sightline " (env!("CARGO_PKG_VERSION")) "." }
                    p { (rendered.describe(&found.content)) }
                }
                main {
                    (scores(found))
                    (issues(found))
                    @for part in details(found) { (detail(&part)) }
                    (speed(&found.vitals))
                    (changes(found))
                    (unread(found))
                    (links(&broken, found.link_records.len()))
                    (pages(&found.pages, found.content.pages))
                }
                footer { p { "Severities: an error breaks something for visitors or search engines, a warning costs visibility, a notice is worth knowing. Scores from 0 to 100 summarize what is visible on the pages; search engines do not use them." } }
            }
        }
    };
    // The file may be printed to a terminal.
    Ok(escape_controls(&page.into_string()))
}

fn scores(found: &AuditFindings) -> Markup {
    let (content, schema, links) = (&found.content, &found.schema, &found.links);
    html! {
        section aria-labelledby="sum" {
            h2 id="sum" { "Summary" }
            dl .scores {
                (score("Site health", content.health_score, &format!("{} of {} pages have an error", content.pages_with_errors, content.pages)))
                (score("Content", content.average_content_score, &format!("mean of {} indexable pages", content.scored_pages)))
                (score("Structured data", schema.average_score, &format!("on {} of {} pages", schema.pages_with_data, schema.pages)))
                (score("Ready for AI answers", found.geo.site_score, &format!("{} indexable pages; the weights are Sightline's judgement", found.geo.indexable_pages)))
                (score("Evidence of trust", found.eeat.site_score, &format!("experience, expertise, authority; {} signals missing", found.eeat.missing.len())))
                div { dt { "Links" } dd { strong { (links.broken) } " broken" small { (links.checked) " targets checked, " (links.redirected) " redirected, " (links.unknown) " unknown" } } }
            }
        }
    }
}

fn score(name: &str, value: Option<f64>, note: &str) -> Markup {
    html! {
        div {
            dt { (name) }
            dd {
                @match value {
                    Some(value) => { strong { (format!("{value:.0}")) } " of 100" }
                    None => { "unknown" }
                }
                small { (note) }
            }
        }
    }
}

fn issues(found: &AuditFindings) -> Markup {
    let all = found.content.worst_first();
    html! {
        section aria-labelledby="issues" {
            h2 id="issues" { "Issues" }
            @if all.is_empty() { p { "No issues found." } }
            @for (code, count) in all {
                details {
                    summary {
                        (badge(count.severity)) " " (info(code).title) " "
                        small { (count.urls) @if count.urls == 1 { " URL" } @else { " URLs" } }
                    }
                    p { strong { "What to do: " } (info(code).what_to_do) }
                    @if !info(code).threshold.is_empty() { p { "From: " (info(code).threshold) } }
                    p { "Code " code { (code.as_str()) } ", rule of " (info(code).source) ". For example:" }
                    ul { @for url in &count.examples { li { (url_link(url)) } } }
                }
            }
        }
    }
}

fn detail(part: &Details) -> Markup {
    html! {
        section {
            h2 { (part.title) }
            table {
                tbody {
                    @for (label, figure) in &part.lines {
                        tr { th scope="row" { (label) } td { (figure) } }
                    }
                }
            }
        }
    }
}

fn speed(vitals: &[VitalsRecord]) -> Markup {
    html! {
        @if !vitals.is_empty() {
            section aria-labelledby="speed" {
                h2 id="speed" { "Web vitals" }
                table {
                    caption { "Page loads in a browser (lab), and field data (75th percentile of 28 days) if a source is configured" }
                    thead { tr { @for column in SPEED_COLUMNS { th scope="col" { (column) } } } }
                    tbody {
                        @for record in vitals {
                            tr { @for cell in speed_row(record) { td { (cell) } } }
                        }
                    }
                }
            }
        }
    }
}

fn changes(found: &AuditFindings) -> Markup {
    let compared = found.changes.as_ref().zip(found.kept_since);
    html! {
        @if let Some((changes, since)) = compared {
            section aria-labelledby="changes" {
                h2 id="changes" { "Changes" }
                p { (changes.changed) " of " (changes.pages) " pages changed since " (since.format("%-d %B %Y, %H:%M")) " UTC; " (changes.unread) " could not be compared." }
                @if !changes.most_changed.is_empty() {
                    table {
                        caption { "Pages with the most significant changes" }
                        thead { tr { th scope="col" { "Page" } th scope="col" { "Change" } th scope="col" { "Significance, of 100" } } }
                        tbody {
                            @for page in &changes.most_changed {
                                tr {
                                    td { (url_link(&page.url)) }
                                    td { (wire_name(page.change_class)) }
                                    td { @match page.significance { Some(it) => (format!("{it:.0}")), None => "–" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn unread(found: &AuditFindings) -> Markup {
    let content = &found.content;
    html! {
        @if content.unread_pages > 0 {
            section aria-labelledby="unread" {
                h2 id="unread" { "Not read" }
                p { (content.unread_pages) " URLs of the site returned an empty (noContent) or unreadable response. For example:" }
                ul { @for page in &content.unread_examples { li { (url_link(&page.url)) " (" (page.reason) ")" } } }
            }
        }
    }
}

fn links(records: &[BrokenLink], all: usize) -> Markup {
    html! {
        section aria-labelledby="links" {
            h2 id="links" { "Links" }
            @if records.is_empty() { p { "Every link that was checked works." } } @else {
                table {
                    caption { (list_caption(all, MAX_LINKS, "links")) }
                    thead { tr { th scope="col" { "Severity" } th scope="col" { "Verdict" } th scope="col" { "Target" } th scope="col" { "Linked from" } th scope="col" { "Line" } } }
                    tbody {
                        @for record in records {
                            tr {
                                td { (badge(record.severity)) }
                                td { (verdict(record)) }
                                td { (url_link(&record.target_url)) }
                                td { (url_link(&record.source_url)) }
                                td { (record.position.line) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn pages(pages: &[PageLine], all: u32) -> Markup {
    html! {
        section aria-labelledby="pages" {
            h2 id="pages" { "Pages" }
            table {
                caption { (list_caption(all as usize, pages.len(), "pages")) ", most issues first" }
                thead { tr { th scope="col" { "Page" } th scope="col" { "Content" } th scope="col" { "Errors" } th scope="col" { "Warnings" } th scope="col" { "Notices" } } }
                tbody {
                    @for page in pages {
                        tr {
                            td { (page.title()) br; (url_link(&page.url)) }
                            td { @match page.content_score { Some(score) => (format!("{score:.0}")), None => "–" } }
                            @for severity in [Severity::Error, Severity::Warning, Severity::Notice] { td { (page.count(severity)) } }
                        }
                    }
                }
            }
        }
    }
}

fn list_caption(all: usize, listed: usize, items: &str) -> String {
    if all > listed {
        format!("{listed} of {all} {items}; --json prints all")
    } else {
        format!("{all} {items}")
    }
}

fn badge(severity: Severity) -> Markup {
    let name = severity.name();
    html! { span class=(name) { (name) } }
}

/// Only http and https URLs become links.
fn url_link(url: &str) -> Markup {
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    html! {
        @if is_web { a href=(url) rel="noopener noreferrer nofollow" { (url) } } @else { span { (url) } }
    }
}

fn verdict(record: &BrokenLink) -> String {
    let verdict = wire_name(record.verdict);
    match record.status_code {
        Some(status) => format!("{verdict} {status}"),
        None => verdict,
    }
}
