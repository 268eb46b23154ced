use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::{Fan, FanPoint};
use crate::pages::{PageError, components, measures};
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

const MAX_POINTS: u32 = 120;

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
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
    let forecast_count = it.combination + it.naive + it.constant;
    let refused =
        it.no_history + it.history_too_short + it.measured_too_rarely + it.mostly_not_ranked;
    components::stats(vec![
        components::stat(
            "Told",
            components::count(forecast_count),
            "series with a forecast",
        ),
        components::stat(
            "Good",
            components::count(it.good),
            "were right about the past within their bands",
        ),
        components::stat(
            "Fair or poor",
            components::count(it.fair + it.poor),
            "read their bands, not their middle",
        ),
        components::stat(
            "No better than today's value",
            components::count(it.naive),
            "there the last value is told, and that it is",
        ),
        components::stat(
            "Refused",
            components::count(refused),
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
        (target, _) => components::humanize_capitalized(&components::api_name(target)),
    }
}

/// Decimals, factor and unit of a value.
const fn unit_format(unit: ForecastUnit) -> (usize, f64, &'static str) {
    match unit {
        ForecastUnit::Position | ForecastUnit::Index => (1, 1.0, ""),
        ForecastUnit::ClicksPerMonth | ForecastUnit::Clicks => (0, 1.0, ""),
        ForecastUnit::Share => (1, 100.0, " %"),
    }
}

async fn history(
    found: &ResultContext<'_>,
    record: &ForecastRecord,
) -> Result<Vec<(NaiveDate, Option<f64>)>, PageError> {
    if let Some(keyword) = record.envelope.keyword_id {
        let points = found.position_history(keyword, None, MAX_POINTS).await?;
        let points = points.iter().map(|it| {
            (
                it.envelope.measured_at.date_naive(),
                it.position.map(f64::from),
            )
        });
        return Ok(measures::insert_gaps(points.collect()));
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
        .newest_series()
        .filter(|_| known)
        .map(|(day, it)| (day, value(it)));
    Ok(measures::insert_gaps(days.collect()))
}

async fn fan(found: &ResultContext<'_>, record: &ForecastRecord) -> Result<Markup, PageError> {
    let (digits, times, after) = unit_format(record.unit);
    let ahead: Vec<FanPoint> = { record.points.iter() }
        .map(|it| FanPoint {
            day: it.date,
            median: it.median,
            band80: (it.lo80, it.hi80),
            band95: (it.lo95, it.hi95),
        })
        .collect();
    let name = name(record);
    let Some(last) = ahead.last().copied() else {
        return Ok(components::remark(
            "warn",
            format_args!("{name}: no forecast, since {}.", refusal(record)),
        ));
    };
    let text = |it: f64| format!("{}{after}", components::format_number(times * it, digits));
    let description = format!(
        "On {} it is {}, with 80 % between {} and {}.",
        last.day,
        text(last.median),
        text(last.band80.0),
        text(last.band80.1)
    );
    let fan = Fan {
        title: name.clone(),
        description: description.clone(),
        history: history(found, record).await?,
        forecast: ahead,
        inverted: record.target == ForecastTarget::Position,
        factor: times,
        digits,
        suffix: after,
    };
    let mut facts = vec![
        (
            "Rests on",
            components::text(format_args!(
                "{} values, {} days without one",
                record.history.n, record.history.missing
            )),
        ),
        (
            "Method",
            record
                .method
                .as_ref()
                .map_or_else(components::unknown, |it| {
                    components::text(components::humanize_value(it))
                }),
        ),
        (
            "Quality",
            record
                .quality
                .as_ref()
                .map_or_else(components::unknown, |it| {
                    components::text(components::humanize_value(it))
                }),
        ),
    ];
    if let Some(test) = &record.backtest {
        facts.push((
            "Mean error in the past",
            components::number(times * test.mae, digits.max(1)),
        ));
        facts.push(("80 % band held", components::percent(Some(test.coverage80))));
        facts.push(("95 % band held", components::percent(Some(test.coverage95))));
        facts.push((
            "Tried on",
            components::text(format_args!("{} earlier days", test.origins)),
        ));
    }
    for it in &record.targets {
        facts.push((
            "Chance",
            components::text(format_args!(
                "{:.0} % to be at {} or better at the end",
                100.0 * it.probability,
                components::format_number(it.threshold, 0)
            )),
        ));
    }
    let sides = components::side_by_side("split", fan.html(), components::pairs(facts));
    Ok(components::card(
        &name,
        &format!("{description} The dark band holds 80 %, the light one 95 % of what may come."),
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
                components::humanize_value(&it.reason),
                it.measured
            )
        },
    )
}

fn table(found: &ResultContext<'_>, records: &[ForecastRecord]) -> Markup {
    let rows = records.iter().map(|it| {
        let (digits, times, after) = unit_format(it.unit);
        let shown = |value: f64| components::number_with_unit("", times * value, digits, after);
        let name = match it.envelope.keyword_id {
            Some(id) => components::link(
                &found.visit.url_with(&[("keyword", Some(&id.to_string()))]),
                &name(it),
            ),
            None => components::text(name(it)),
        };
        let Some(last) = it.points.last() else {
            return components::row(vec![
                name,
                components::text(refusal(it)),
                Markup::default(),
                Markup::default(),
                Markup::default(),
                Markup::default(),
            ]);
        };
        let band = html! { (shown(last.lo80)) " – " (shown(last.hi80)) };
        let quality = it.quality.as_ref().map_or_else(components::unknown, |it| {
            components::text(components::humanize_value(it))
        });
        let trend = it.trend.as_ref().map_or_else(components::unknown, |it| {
            components::number(times * it.slope_per_week, 2)
        });
        components::row(vec![
            name,
            components::day(last.date),
            shown(last.median),
            band,
            trend,
            quality,
        ])
    });
    let columns = vec![
        components::text_column("Series"),
        components::text_column("Until"),
        components::number_column("Expected"),
        components::number_column("With 80 %"),
        components::number_column("A week"),
        components::text_column("Quality"),
    ];
    found.records_card(
        "All series",
        "Choose a keyword to see its forecast.",
        columns,
        rows,
    )
}
