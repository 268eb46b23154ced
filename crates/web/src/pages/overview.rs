//! A project's overview: metrics, changes, suggestions and running analyses.

use super::charts::{Lines, Mark, Series};
use super::components::Table;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::results::result_page;
use super::{PageError, components, events, jobs, measures, page_header};
use analysis::document::FromJson;
use analysis::events::{EventClass, EventSeverity};
use analysis::findings::ai_visibility::AiVisibilitySummary;
use analysis::findings::content::ContentSummary;
use analysis::findings::rankings::{Moved, ProjectSeries, RankingsSummary};
use analysis::findings::sov::SovSummary;
use analysis::findings::suggestions::SuggestionRecord;
use analysis::result_type::ResultType;
use chrono::NaiveDate;
use domain::ids::ProjectId;
use domain::job::kind::AnalysisKind;
use domain::project::Project;
use domain::results::{Finding, ResultHead};
use domain::rights::Right;
use domain::use_cases::projects::ProjectState;
use maud::{Markup, html};
use std::fmt::Write as _;

/// Records read per type.
const RECORDS_PER_TYPE: u32 = 5;
const JOBS: u32 = 5;
const MOVERS: usize = 6;
const SET_CHANGES: usize = 3;

pub async fn page(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let state = { &visit.services.core }
        .project_state(visit.account(), id, RECORDS_PER_TYPE, JOBS)
        .await?;
    let state = state.ok_or(PageError::NotFound)?;
    let project = &state.project;
    let mut body = vec![head(visit, &state)];
    if !project.is_active() {
        body.push(components::remark(
            "warn",
            "This project is out of use: nothing is measured. Bring it back in its settings.",
        ));
    }
    let none_is_online = jobs::waits_for_worker(visit, &state.jobs).await?;
    let now = visit.services.core.clock.now();
    let is_running = state.jobs.iter().any(|it| it.state.is_unfinished());
    let reads_details = visit.may(Right::DetailsRead);
    if is_running && reads_details {
        let running = { state.jobs.iter() }
            .filter(|it| it.state.is_unfinished())
            .map(|it| jobs::job_item(visit, it, None, none_is_online && it.is_overdue(now)));
        let lines = jobs::job_list(running);
        body.push(components::card("Running now", "", lines));
    }
    if state.heads.is_empty() && !is_running {
        body.push(nothing_yet(visit, project));
    } else if !state.heads.is_empty() {
        body.push(figures(&state));
        let classes = [EventClass::Ranks, EventClass::Site];
        let events = events::for_charts(visit, id, &classes, EventSeverity::Warning, None).await?;
        body.push(visibility_chart(&state, events::marks(events.iter())));
        let first = html! {
            (movers_card(&state))
            @if reads_details { (suggestions(&state)) }
        };
        let second = html! {
            (measurements(visit, &state))
            @if reads_details { (finished_jobs(visit, &state)) }
        };
        body.push(components::side_by_side("split", first, second));
    }
    Ok(PageContent {
        title: project.name.as_str().to_owned(),
        simulated: state
            .heads
            .iter()
            .any(|(head, _)| head.provenance.is_simulated()),
        project: Some(state.project),
        parts: body,
    })
}

fn head(visit: &PageContext<'_>, state: &ProjectState) -> Markup {
    let project = &state.project;
    let here = format!("/projects/{}", project.id);
    let may_start = project.is_active() && visit.may(Right::AnalysisRun);
    let action = may_start.then(|| {
        let other = |kind: AnalysisKind, label: &str| {
            let body = serde_json::json!({ "type": kind.name(), "projectId": project.id.0 });
            components::api_button(
                "",
                "POST /api/analyses",
                &body.to_string(),
                "",
                &here,
                label,
            )
        };
        html! {
            div .row {
                @if project.keyword_count > 0 {
                    (components::start_analysis_button("rankCheck", project.id.0, &here, "Check rankings"))
                }
                (other(AnalysisKind::SiteAudit, "Audit the site"))
                (other(AnalysisKind::WebVitals, "Web vitals"))
                @if project.ai_tracked_count > 0 { (other(AnalysisKind::AiVisibility, "AI answers")) }
            }
        }
    });
    let lead = project.domain.unicode();
    page_header::head(
        vec![("/".to_owned(), "Projects".to_owned())],
        project.name.as_str(),
        lead,
        action,
    )
}

fn nothing_yet(visit: &PageContext<'_>, project: &Project) -> Markup {
    if !visit.may(Right::AnalysisRun) {
        let text = "Results appear here after the first analysis.";
        return components::empty_state("overview", "Nothing is measured yet", text, None);
    }
    if project.keyword_count == 0 {
        let text = "Add keywords to follow your positions, or audit the site to see the state of its pages.";
        let href = format!("/projects/{}/keywords#add", project.id);
        return components::empty_state(
            "overview",
            "Nothing is measured yet",
            text,
            Some(components::main_link(&href, "Add keywords")),
        );
    }
    let text = "Run your first rank check. Results appear here within a minute or two.";
    let start = components::start_analysis_button(
        "rankCheck",
        project.id.0,
        &format!("/projects/{}", project.id),
        "Check rankings now",
    );
    components::empty_state(
        "overview",
        "Nothing is measured yet",
        text,
        project.is_active().then_some(start),
    )
}

/// `None` if it was not measured or cannot be parsed.
fn summary<T: FromJson>(state: &ProjectState, of: ResultType) -> Option<T> {
    find_result(state, of)?.0.summary.parse().ok()
}

fn find_result(state: &ProjectState, of: ResultType) -> Option<(&ResultHead, &[Finding])> {
    let found = state.heads.iter().find(|(head, _)| head.result_type == of);
    found.map(|(head, records)| (head, records.as_slice()))
}

fn figures(state: &ProjectState) -> Markup {
    let rankings: Option<RankingsSummary> = summary(state, ResultType::Rankings);
    let sov: Option<SovSummary> = summary(state, ResultType::Sov);
    let ai: Option<AiVisibilitySummary> = summary(state, ResultType::AiVisibility);
    let content: Option<ContentSummary> = summary(state, ResultType::Content);
    let mut tiles = Vec::new();
    if let Some(it) = &rankings {
        let ranked = it.buckets.first + it.buckets.top3 + it.buckets.top10;
        let visibility = components::stat(
            "Visibility",
            components::optional_number(it.visibility_index, 1),
            "of 100: how much of the clicks that positions can bring",
        );
        tiles.push(visibility.with_change(
            measures::visibility_delta(it),
            &measures::visibility_period(it),
        ));
        tiles.push(components::stat(
            "On the first page",
            components::count(ranked),
            &format!("of {} keywords", it.coverage.measured),
        ));
        tiles.push(components::stat(
            "Average position",
            components::optional_number(it.average_position_all, 1),
            "keywords that are not found count as one place behind the last one seen",
        ));
        tiles.push(components::stat(
            "Visits a month",
            components::optional_number(it.estimated_traffic, 0),
            &format!(
                "estimated, from {} keywords with a search volume",
                it.estimated_traffic_keywords
            ),
        ));
    }
    if let Some(it) = &sov {
        let change = components::delta(it.change30.map(|it| 100.0 * it), 1, " points");
        tiles.push(
            components::stat(
                "Share of voice",
                components::percent(it.sov),
                &format!(
                    "of all clicks on these keywords, among {} sites",
                    it.domain_count
                ),
            )
            .with_change(change, &measures::share_period(it)),
        );
    }
    if let Some(it) = &ai {
        tiles.push(components::stat(
            "AI visibility",
            components::optional_number(it.ai_visibility_score, 1),
            "of 100: named and cited in AI answers",
        ));
    }
    if let Some(it) = &content {
        tiles.push(components::stat(
            "Healthy pages",
            components::percent(it.health_score.map(|it| it / 100.0)),
            &format!("of {} pages are without an error", it.pages),
        ));
    }
    if tiles.is_empty() {
        Markup::default()
    } else {
        components::stats(tiles)
    }
}

/// The last days on which the number of measured keywords changed.
fn set_changes(series: &ProjectSeries) -> Option<String> {
    let days: Vec<(NaiveDate, u32)> = { series.newest_series() }
        .map(|(day, it)| (day, it.keywords))
        .collect();
    let steps = days.windows(2).rev().filter(|it| it[0].1 != it[1].1);
    let changes: Vec<String> = steps
        .take(SET_CHANGES)
        .map(|it| {
            let more = i64::from(it[1].1) - i64::from(it[0].1);
            format!("{more:+} on {}", it[1].0.format("%-d %b"))
        })
        .collect();
    (!changes.is_empty()).then(|| format!(" Keywords measured: {}.", changes.join(", ")))
}

fn visibility_chart(state: &ProjectState, marks: Vec<Mark>) -> Markup {
    let Some(series) = state
        .series
        .as_ref()
        .map(measures::visibility)
        .filter(|it| it.len() > 1)
    else {
        return Markup::default();
    };
    let (days, values): (Vec<_>, Vec<_>) = series.into_iter().unzip();
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let description = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!(
            "From {first:.1} to {last:.1} over {} measurements.",
            known.len()
        ),
        _ => String::new(),
    };
    let lines = Lines {
        title: "Visibility, day by day".to_owned(),
        description,
        days,
        series: vec![Series {
            name: "Visibility".to_owned(),
            color: 1,
            dashed: false,
            values,
        }],
        inverted: false,
        floor: Some(0.0),
        factor: 1.0,
        digits: 1,
        suffix: "",
        marks,
    };
    let mut note = "Your share of the clicks that positions can bring, over all keywords of each day. Gaps: no check for a week or more.".to_owned();
    note.extend({ state.series.as_ref() }.and_then(set_changes));
    components::card("Visibility", &note, lines.html())
}

fn movers_card(state: &ProjectState) -> Markup {
    let Some(changes) =
        summary::<RankingsSummary>(state, ResultType::Rankings).and_then(|it| it.since_last)
    else {
        return Markup::default();
    };
    // New and lost keywords count as moves: a lost keyword is the largest loss.
    let up = changes.winners.iter().chain(&changes.entered).take(MOVERS);
    let down = changes.left.iter().chain(&changes.losers).take(MOVERS);
    let all: Vec<&Moved> = up.chain(down).collect();
    if changes.compared == 0 {
        let text = if changes.dropped == 0 {
            "This is your baseline. The next check is compared with it."
        } else {
            "No keyword was measured in this check and in the previous one."
        };
        return components::card("What changed", "", html! { p .soft .small { (text) } });
    }
    let when =
        { changes.since }.map_or_else(String::new, |it| format!(" ({})", it.format("%-d %b")));
    let mut note = format!(
        "Since the previous check{when}: {} up, {} down, {} unchanged.",
        changes.up + changes.entered_count,
        changes.down + changes.left_count,
        changes.same
    );
    if changes.added > 0 {
        let _ = write!(note, " +{} new, not compared.", changes.added);
    }
    if all.is_empty() {
        return components::card(
            "What changed",
            &note,
            html! { p .soft .small { "No position moved." } },
        );
    }
    let place = |it: Option<u32>| {
        it.map_or_else(
            || components::text("none"),
            |it| components::count(it.into()),
        )
    };
    let rows = all.into_iter().map(|it| {
        let places = it
            .previous_position
            .zip(it.position)
            .map(|(was, is)| f64::from(was) - f64::from(is));
        let sign = match (it.previous_position, it.position) {
            (None, Some(_)) => components::tag("good", "new"),
            (Some(_), None) => components::tag("bad", "lost"),
            _ => components::delta(places, 0, "").unwrap_or_else(components::unknown),
        };
        let href = format!(
            "/projects/{}/results/rankings?keyword={}",
            state.project.id, it.keyword_id
        );
        components::row(vec![
            components::link(&href, &it.keyword),
            place(it.previous_position),
            place(it.position),
            sign,
            components::optional_number(it.clicks_change, 0),
        ])
    });
    let columns = vec![
        components::text_column("Keyword"),
        components::number_column("Before"),
        components::number_column("Now"),
        components::number_column("Change"),
        components::number_column("Visits a month"),
    ];
    let table = Table::new("Keywords that moved most", columns, rows.collect()).hide_caption();
    components::table_card("What changed", &note, &table)
}

fn suggestions(state: &ProjectState) -> Markup {
    let Some((head, records)) = find_result(state, ResultType::Suggestions) else {
        return Markup::default();
    };
    let lines = records
        .iter()
        .filter_map(|it| it.record.parse::<SuggestionRecord>().ok())
        .filter(SuggestionRecord::is_open);
    let lines = html! {
        ul .lines {
            @for it in lines {
                li {
                    div .row {
                        (components::tag("own", &format!("{:.0}", it.priority_score)))
                        b .wrap { (it.title) }
                    }
                    p .small .soft .wrap { (it.rationale) }
                }
            }
        }
    };
    let href = format!("/projects/{}/results/suggestions", state.project.id);
    let all = components::link(&href, &format!("All {}", head.item_count));
    components::card_with_aside(
        "What to do next",
        "Ordered by what it brings for the effort.",
        all,
        lines,
    )
}

fn measurements(visit: &PageContext<'_>, state: &ProjectState) -> Markup {
    let readable = ResultType::ALL
        .into_iter()
        .filter(|it| visit.may(Right::to_read(*it)));
    let rows = readable.map(|of| {
        let href = format!("/projects/{}/results/{of}", state.project.id);
        let name = components::link(&href, result_page(of).name());
        let when = find_result(state, of).map_or_else(
            || components::text("never"),
            |(head, _)| components::ago(head.measured_at),
        );
        components::row(vec![name, when])
    });
    let columns = vec![
        components::text_column("Result"),
        components::text_column("Measured"),
    ];
    let table = Table::new("What was measured when", columns, rows.collect())
        .hide_caption()
        .without_card_layout();
    components::table_card("Measurements", "", &table)
}

fn finished_jobs(visit: &PageContext<'_>, state: &ProjectState) -> Markup {
    let ended: Vec<Markup> = { state.jobs.iter() }
        .filter(|it| !it.state.is_unfinished())
        .map(|it| jobs::job_item(visit, it, None, false))
        .collect();
    if ended.is_empty() {
        return Markup::default();
    }
    components::card("Last analyses", "", jobs::job_list(ended))
}
