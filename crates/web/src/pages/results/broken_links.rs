use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::stacked_bar;
use crate::pages::components;
use crate::pages::components::Table;
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

pub fn body(found: &ResultContext<'_>) -> Vec<Markup> {
    let records: Vec<BrokenLink> = found.records();
    let mut body = Vec::new();
    if let Some(it) = found.summary::<BrokenLinksSummary>() {
        body.push(figures(&it));
    }
    if records.is_empty() {
        body.push(super::no_results(
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
            .entry((grave, components::api_name(&it.verdict)))
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
    let stats = components::stats(vec![
        components::stat(
            "Broken",
            components::count(it.broken.into()),
            &format!("of {} targets that were checked", it.checked),
        ),
        components::stat("Broken rate", components::percent(it.broken_rate), &sure),
        components::stat(
            "Redirected",
            components::count(it.redirected.into()),
            "they work, with a detour",
        ),
        components::stat(
            "Suspect",
            components::count(it.suspect.into()),
            "failed once; a second look decides",
        ),
        components::stat(
            "Pages crawled",
            components::count(it.pages_crawled.into()),
            &format!("{} places are listed", it.listed),
        ),
    ]);
    let bar = stacked_bar(
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
    html! { (stats) (components::card("All targets", "", bar)) }
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
            .map_or_else(|| components::text("–"), components::text);
        let label = it
            .anchor_text
            .as_deref()
            .filter(|it| !it.is_empty())
            .unwrap_or(&it.element);
        let place = html! {
            "line " (it.position.line) ", column " (it.position.column) ", in " (components::humanize_value(&it.placement)) ": “" (label) "”"
        };
        let advice = it.suggested_target.as_ref().map_or_else(
            || components::text("–"),
            |it| components::with_subtext(components::external_link(&it.url), components::humanize_value(&it.reason)),
        );
        let times = match (it.occurrences, it.source_pages) {
            (1, _) => "once".to_owned(),
            (times, 1) => format!("{times} times on one page"),
            (times, pages) => format!("{times} times on {pages} pages"),
        };
        components::row(vec![
            components::with_subtext(
                components::external_link(&it.target_url),
                it.error_detail.as_deref().unwrap_or(&times),
            ),
            status,
            components::with_subtext(components::external_path_link(&it.source_url), place),
            advice,
            components::ago(it.first_seen_at),
        ])
    });
    let columns = vec![
        components::text_column("Leads to"),
        components::number_column("Status"),
        components::text_column("Stands on"),
        components::text_column("Instead"),
        components::text_column("Since"),
    ];
    let title = components::humanize_capitalized(cause);
    let table = Table::new(&title, columns, rows.collect()).hide_caption();
    components::table_card_with_aside(
        &title,
        &format!("{} on this page of the list", links.len()),
        components::tag(class, severity),
        &table,
    )
}
