use super::{Found, Group, ResultPage};
use crate::pages::charts::{Fan, FanPoint};
use crate::pages::{NoPage, measures, parts};
use analysis::findings::forecast::{ForecastRecord, ForecastSummary, ForecastTarget, ForecastUnit};
use analysis::findings::rankings::ProjectSeries;
use chrono::NaiveDate;
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Forecast",
    short: None,
    question: "Where are we heading, and how sure is that?",
    unit: "series",
    icon: "forecast",
    rows: 30,
};

const MOST_POINTS: u32 = 120;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let records: Vec<ForecastRecord> = found.records();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<ForecastSummary>() {
        body.push(figures(&summary));
    }
    let chosen = found.query.id("keyword");
    let shown = match chosen {
        Some(id) => records.iter().find(|it| it.envelope.keyword_id == Some(id)),
        None => records.iter().find(|it| !it.points.is_empty()),
    };
    if let Some(record) = shown {
        body.push(fan(found, record).await?);
    }
    body.push(table(found, &records));
    Ok(body)
}

fn figures(it: &ForecastSummary) -> Markup {
    let told = it.combination + it.naive + it.constant;
    let refused =
        it.no_history + it.history_too_short + it.measured_too_rarely + it.mostly_not_ranked;
    parts::stats(vec![
        parts::stat("Told", parts::count(told), "series with a forecast"),
        parts::stat(
            "Good",
            parts::count(it.good),
            "were right about the past within their bands",
        ),
        parts::stat(
            "Fair or poor",
            parts::count(it.fair + it.poor),
            "read their bands, not their middle",
        ),
        parts::stat(
            "No better than today's value",
            parts::count(it.naive),
            "there the last value is told, and that it is",
        ),
        parts::stat(
            "Refused",
            parts::count(refused),
            "too few measurements to say anything honest",
        ),
    ])
}

fn name(it: &ForecastRecord) -> String {
    if let Some(market) = &it.market {
        return format!("Position for “{}”", market.keyword);
    }
    match (&it.target, &it.ai_engine) {
        (ForecastTarget::MentionRate, Some(engine)) => {
            format!("Mention rate, {}", super::engine_title(engine))
        }
        (ForecastTarget::VisibilityIndex, _) => "Visibility".to_owned(),
        (ForecastTarget::EstimatedTraffic, _) => "Estimated visits a month".to_owned(),
        (target, _) => parts::headed(&parts::code(target)),
    }
}

/// Decimals, factor and unit of a value.
const fn form(unit: ForecastUnit) -> (usize, f64, &'static str) {
    match unit {
        ForecastUnit::Position | ForecastUnit::Index => (1, 1.0, ""),
        ForecastUnit::ClicksPerMonth | ForecastUnit::Clicks => (0, 1.0, ""),
        ForecastUnit::Share => (1, 100.0, " %"),
    }
}

async fn past(
    found: &Found<'_>,
    record: &ForecastRecord,
) -> Result<Vec<(NaiveDate, Option<f64>)>, NoPage> {
    if let Some(keyword) = record.envelope.keyword_id {
        let points = found.past_positions(keyword, None, MOST_POINTS).await?;
        let points = points.iter().map(|it| {
            (
                it.envelope.measured_at.date_naive(),
                it.position.map(f64::from),
            )
        });
        return Ok(measures::with_gaps(points.collect()));
    }
    let state = { &found.visit.services.core }
        .project_state(found.visit.account(), found.project.id, 0, 1)
        .await?;
    let series: Option<ProjectSeries> = state.and_then(|it| it.series);
    let Some(series) = series else {
        return Ok(Vec::new());
    };
    let value = |it: &analysis::findings::rankings::DayFigures| match record.target {
        ForecastTarget::VisibilityIndex => it.visibility,
        ForecastTarget::EstimatedTraffic => it.traffic,
        _ => None,
    };
    let known = matches!(
        record.target,
        ForecastTarget::VisibilityIndex | ForecastTarget::EstimatedTraffic
    );
    let days = series
        .newest_of_a_kind()
        .filter(|_| known)
        .map(|(day, it)| (day, value(it)));
    Ok(measures::with_gaps(days.collect()))
}

async fn fan(found: &Found<'_>, record: &ForecastRecord) -> Result<Markup, NoPage> {
    let (digits, times, after) = form(record.unit);
    let ahead: Vec<FanPoint> = { record.points.iter() }
        .map(|it| FanPoint {
            day: it.date,
            middle: it.median,
            band80: (it.lo80, it.hi80),
            band95: (it.lo95, it.hi95),
        })
        .collect();
    let name = name(record);
    let Some(last) = ahead.last().copied() else {
        return Ok(parts::remark(
            "warn",
            format_args!("{name}: no forecast, since {}.", refusal(record)),
        ));
    };
    let text = |it: f64| format!("{}{after}", parts::grouped(times * it, digits));
    let told = format!(
        "On {} it is {}, with 80 % between {} and {}.",
        last.day,
        text(last.middle),
        text(last.band80.0),
        text(last.band80.1)
    );
    let fan = Fan {
        title: name.clone(),
        told: told.clone(),
        past: past(found, record).await?,
        ahead,
        inverted: record.target == ForecastTarget::Position,
        times,
        digits,
        after,
    };
    let mut facts = vec![
        (
            "Rests on",
            parts::text(format_args!(
                "{} values, {} days without one",
                record.history.n, record.history.missing
            )),
        ),
        (
            "Method",
            record
                .method
                .as_ref()
                .map_or_else(parts::unknown, |it| parts::text(parts::said(it))),
        ),
        (
            "Quality",
            record
                .quality
                .as_ref()
                .map_or_else(parts::unknown, |it| parts::text(parts::said(it))),
        ),
    ];
    if let Some(test) = &record.backtest {
        facts.push((
            "Mean error in the past",
            parts::number(times * test.mae, digits.max(1)),
        ));
        facts.push(("80 % band held", parts::percent(Some(test.coverage80))));
        facts.push(("95 % band held", parts::percent(Some(test.coverage95))));
        facts.push((
            "Tried on",
            parts::text(format_args!("{} earlier days", test.origins)),
        ));
    }
    for it in &record.targets {
        facts.push((
            "Chance",
            parts::text(format_args!(
                "{:.0} % to be at {} or better at the end",
                100.0 * it.probability,
                parts::grouped(it.threshold, 0)
            )),
        ));
    }
    let sides = parts::side_by_side("split", fan.html(), parts::pairs(facts));
    Ok(parts::card(
        &name,
        &format!("{told} The dark band holds 80 %, the light one 95 % of what may come."),
        sides,
    ))
}

fn refusal(record: &ForecastRecord) -> String {
    record.refusal.as_ref().map_or_else(
        || "nothing is known".to_owned(),
        |it| {
            let needed = it
                .needed
                .map_or_else(String::new, |needed| format!(", {needed} are needed"));
            format!(
                "{} ({} measurements{needed})",
                parts::said(&it.reason),
                it.measured
            )
        },
    )
}

fn table(found: &Found<'_>, records: &[ForecastRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let (digits, times, after) = form(it.unit);
        let shown = |value: f64| parts::written("", times * value, digits, after);
        let name = match it.envelope.keyword_id {
            Some(id) => parts::link(
                &found.visit.with(&[("keyword", Some(&id.to_string()))]),
                &name(it),
            ),
            None => parts::text(name(it)),
        };
        let Some(last) = it.points.last() else {
            return parts::row(vec![
                name,
                parts::text(refusal(it)),
                Markup::default(),
                Markup::default(),
                Markup::default(),
                Markup::default(),
            ]);
        };
        let band = html! { (shown(last.lo80)) " – " (shown(last.hi80)) };
        let quality = it
            .quality
            .as_ref()
            .map_or_else(parts::unknown, |it| parts::text(parts::said(it)));
        let trend = it.trend.as_ref().map_or_else(parts::unknown, |it| {
            parts::number(times * it.slope_per_week, 2)
        });
        parts::row(vec![
            name,
            parts::day(last.date),
            shown(last.median),
            band,
            trend,
            quality,
        ])
    });
    let columns = vec![
        parts::words("Series"),
        parts::words("Until"),
        parts::figures("Expected"),
        parts::figures("With 80 %"),
        parts::figures("A week"),
        parts::words("Quality"),
    ];
    found.listed(
        "All series",
        "Choose a keyword to see its forecast.",
        columns,
        rows,
    )
}
