//! Whether readers see the values of structured data. Google's policy: no markup of hidden content.

mod page_text;

pub use page_text::PageText;

use super::graph::Graph;
use super::paths::{Visit, joined};
use super::record::{Issue, IssueCode, Level};
use super::values::{Written, number};
use crate::findings::broken_links::Severity;
use std::collections::BTreeSet;

/// Adds values of an entity that the page does not show; once per property.
pub fn check(graph: &Graph<'_>, visits: &[Visit], page: &PageText, issues: &mut Vec<Issue>) {
    let mut told = BTreeSet::new();
    for visit in visits {
        let is_top = visit.path.is_empty();
        let names: &[&str] = &["name", "headline", "title"];
        let dates = dates(graph, visit.number);
        for name in names.iter().filter(|_| is_top) {
            look(graph, visit, name, &mut told, issues, |it| {
                page.has_name(it)
            });
        }
        for name in dates.iter().filter(|_| is_top) {
            look(graph, visit, name, &mut told, issues, |it| {
                page.has_date(it)
            });
        }
        if is_top || is_offer(visit) {
            for name in ["price", "lowPrice", "highPrice"] {
                look(graph, visit, name, &mut told, issues, |it| shows(page, it));
            }
        }
        if visit.property.as_deref() == Some("aggregateRating") || is_top {
            look(graph, visit, "ratingValue", &mut told, issues, |it| {
                shows(page, it)
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

fn is_offer(visit: &Visit) -> bool {
    matches!(
        visit.property.as_deref(),
        Some("offers" | "priceSpecification")
    )
}

/// Ratings are often rounded to one decimal.
fn shows(page: &PageText, text: &str) -> bool {
    match number(text) {
        Written::Plain(value) => {
            page.has_number(value) || page.has_number((value * 10.0).round() / 10.0)
        }
        _ => true,
    }
}

fn look(
    graph: &Graph<'_>,
    visit: &Visit,
    name: &'static str,
    told: &mut BTreeSet<&'static str>,
    issues: &mut Vec<Issue>,
    is_there: impl Fn(&str) -> bool,
) {
    let said: Vec<String> = graph
        .values(visit.number, name)
        .filter_map(crate::observation::structured_data::Value::text)
        .collect();
    if said.is_empty() || said.iter().any(|it| is_there(it)) || !told.insert(name) {
        return;
    }
    let value = crate::text::words::shortened(&said[0], 80);
    issues.push(Issue {
        level: Level::Consistency,
        code: IssueCode::NotVisible,
        path: joined(&visit.path, name, None),
        message: format!("the page does not show {name} “{value}”"),
        severity: Severity::Warning,
    });
}
