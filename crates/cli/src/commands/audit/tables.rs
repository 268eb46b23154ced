use super::details::details;
use super::rendering::RenderStatus;
use super::speed::{SPEED_COLUMNS, speed_row};
use super::{AuditFindings, wire_name};
use crate::terminal::{print_line, print_table, truncate};
use analysis::findings::broken_links::{BrokenLink, Severity};
use analysis::findings::content::ContentSummary;
use analysis::findings::issues::info;
use analysis::findings::vitals::VitalsRecord;

const MAX_LINK_ROWS: usize = 25;

const MAX_UNREAD_EXAMPLES: usize = 3;

pub(super) fn show(
    url: &str,
    found: &AuditFindings,
    rendered: &RenderStatus,
) -> anyhow::Result<()> {
    show_links(url, found)?;
    show_issues(&found.content);
    for part in details(found) {
        print_line(format!("\n{}", part.title));
        print_table(
            &["what", "how much"],
            part.lines.into_iter().map(|it| [it.0, it.1]),
        );
    }
    show_speed(&found.vitals);
    show_changes(found);
    show_summary(url, found, rendered);
    Ok(())
}

fn show_issues(content: &ContentSummary) {
    let issues = content.worst_first();
    if issues.is_empty() {
        return;
    }
    print_line(format!("\nIssues of pages: {} kinds", issues.len()));
    print_table(
        &["severity", "issue", "pages", "problem", "example"],
        issues.into_iter().map(|(code, count)| {
            [
                count.severity.name().to_owned(),
                code.as_str().to_owned(),
                count.urls.to_string(),
                info(code).title.to_owned(),
                truncate(count.examples.first().map_or("", String::as_str), 50),
            ]
        }),
    );
}

fn show_speed(vitals: &[VitalsRecord]) {
    if vitals.is_empty() {
        return;
    }
    print_line("\nWeb vitals");
    print_table(&SPEED_COLUMNS, vitals.iter().map(speed_row));
}

fn show_changes(found: &AuditFindings) {
    let (Some(changes), Some(since)) = (&found.changes, found.kept_since) else {
        return;
    };
    print_line(format!(
        "\nSince {}: {} of {} pages changed; {} could not be compared.",
        since.format("%-d %B %Y, %H:%M UTC"),
        changes.changed,
        changes.pages,
        changes.unread
    ));
    if changes.most_changed.is_empty() {
        return;
    }
    print_table(
        &["page", "change", "significance"],
        changes.most_changed.iter().map(|it| {
            [
                truncate(&it.url, 80),
                wire_name(it.change_class),
                format_score(it.significance),
            ]
        }),
    );
}

fn format_score(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |it| format!("{it:.0}"))
}

fn show_summary(url: &str, found: &AuditFindings, rendered: &RenderStatus) {
    let (content, schema) = (&found.content, &found.schema);
    let score = |score: Option<f64>| {
        score.map_or_else(|| "unknown".to_owned(), |it| format!("{it:.0} of 100"))
    };
    print_line(format!(
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
        let examples: Vec<String> = { examples.take(MAX_UNREAD_EXAMPLES) }
            .map(|it| format!("{} ({})", it.url, it.reason))
            .collect();
        print_line(format!(
            "{} URLs of the site returned an empty or unreadable response: {}.",
            content.unread_pages,
            examples.join(", ")
        ));
    }
    print_line(rendered.describe(content));
    print_line("--json prints all records, --html FILE writes a self-contained report.");
}

fn show_links(url: &str, found: &AuditFindings) -> anyhow::Result<()> {
    for severity in [Severity::Error, Severity::Warning, Severity::Notice] {
        let count = found.link_records.count(severity);
        if count == 0 {
            continue;
        }
        print_line(format!("\n{}: {count}", heading(severity)));
        let records = found
            .link_records
            .first_with_severity(severity, MAX_LINK_ROWS)?;
        print_table(
            &["verdict", "target", "linked from", "line", "text"],
            records.iter().map(row),
        );
        if count > MAX_LINK_ROWS {
            print_line(format!(
                "… and {} more; --json prints all.",
                count - MAX_LINK_ROWS
            ));
        }
    }
    let summary = &found.links;
    print_line(format!(
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
        format!("{}{status}", wire_name(record.verdict)),
        truncate(&record.target_url, 60),
        truncate(&record.source_url, 50),
        record.position.line.to_string(),
        truncate(record.anchor_text.as_deref().unwrap_or(""), 24),
    ]
}
