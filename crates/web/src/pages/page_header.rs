//! A page's content and its header: title, breadcrumbs, and when the data was measured.

use super::components;
use crate::agent_api::results::STALE_AFTER;
use chrono::{DateTime, Utc};
use domain::{project::Project, results::ResultHead};
use maud::{Markup, Render, html};

pub struct PageContent {
    pub title: String,
    pub project: Option<Project>,
    pub simulated: bool,
    pub parts: Vec<Markup>,
}

pub fn head(
    crumbs: Vec<(String, String)>,
    title: &str,
    lead: &str,
    action: Option<Markup>,
) -> Markup {
    head_with_measurement(crumbs, title, lead, action, "")
}

pub fn head_with_measurement(
    crumbs: Vec<(String, String)>,
    title: &str,
    lead: &str,
    action: Option<Markup>,
    measured: impl Render,
) -> Markup {
    html! {
        header .head {
            @if !crumbs.is_empty() {
                nav aria-label="Where this is" {
                    ol .crumbs { @for (href, label) in crumbs { li { a href=(href) { (label) } } } }
                }
            }
            div class="row apart" {
                h1 { (title) }
                @if let Some(action) = action { (action) }
            }
            @if !lead.is_empty() { p .lead { (lead) } }
            (measured)
        }
    }
}

pub fn crumbs(project: &Project) -> Vec<(String, String)> {
    vec![
        ("/".to_owned(), "Projects".to_owned()),
        (
            format!("/projects/{}", project.id),
            project.name.as_str().to_owned(),
        ),
    ]
}

/// Time, provider and coverage of the measurement.
pub fn measurement_note(head: &ResultHead, unit: &str, now: DateTime<Utc>) -> Markup {
    let coverage = &head.coverage;
    let limits = head.warnings.len();
    html! {
        p .measured {
            span { "Measured " b { (components::ago(head.measured_at)) } }
            " "
            span { "by " b { (head.provider) } " (" (head.provenance.name()) ")" }
            " "
            span {
                "from " b { (components::count(coverage.measured)) " of " (components::count(coverage.requested)) } " " (unit)
                @if coverage.failed != 0 { ", " (coverage.failed) " failed" }
            }
            " "
            span { "method " b .mono { (head.method_version) } }
        }
        @if head.measured_at + STALE_AFTER < now {
            (components::notice("warn", "clock", "These results are more than 35 days old. Measure again to see where things stand today."))
        }
        @if limits > 0 {
            details .fold {
                summary { (limits) @if limits == 1 { " limitation" } @else { " limitations" } " of this measurement" }
                ul .plain { @for warning in &head.warnings { li { (components::humanize_capitalized(warning)) } } }
            }
        }
    }
}
