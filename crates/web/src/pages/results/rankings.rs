use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{Lines, Mark, Series, stacked_bar};
use crate::pages::events;
use crate::pages::measures::{change_cell, insert_gaps, position_cell};
use crate::pages::{PageError, components, measures};
use analysis::events::{EventClass, EventSeverity, SubjectKind};
use analysis::findings::rankings::{RankingRecord, RankingsSummary, Weighting};
use chrono::TimeDelta;
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Rankings",
    short: None,
    question: "Where do we stand in organic results, and what moved?",
    unit: "keywords",
    icon: "rankings",
    rows: 50,
};

const RANGES: [(&str, i64, &str); 4] = [
    ("30", 30, "30 days"),
    ("90", 90, "90 days"),
    ("365", 365, "A year"),
    ("all", 4_000, "All"),
];
const MAX_POINTS: u32 = 400;

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
    let records: Vec<RankingRecord> = found.records();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<RankingsSummary>() {
        body.push(figures(&summary));
    }
    let chosen = found
        .query
        .id("keyword")
        .or_else(|| records.iter().find_map(|it| it.envelope.keyword_id));
    if let Some(keyword) = chosen {
        body.push(history(found, keyword).await?);
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &RankingsSummary) -> Markup {
    let weights = match it.weighting {
        Weighting::Volume => "weighted by what keywords are searched for",
        Weighting::Equal => "every keyword counts the same, since not all have a search volume",
    };
    let stats = components::stats(vec![
        components::stat(
            "Visibility",
            components::optional_number(it.visibility_index, 1),
            &format!("of 100, {weights}"),
        )
        .with_change(
            measures::visibility_delta(it),
            &measures::visibility_period(it),
        ),
        components::stat(
            "Average position",
            components::optional_number(it.average_position_all, 1),
            &format!(
                "all keywords; {} among those that are ranked",
                it.average_position
                    .map_or_else(|| "none".to_owned(), |it| format!("{it:.1}"))
            ),
        ),
        components::stat(
            "Visits a month",
            components::optional_number(it.estimated_traffic, 0),
            &format!(
                "estimated, from {} keywords with a volume",
                it.estimated_traffic_keywords
            ),
        ),
        components::stat(
            "Within reach",
            components::count(it.striking_distance),
            "keywords on positions 4 to 20",
        ),
        components::stat(
            "Moved",
            components::text(format_args!("{} ↑  {} ↓", it.improved, it.declined)),
            &format!("{} came, {} went", it.entered, it.left),
        ),
    ]);
    let counts = &it.buckets;
    let bar = stacked_bar(
        "Keywords by position",
        &[
            ("1", counts.first, 7),
            ("2–3", counts.top3, 8),
            ("4–10", counts.top10, 9),
            ("11–20", counts.top20, 10),
            ("21–100", counts.top50 + counts.top100, 11),
            ("not found", counts.not_ranked, 6),
        ],
    );
    html! { (stats) (components::card("Keywords by position", "", bar)) }
}

/// The best own page, and whether another one stood there before.
fn page_cell(record: &RankingRecord) -> Markup {
    let url = record.envelope.url.as_deref();
    let page = url.map_or_else(components::unknown, components::external_path_link);
    if record.url_changed != Some(true) {
        return page;
    }
    components::with_subtext(page, "another page than before")
}

async fn history(found: &ResultContext<'_>, keyword: i64) -> Result<Markup, PageError> {
    let range = found.query.text("range").unwrap_or("90");
    let (_, days, _) = RANGES
        .into_iter()
        .find(|it| it.0 == range)
        .unwrap_or(RANGES[1]);
    let since = found.visit.now - TimeDelta::days(days);
    let past = found
        .position_history(keyword, Some(since), MAX_POINTS)
        .await?;
    let Some(newest) = past.last() else {
        return Ok(components::remark(
            "",
            "This keyword was not measured in the chosen time.",
        ));
    };
    let text = newest.market.keyword.clone();
    let tabs: Vec<(String, String, bool)> = RANGES
        .into_iter()
        .map(|(name, of, label)| {
            (
                found.visit.url_with(&[("range", Some(name))]),
                label.to_owned(),
                of == days,
            )
        })
        .collect();
    let worth = components::pairs(vec![
        (
            "Page",
            newest
                .envelope
                .url
                .as_deref()
                .map_or_else(components::unknown, components::external_link),
        ),
        (
            "Best so far",
            newest
                .best_position
                .map_or_else(components::unknown, |it| components::count(it.into())),
        ),
        (
            "Seven-day mean",
            components::optional_number(newest.moving_average7, 1),
        ),
        (
            "Volatility",
            components::optional_number(newest.volatility28, 2),
        ),
        (
            "Share of clicks expected",
            components::percent(newest.expected_ctr),
        ),
        (
            "Visits a month to gain",
            components::optional_number(newest.potential_clicks, 0),
        ),
        (
            "Difficulty",
            components::optional_number(newest.difficulty, 0),
        ),
        (
            "Intent",
            newest
                .intent
                .as_ref()
                .map_or_else(components::unknown, |it| {
                    components::text(components::humanize_value(it))
                }),
        ),
        (
            "Search Console's position",
            components::optional_number(newest.gsc_position, 1),
        ),
    ]);
    let serp = found.project_url(&format!("results/serp?keyword={keyword}"));
    let note = format!(
        "{}, {}, {}. Where it was not found, the line is broken.",
        newest.market.engine,
        newest.market.country,
        components::humanize_value(&newest.market.device)
    );
    let chart = html! {
        div .stack { (components::tabs("How far back", &tabs)) (position_chart(&past, &text, marks(found, keyword).await?)) }
    };
    let side = html! { (worth) (components::link(&serp, "See the search page")) };
    let inside = components::side_by_side("split", chart, side);
    Ok(components::card(
        &format!("“{text}” over time"),
        &note,
        inside,
    ))
}

async fn marks(found: &ResultContext<'_>, keyword: i64) -> Result<Vec<Mark>, PageError> {
    let subject = Some((SubjectKind::Keyword, keyword.to_string()));
    let (visit, project) = (found.visit, found.project.id);
    let (classes, min_severity) = ([EventClass::Ranks], EventSeverity::Info);
    let events = events::for_charts(visit, project, &classes, min_severity, subject).await?;
    Ok(events::marks(events.iter()))
}

fn position_chart(past: &[RankingRecord], text: &str, marks: Vec<Mark>) -> Markup {
    let points = past.iter().map(|it| {
        (
            it.envelope.measured_at.date_naive(),
            it.position.map(f64::from),
        )
    });
    let (days, values): (Vec<_>, Vec<_>) = insert_gaps(points.collect()).into_iter().unzip();
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let description = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!(
            "From position {first} to {last}, in {} measurements.",
            known.len()
        ),
        _ => "It was not found in any of them.".to_owned(),
    };
    Lines {
        title: format!("Position for “{text}”"),
        description,
        days,
        series: vec![Series {
            name: text.to_owned(),
            color: 1,
            dashed: false,
            values,
        }],
        inverted: true,
        floor: Some(1.0),
        factor: 1.0,
        digits: 0,
        suffix: "",
        marks,
    }
    .html()
}

fn table(found: &ResultContext<'_>, records: &[RankingRecord]) -> Markup {
    if records.is_empty() {
        return super::no_results(
            "No keyword was measured",
            "Add keywords, then measure again.",
        );
    }
    let rows = records.iter().map(|it| {
        let keyword = it.envelope.keyword_id.unwrap_or_default();
        let name = components::link(
            &found
                .visit
                .url_with(&[("keyword", Some(&keyword.to_string()))]),
            &it.market.keyword,
        );
        let features = { it.features_present.iter().flatten().take(3) }
            .map(|it| components::tag("", &components::humanize(it.name())));
        components::row(vec![
            name,
            position_cell(it.position, Some(it)),
            change_cell(Some(it)),
            page_cell(it),
            components::tags(features).unwrap_or_else(components::unknown),
            components::optional_count(it.search_volume),
            components::percent(it.expected_ctr),
            components::optional_number(it.estimated_clicks, 0),
        ])
    });
    let sorted = |column: components::Column, name: &str| {
        let (href, order) = found.visit.sort_link(found.query, name, "default");
        column.sorted(href, order)
    };
    let columns = vec![
        components::text_column("Keyword"),
        sorted(components::number_column("Position"), "value"),
        components::number_column("vs previous check"),
        components::text_column("Page"),
        components::text_column("On the search page"),
        components::number_column("Searches a month"),
        components::number_column("Click share"),
        components::number_column("Visits a month"),
    ];
    found.records_card(
        "All keywords",
        "Choose a keyword to see its course.",
        columns,
        rows,
    )
}
