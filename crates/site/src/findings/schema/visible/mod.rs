//! Whether readers see the values of structured data. Google's policy: no markup of hidden content.

mod page_text;

pub use page_text::PageText;

use super::graph::Graph;
use super::paths::{VisitedNode, joined};
use super::record::{Issue, IssueCode, Level};
use super::values::{NumberFormat, parse_number};
use crate::findings::broken_links::Severity;
use std::collections::BTreeSet;

/// Adds values of an entity that the page does not show; once per property.
pub fn check(graph: &Graph<'_>, visits: &[VisitedNode], page: &PageText, issues: &mut Vec<Issue>) {
    let mut reported = BTreeSet::new();
    for visit in visits {
        let is_top = visit.path.is_empty();
        let names: &[&str] = &["name", "headline", "title"];
        let dates = dates(graph, visit.number);
        for name in names.iter().filter(|_| is_top) {
            check_value(graph, visit, name, &mut reported, issues, |it| {
                page.has_name(it)
            });
        }
        for name in dates.iter().filter(|_| is_top) {
            check_value(graph, visit, name, &mut reported, issues, |it| {
                page.has_date(it)
            });
        }
        if is_top || is_offer(visit) {
            for name in ["price", "lowPrice", "highPrice"] {
                check_value(graph, visit, name, &mut reported, issues, |it| {
                    shows_number(page, it)
                });
            }
        }
        if visit.property.as_deref() == Some("aggregateRating") || is_top {
            check_value(graph, visit, "ratingValue", &mut reported, issues, |it| {
                shows_number(page, it)
            });
        }
    }
}

/// Dates that should be visible: Google asks for those of articles, reviews, events and jobs.
fn dates(graph: &Graph<'_>, node: u32) -> &'static [&'static str] {
    if graph.is_a(node, "Article") || graph.is_a(node, "Review") {
        &["datePublished"]
    } else {
        &["startDate", "datePosted"]
    }
}

fn is_offer(visit: &VisitedNode) -> bool {
    matches!(
        visit.property.as_deref(),
        Some("offers" | "priceSpecification")
    )
}

/// Ratings are often rounded to one decimal.
fn shows_number(page: &PageText, text: &str) -> bool {
    match parse_number(text) {
        NumberFormat::Plain(value) => {
            page.has_number(value) || page.has_number((value * 10.0).round() / 10.0)
        }
        _ => true,
    }
}

fn check_value(
    graph: &Graph<'_>,
    visit: &VisitedNode,
    name: &'static str,
    reported: &mut BTreeSet<&'static str>,
    issues: &mut Vec<Issue>,
    is_there: impl Fn(&str) -> bool,
) {
    let texts: Vec<String> = graph
        .values(visit.number, name)
        .filter_map(crate::observation::structured_data::Value::text)
        .collect();
    if texts.is_empty() || texts.iter().any(|it| is_there(it)) || !reported.insert(name) {
        return;
    }
    let value = crate::text::words::shortened(&texts[0], 80);
    issues.push(Issue {
        level: Level::Consistency,
        code: IssueCode::NotVisible,
        path: joined(&visit.path, name, None),
        message: format!("the page does not show {name} “{value}”"),
        severity: Severity::Warning,
    });
}
