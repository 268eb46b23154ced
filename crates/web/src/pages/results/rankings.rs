use super::{Found, Group, ResultPage};
use crate::pages::charts::{Lines, Series, parts_bar};
use crate::pages::measures::{change, position, with_gaps};
use crate::pages::{NoPage, measures, parts};
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
const MOST_POINTS: u32 = 400;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
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
    let stats = parts::stats(vec![
        parts::stat(
            "Visibility",
            parts::maybe(it.visibility_index, 1),
            &format!("of 100, {weights}"),
        )
        .moved(
            measures::visibility_delta(it),
            &measures::visibility_period(it),
        ),
        parts::stat(
            "Average position",
            parts::maybe(it.average_position_all, 1),
            &format!(
                "all keywords; {} among those that are ranked",
                it.average_position
                    .map_or_else(|| "none".to_owned(), |it| format!("{it:.1}"))
            ),
        ),
        parts::stat(
            "Visits a month",
            parts::maybe(it.estimated_traffic, 0),
            &format!(
                "estimated, from {} keywords with a volume",
                it.estimated_traffic_keywords
            ),
        ),
        parts::stat(
            "Within reach",
            parts::count(it.striking_distance),
            "keywords on positions 4 to 20",
        ),
        parts::stat(
            "Moved",
            parts::text(format_args!("{} ↑  {} ↓", it.improved, it.declined)),
            &format!("{} came, {} went", it.entered, it.left),
        ),
    ]);
    let counts = &it.buckets;
    let bar = parts_bar(
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
    html! { (stats) (parts::card("Keywords by position", "", bar)) }
}

async fn history(found: &Found<'_>, keyword: i64) -> Result<Markup, NoPage> {
    let range = found.query.text("range").unwrap_or("90");
    let (_, days, _) = RANGES
        .into_iter()
        .find(|it| it.0 == range)
        .unwrap_or(RANGES[1]);
    let since = found.visit.now - TimeDelta::days(days);
    let past = found
        .past_positions(keyword, Some(since), MOST_POINTS)
        .await?;
    let Some(newest) = past.last() else {
        return Ok(parts::remark(
            "",
            "This keyword was not measured in the chosen time.",
        ));
    };
    let text = newest.market.keyword.clone();
    let tabs: Vec<(String, String, bool)> = RANGES
        .into_iter()
        .map(|(name, of, label)| {
            (
                found.visit.with(&[("range", Some(name))]),
                label.to_owned(),
                of == days,
            )
        })
        .collect();
    let worth = parts::pairs(vec![
        (
            "Page",
            newest
                .envelope
                .url
                .as_deref()
                .map_or_else(parts::unknown, parts::outward),
        ),
        (
            "Best so far",
            newest
                .best_position
                .map_or_else(parts::unknown, |it| parts::count(it.into())),
        ),
        ("Seven-day mean", parts::maybe(newest.moving_average7, 1)),
        ("Volatility", parts::maybe(newest.volatility28, 2)),
        (
            "Share of clicks expected",
            parts::percent(newest.expected_ctr),
        ),
        (
            "Visits a month to gain",
            parts::maybe(newest.potential_clicks, 0),
        ),
        ("Difficulty", parts::maybe(newest.difficulty, 0)),
        (
            "Intent",
            newest
                .intent
                .as_ref()
                .map_or_else(parts::unknown, |it| parts::text(parts::said(it))),
        ),
        (
            "Search Console's position",
            parts::maybe(newest.gsc_position, 1),
        ),
    ]);
    let serp = found.elsewhere(&format!("results/serp?keyword={keyword}"));
    let note = format!(
        "{}, {}, {}. Where it was not found, the line is broken.",
        newest.market.engine,
        newest.market.country,
        parts::said(&newest.market.device)
    );
    let chart = html! {
        div .stack { (parts::tabs("How far back", &tabs)) (course(&past, &text)) }
    };
    let side = html! { (worth) (parts::link(&serp, "See the search page")) };
    let inside = parts::side_by_side("split", chart, side);
    Ok(parts::card(&format!("“{text}” over time"), &note, inside))
}

fn course(past: &[RankingRecord], text: &str) -> Markup {
    let points = past.iter().map(|it| {
        (
            it.envelope.measured_at.date_naive(),
            it.position.map(f64::from),
        )
    });
    let (days, values): (Vec<_>, Vec<_>) = with_gaps(points.collect()).into_iter().unzip();
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let told = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!(
            "From position {first} to {last}, in {} measurements.",
            known.len()
        ),
        _ => "It was not found in any of them.".to_owned(),
    };
    Lines {
        title: format!("Position for “{text}”"),
        told,
        days,
        series: vec![Series {
            name: text.to_owned(),
            colour: 1,
            dashed: false,
            values,
        }],
        inverted: true,
        floor: Some(1.0),
        times: 1.0,
        digits: 0,
        after: "",
    }
    .html()
}

fn table(found: &Found<'_>, records: &[RankingRecord]) -> Markup {
    if records.is_empty() {
        return super::none(
            "No keyword was measured",
            "Add keywords, then measure again.",
        );
    }
    let rows = records.iter().map(|it| {
        let keyword = it.envelope.keyword_id.unwrap_or_default();
        let name = parts::link(
            &found.visit.with(&[("keyword", Some(&keyword.to_string()))]),
            &it.market.keyword,
        );
        let failed = it
            .envelope
            .error
            .as_deref()
            .map(|it| parts::tag("bad", &parts::in_words(it)));
        let features = { it.features_present.iter().flatten().take(3) }
            .map(|it| parts::tag("", &parts::in_words(it.name())));
        parts::row(vec![
            name,
            failed.unwrap_or_else(|| position(it.position, Some(it))),
            change(Some(it)),
            it.envelope
                .url
                .as_deref()
                .map_or_else(parts::unknown, parts::outward_path),
            parts::tags(features).unwrap_or_else(parts::unknown),
            parts::maybe_count(it.search_volume),
            parts::percent(it.expected_ctr),
            parts::maybe(it.estimated_clicks, 0),
        ])
    });
    let sorted = |column: parts::Column, name: &str| {
        let (href, order) = found.visit.sorted(found.query, name, "default");
        column.sorted(href, order)
    };
    let columns = vec![
        parts::words("Keyword"),
        sorted(parts::figures("Position"), "value"),
        parts::figures("vs previous check"),
        parts::words("Page"),
        parts::words("On the search page"),
        parts::figures("Searches a month"),
        parts::figures("Click share"),
        parts::figures("Visits a month"),
    ];
    found.listed(
        "All keywords",
        "Choose a keyword to see its course.",
        columns,
        rows,
    )
}
