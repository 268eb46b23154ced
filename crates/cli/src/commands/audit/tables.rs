use super::details::details;
use super::rendering::Rendered;
use super::speed::{SPEED_COLUMNS, speed_row};
use super::{Found, word};
use crate::terminal::{say, shortened, show_table};
use analysis::findings::broken_links::{BrokenLink, Severity};
use analysis::findings::content::ContentSummary;
use analysis::findings::issues::info;
use analysis::findings::vitals::VitalsRecord;

const SHOWN: usize = 25;

const UNREAD_SHOWN: usize = 3;

pub(super) fn show(url: &str, found: &Found, rendered: &Rendered) -> anyhow::Result<()> {
    show_links(url, found)?;
    show_issues(&found.content);
    for part in details(found) {
        say(format!("\n{}", part.title));
        show_table(
            &["what", "how much"],
            part.lines.into_iter().map(|it| [it.0, it.1]),
        );
    }
    show_speed(&found.vitals);
    show_changes(found);
    show_sum(url, found, rendered);
    Ok(())
}

fn show_issues(content: &ContentSummary) {
    let issues = content.worst_first();
    if issues.is_empty() {
        return;
    }
    say(format!("\nIssues of pages: {} kinds", issues.len()));
    show_table(
        &["severity", "issue", "pages", "what is wrong", "for example"],
        issues.into_iter().map(|(code, count)| {
            [
                count.severity.name().to_owned(),
                code.as_str().to_owned(),
                count.urls.to_string(),
                info(code).title.to_owned(),
                shortened(count.examples.first().map_or("", String::as_str), 50),
            ]
        }),
    );
}

fn show_speed(vitals: &[VitalsRecord]) {
    if vitals.is_empty() {
        return;
    }
    say("\nHow fast pages are");
    show_table(&SPEED_COLUMNS, vitals.iter().map(speed_row));
}

fn show_changes(found: &Found) {
    let (Some(changes), Some(since)) = (&found.changes, found.kept_since) else {
        return;
    };
    say(format!(
        "\nSince {}: {} of {} pages changed; of {} nothing can be said.",
        since.format("%-d %B %Y, %H:%M UTC"),
        changes.changed,
        changes.pages,
        changes.unread
    ));
    if changes.most_changed.is_empty() {
        return;
    }
    show_table(
        &["page", "change", "significance"],
        changes.most_changed.iter().map(|it| {
            [
                shortened(&it.url, 80),
                word(it.change_class),
                of_100(it.significance),
            ]
        }),
    );
}

fn of_100(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"))
}

fn show_sum(url: &str, found: &Found, rendered: &Rendered) {
    let (content, schema) = (&found.content, &found.schema);
    let score = |score: Option<f64>| {
        score.map_or_else(|| "unknown".to_owned(), |it| format!("{it:.0} of 100"))
    };
    say(format!(
        "\n{url}: health {} ({} of {} pages with an error), content {}, structured data {} on {} pages, ready for AI answers {}, evidence of trust {}.",
        score(content.health_score),
        content.pages_with_errors,
        content.pages,
        score(content.average_content_score),
        score(schema.average_score),
        schema.pages_with_data,
        score(found.geo.site_score),
        score(found.eeat.site_score),
    ));
    if content.unread_pages > 0 {
        let examples = content.unread_examples.iter();
        let examples: Vec<String> = { examples.take(UNREAD_SHOWN) }
            .map(|it| format!("{} ({})", it.url, it.reason))
            .collect();
        say(format!(
            "{} addresses of the site answered with nothing, or with what could not be read: {}.",
            content.unread_pages,
            examples.join(", ")
        ));
    }
    say(rendered.told(content));
    say(
        "--json shows every record (and what scripts change), --html FILE writes a report that can be passed on.",
    );
}

fn show_links(url: &str, found: &Found) -> anyhow::Result<()> {
    for severity in [Severity::Error, Severity::Warning, Severity::Notice] {
        let count = found.link_records.count(severity);
        if count == 0 {
            continue;
        }
        say(format!("\n{}: {count}", heading(severity)));
        let records = found.link_records.first_of(severity, SHOWN)?;
        show_table(
            &["verdict", "target", "stands on", "line", "text"],
            records.iter().map(row),
        );
        if count > SHOWN {
            say(format!("… and {} more; --json shows all.", count - SHOWN));
        }
    }
    let summary = &found.links;
    say(format!(
        "\n{url}: {} pages read, {} link targets checked: {} fine, {} broken, {} suspect (failed once, other sites), {} redirected, {} restricted, {} unknown, {} not checked.",
        summary.pages_crawled,
        summary.checked,
        summary.ok,
        summary.broken,
        summary.suspect,
        summary.redirected,
        summary.restricted,
        summary.unknown,
        summary.not_checked
    ));
    Ok(())
}

fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "Errors",
        Severity::Warning => "Warnings",
        Severity::Notice => "Notices",
    }
}

fn row(record: &BrokenLink) -> [String; 5] {
    // The error is more informative than the status of an interrupted response.
    let status = match (&record.error_detail, record.status_code) {
        (Some(detail), _) => format!(" {detail}"),
        (None, Some(code)) => format!(" {code}"),
        (None, None) => String::new(),
    };
    [
        format!("{}{status}", word(record.verdict)),
        shortened(&record.target_url, 60),
        shortened(&record.source_url, 50),
        record.position.line.to_string(),
        shortened(record.anchor_text.as_deref().unwrap_or(""), 24),
    ]
}
