use super::{Found, Group, ResultPage};
use crate::pages::charts::parts_bar;
use crate::pages::parts;
use crate::pages::parts::Table;
use analysis::findings::broken_links::{BrokenLink, BrokenLinksSummary, Severity};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub const PAGE: ResultPage = ResultPage {
    group: Group::Site,
    title: "Broken links",
    short: None,
    question: "Which links lead nowhere, and where do they stand?",
    unit: "links",
    icon: "broken",
    rows: 50,
};

pub fn body(found: &Found<'_>) -> Vec<Markup> {
    let records: Vec<BrokenLink> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<BrokenLinksSummary>() {
        body.push(figures(&it));
    }
    if records.is_empty() {
        body.push(super::none(
            "Every link works",
            "Nothing that was checked leads nowhere.",
        ));
    }
    // One group per cause, most severe first.
    let mut causes: BTreeMap<(u8, String), Vec<&BrokenLink>> = BTreeMap::new();
    for it in &records {
        let grave = match it.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Notice => 2,
        };
        causes
            .entry((grave, parts::code(&it.verdict)))
            .or_default()
            .push(it);
    }
    body.extend(
        causes
            .iter()
            .map(|((grave, cause), links)| group(*grave, cause, links)),
    );
    body.push(found.pager());
    body
}

fn figures(it: &BrokenLinksSummary) -> Markup {
    let sure = match (it.broken_rate_low, it.broken_rate_high) {
        (Some(low), Some(high)) => format!(
            "with 95 % between {:.1} and {:.1} %",
            100.0 * low,
            100.0 * high
        ),
        _ => String::new(),
    };
    let stats = parts::stats(vec![
        parts::stat(
            "Broken",
            parts::count(it.broken.into()),
            &format!("of {} targets that were checked", it.checked),
        ),
        parts::stat("Broken rate", parts::percent(it.broken_rate), &sure),
        parts::stat(
            "Redirected",
            parts::count(it.redirected.into()),
            "they work, with a detour",
        ),
        parts::stat(
            "Suspect",
            parts::count(it.suspect.into()),
            "failed once; a second look decides",
        ),
        parts::stat(
            "Pages crawled",
            parts::count(it.pages_crawled.into()),
            &format!("{} places are listed", it.listed),
        ),
    ]);
    let bar = parts_bar(
        "Targets",
        &[
            ("work", it.ok.into(), 1),
            ("redirected", it.redirected.into(), 4),
            ("broken", it.broken.into(), 5),
            ("suspect", it.suspect.into(), 2),
            ("restricted", it.restricted.into(), 3),
            (
                "unknown or not checked",
                (it.unknown + it.not_checked).into(),
                6,
            ),
        ],
    );
    html! { (stats) (parts::card("All targets", "", bar)) }
}

fn group(grave: u8, cause: &str, links: &[&BrokenLink]) -> Markup {
    let (class, severity) = match grave {
        0 => ("bad", "error"),
        1 => ("warn", "warning"),
        _ => ("", "notice"),
    };
    let rows = links.iter().map(|it| {
        let status = it
            .status_code
            .map_or_else(|| parts::text("–"), parts::text);
        let label = it
            .anchor_text
            .as_deref()
            .filter(|it| !it.is_empty())
            .unwrap_or(&it.element);
        let place = html! {
            "line " (it.position.line) ", column " (it.position.column) ", in " (parts::said(&it.placement)) ": “" (label) "”"
        };
        let advice = it.suggested_target.as_ref().map_or_else(
            || parts::text("–"),
            |it| parts::under(parts::outward(&it.url), parts::said(&it.reason)),
        );
        let times = match (it.occurrences, it.source_pages) {
            (1, _) => "once".to_owned(),
            (times, 1) => format!("{times} times on one page"),
            (times, pages) => format!("{times} times on {pages} pages"),
        };
        parts::row(vec![
            parts::under(
                parts::outward(&it.target_url),
                it.error_detail.as_deref().unwrap_or(&times),
            ),
            status,
            parts::under(parts::outward_path(&it.source_url), place),
            advice,
            parts::ago(it.first_seen_at),
        ])
    });
    let columns = vec![
        parts::words("Leads to"),
        parts::figures("Status"),
        parts::words("Stands on"),
        parts::words("Instead"),
        parts::words("Since"),
    ];
    let title = parts::headed(cause);
    let table = Table::new(&title, columns, rows.collect()).named_above();
    parts::card_of_with(
        &title,
        &format!("{} on this page of the list", links.len()),
        parts::tag(class, severity),
        &table,
    )
}
