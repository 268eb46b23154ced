use super::{Found, Group, ResultPage};
use crate::pages::charts::{ShareColumn, Shares, bars};
use crate::pages::measures::share_cell;
use crate::pages::parts::Table;
use crate::pages::{NoPage, measures, parts};
use analysis::findings::sov::{SAME_SHARE, SovRecord, SovScope, SovSummary};
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
const MOST_PAST: u32 = 120;
/// Ordinal of the whole project's record in a run.
const WHOLE: i64 = 0;
/// Sites with a color of their own.
const NAMED: usize = 5;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<SovRecord> = found.records();
    let request = ResultsRequest {
        ordinal: Some(WHOLE),
        ..found.past(MOST_PAST)
    };
    let past: Vec<SovRecord> = found.ask(&request).await?;
    let whole = past.first().filter(|it| it.scope == SovScope::Project);
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<SovSummary>() {
        body.push(figures(&summary, whole));
    }
    if let Some(whole) = whole {
        body.push(over_time(whole, &past));
        body.push(now(whole));
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
    let change = parts::delta(it.change30.map(|it| 100.0 * it), 1, " points");
    parts::stats(vec![
        parts::stat(
            "Share of voice",
            parts::percent(it.sov),
            &format!("of the clicks of {} sites that were seen", it.domain_count),
        )
        .moved(change, &measures::share_period(it)),
        parts::stat(
            "Share of all searches",
            parts::percent(it.share_of_search),
            "clicks to us for each search",
        ),
        parts::stat(
            "Among named competitors",
            parts::percent(it.sov_tracked),
            "us and the competitors that you named",
        ),
        parts::stat(
            "Rank",
            parts::maybe_count(it.rank),
            &format!("of {} sites", it.domain_count),
        ),
        parts::stat(
            "Competitors that count",
            parts::maybe(whole.and_then(|it| it.effective_competitors), 1),
            "as many sites of equal size would divide the clicks like this",
        ),
        parts::stat(
            "In AI answers",
            parts::percent(it.ai_share_of_voice),
            "our part of all brands that are named",
        ),
    ])
}

fn over_time(whole: &SovRecord, past: &[SovRecord]) -> Markup {
    let mut by_day: BTreeMap<chrono::NaiveDate, &SovRecord> = BTreeMap::new();
    for it in past {
        let of_a_kind = it.scope == SovScope::Project
            && it.envelope.provenance.is_simulated() == whole.envelope.provenance.is_simulated()
            && SAME_SHARE.contains(&it.envelope.method_version.as_str())
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
        .take(NAMED)
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
        told: format!(
            "The shares of {} over {} measurements.",
            names.join(", "),
            by_day.len()
        ),
        columns: columns.collect(),
        names: names.clone(),
    };
    parts::card(
        "Over time",
        "The largest sites of today, day by day. The rest up to the whole belongs to others.",
        shares.html(),
    )
}

fn now(whole: &SovRecord) -> Markup {
    let mut rows: Vec<(Markup, Markup, f64, bool)> = { whole.domains.iter() }
        .take(10)
        .map(|it| {
            (
                parts::text(&it.domain),
                parts::percent(Some(it.sov)),
                it.sov,
                it.is_own,
            )
        })
        .collect();
    if !rows.iter().any(|it| it.3)
        && let Some(own) = whole.domains.iter().find(|it| it.is_own)
    {
        rows.push((
            parts::text(&own.domain),
            parts::percent(Some(own.sov)),
            own.sov,
            true,
        ));
    }
    let note = format!(
        "{} keywords, {} without a search page.",
        whole.keyword_count, whole.missing_keywords
    );
    parts::card("Now", &note, bars(&rows))
}

fn scopes(found: &Found<'_>, records: &[SovRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let (kind, name) = match &it.scope {
            SovScope::Project => ("all keywords", "The whole project".to_owned()),
            SovScope::Tag(name) => ("keywords with this tag", name.clone()),
            SovScope::Intent(intent) => ("keywords of this intent", parts::said(intent)),
            SovScope::PageGroup(name) => ("pages of this group", name.clone()),
        };
        parts::row(vec![
            parts::under(name, kind),
            share_cell(it.sov),
            parts::maybe_count(it.rank),
            parts::count(it.keyword_count),
        ])
    });
    let columns = vec![
        parts::words("Part"),
        parts::figures("Share"),
        parts::figures("Rank"),
        parts::figures("Keywords"),
    ];
    found.listed("By part of the market", "", columns, rows)
}

fn sites(whole: &SovRecord) -> Markup {
    let rows = whole.domains.iter().take(50).map(|it| {
        let row = parts::row(vec![
            html! {
                (it.domain) " "
                @if it.is_own { (parts::tag("own", "ours")) } @else if it.is_tracked { (parts::tag("warn", "competitor")) }
            },
            share_cell(Some(it.sov)),
            parts::maybe(it.estimated_clicks, 0),
            parts::count(it.keywords_top3),
            parts::count(it.keywords_top10),
            parts::maybe(it.average_position, 1),
        ]);
        row.own(it.is_own)
    });
    let columns = vec![
        parts::words("Site"),
        parts::figures("Share"),
        parts::figures("Visits a month"),
        parts::figures("Top 3"),
        parts::figures("Top 10"),
        parts::figures("Average position"),
    ];
    let table = Table::new("All sites", columns, rows.collect()).named_above();
    parts::card_of(
        "All sites",
        &format!(
            "The first {} of {}.",
            whole.domains.len().min(50),
            whole.domain_count
        ),
        &table,
    )
}
