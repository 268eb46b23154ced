use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{ShareColumn, Shares, bars};
use crate::pages::components::Table;
use crate::pages::measures::share_cell;
use crate::pages::{PageError, components, measures};
use analysis::findings::sov::{COMPARABLE_VERSIONS, SovRecord, SovScope, SovSummary};
use domain::use_cases::results::ResultsRequest;
use maud::{Markup, html};
use std::collections::BTreeMap;

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Share of voice",
    short: None,
    question: "Which part of all clicks on our keywords is ours?",
    unit: "keywords",
    icon: "sov",
    rows: 50,
};

/// Runs in the chart over time.
const MAX_HISTORY_RUNS: u32 = 120;
/// Ordinal of the whole project's record in a run.
const PROJECT_ORDINAL: i64 = 0;
/// Sites with their own color.
const MAX_COLORED_SITES: usize = 5;

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<SovRecord> = found.records();
    let request = ResultsRequest {
        ordinal: Some(PROJECT_ORDINAL),
        ..found.history_request(MAX_HISTORY_RUNS)
    };
    let past: Vec<SovRecord> = found.fetch_records(&request).await?;
    let whole = past.first().filter(|it| it.scope == SovScope::Project);
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<SovSummary>() {
        body.push(figures(&summary, whole));
    }
    if let Some(whole) = whole {
        body.push(over_time(whole, &past));
        body.push(current_shares(whole));
    }
    if !records.is_empty() {
        body.push(scopes(found, &records));
    }
    if let Some(whole) = whole {
        body.push(sites(whole));
    }
    Ok(body)
}

fn figures(it: &SovSummary, whole: Option<&SovRecord>) -> Markup {
    let change = components::delta(it.change30.map(|it| 100.0 * it), 1, " points");
    components::stats(vec![
        components::stat(
            "Share of voice",
            components::percent(it.sov),
            &format!("of the clicks of {} sites that were seen", it.domain_count),
        )
        .with_change(change, &measures::share_period(it)),
        components::stat(
            "Share of all searches",
            components::percent(it.share_of_search),
            "clicks to us for each search",
        ),
        components::stat(
            "Among named competitors",
            components::percent(it.sov_tracked),
            "us and the competitors that you named",
        ),
        components::stat(
            "Rank",
            components::optional_count(it.rank),
            &format!("of {} sites", it.domain_count),
        ),
        components::stat(
            "Competitors that count",
            components::optional_number(whole.and_then(|it| it.effective_competitors), 1),
            "as many sites of equal size would divide the clicks like this",
        ),
        components::stat(
            "In AI answers",
            components::percent(it.ai_share_of_voice),
            "our part of all brands that are named",
        ),
    ])
}

fn over_time(whole: &SovRecord, past: &[SovRecord]) -> Markup {
    let mut by_day: BTreeMap<chrono::NaiveDate, &SovRecord> = BTreeMap::new();
    for it in past {
        let of_a_kind = it.scope == SovScope::Project
            && it.envelope.provenance.is_simulated() == whole.envelope.provenance.is_simulated()
            && COMPARABLE_VERSIONS.contains(&it.envelope.method_version.as_str())
            && it.weighting == whole.weighting;
        if of_a_kind {
            by_day
                .entry(it.envelope.measured_at.date_naive())
                .or_insert(it);
        }
    }
    let own = { whole.domains.iter() }.filter(|it| it.is_own).take(1);
    let others = { whole.domains.iter() }.filter(|it| !it.is_own);
    let names: Vec<String> = own
        .chain(others)
        .take(MAX_COLORED_SITES)
        .map(|it| it.domain.clone())
        .collect();
    let columns = by_day.iter().map(|(day, it)| {
        let share = |name: &String| {
            { it.domains.iter() }
                .find(|it| it.domain == *name)
                .map(|it| it.sov)
        };
        ShareColumn {
            day: *day,
            shares: names.iter().map(share).collect(),
        }
    });
    let shares = Shares {
        title: "Share of voice over time".to_owned(),
        description: format!(
            "The shares of {} over {} measurements.",
            names.join(", "),
            by_day.len()
        ),
        columns: columns.collect(),
        names: names.clone(),
    };
    components::card(
        "Over time",
        "The largest sites of today, day by day. The rest up to the whole belongs to others.",
        shares.html(),
    )
}

fn current_shares(whole: &SovRecord) -> Markup {
    let mut rows: Vec<(Markup, Markup, f64, bool)> = { whole.domains.iter() }
        .take(10)
        .map(|it| {
            (
                components::text(&it.domain),
                components::percent(Some(it.sov)),
                it.sov,
                it.is_own,
            )
        })
        .collect();
    if !rows.iter().any(|it| it.3)
        && let Some(own) = whole.domains.iter().find(|it| it.is_own)
    {
        rows.push((
            components::text(&own.domain),
            components::percent(Some(own.sov)),
            own.sov,
            true,
        ));
    }
    let note = format!(
        "{} keywords, {} without a search page.",
        whole.keyword_count, whole.missing_keywords
    );
    components::card("Now", &note, bars(&rows))
}

fn scopes(found: &ResultContext<'_>, records: &[SovRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let (kind, name) = match &it.scope {
            SovScope::Project => ("all keywords", "The whole project".to_owned()),
            SovScope::Tag(name) => ("keywords with this tag", name.clone()),
            SovScope::Intent(intent) => (
                "keywords of this intent",
                components::humanize_value(intent),
            ),
            SovScope::PageGroup(name) => ("pages of this group", name.clone()),
        };
        components::row(vec![
            components::with_subtext(name, kind),
            share_cell(it.sov),
            components::optional_count(it.rank),
            components::count(it.keyword_count),
        ])
    });
    let columns = vec![
        components::text_column("Part"),
        components::number_column("Share"),
        components::number_column("Rank"),
        components::number_column("Keywords"),
    ];
    found.records_card("By part of the market", "", columns, rows)
}

fn sites(whole: &SovRecord) -> Markup {
    let rows = whole.domains.iter().take(50).map(|it| {
        let row = components::row(vec![
            html! {
                (it.domain) " "
                @if it.is_own { (components::tag("own", "ours")) } @else if it.is_tracked { (components::tag("warn", "competitor")) }
            },
            share_cell(Some(it.sov)),
            components::optional_number(it.estimated_clicks, 0),
            components::count(it.keywords_top3),
            components::count(it.keywords_top10),
            components::optional_number(it.average_position, 1),
        ]);
        row.own(it.is_own)
    });
    let columns = vec![
        components::text_column("Site"),
        components::number_column("Share"),
        components::number_column("Visits a month"),
        components::number_column("Top 3"),
        components::number_column("Top 10"),
        components::number_column("Average position"),
    ];
    let table = Table::new("All sites", columns, rows.collect()).hide_caption();
    components::table_card(
        "All sites",
        &format!(
            "The first {} of {}.",
            whole.domains.len().min(50),
            whole.domain_count
        ),
        &table,
    )
}
