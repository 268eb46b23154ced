//! A project's overview: metrics, changes, suggestions and running analyses.

use super::charts::{Lines, Series};
use super::frame::Page;
use super::parts::Table;
use super::results::result_page;
use super::visit::Visit;
use super::{NoPage, frame, jobs, measures, parts};
use analysis::document::FromJson;
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
use domain::use_cases::projects::ProjectState;
use maud::{Markup, html};
use std::fmt::Write as _;

/// Records read per type.
const TOP: u32 = 5;
const JOBS: u32 = 5;
const MOVERS: usize = 6;
const SET_CHANGES: usize = 3;

pub async fn page(visit: &Visit<'_>, id: ProjectId) -> Result<Page, NoPage> {
    let state = { &visit.services.core }
        .project_state(visit.account(), id, TOP, JOBS)
        .await?;
    let state = state.ok_or(NoPage::NotFound)?;
    let project = &state.project;
    let mut body = vec![head(&state)];
    if !project.is_active() {
        body.push(parts::remark(
            "warn",
            "This project is out of use: nothing is measured. Bring it back in its settings.",
        ));
    }
    let none_is_online = jobs::waits_for_worker(visit, &state.jobs).await?;
    let now = visit.services.core.clock.now();
    let is_running = state.jobs.iter().any(|it| it.state.is_unfinished());
    if is_running {
        let running = { state.jobs.iter() }
            .filter(|it| it.state.is_unfinished())
            .map(|it| jobs::line(it, None, none_is_online && it.is_overdue(now)));
        let lines = jobs::lines(running);
        body.push(parts::card("Running now", "", lines));
    }
    if state.heads.is_empty() && !is_running {
        body.push(nothing_yet(project));
    } else if !state.heads.is_empty() {
        body.push(figures(&state));
        body.push(course(&state));
        let first = html! { (moved(&state)) (suggestions(&state)) };
        let second = html! { (measurements(&state)) (past(&state)) };
        body.push(parts::side_by_side("split", first, second));
    }
    Ok(Page {
        title: project.name.as_str().to_owned(),
        simulated: state
            .heads
            .iter()
            .any(|(head, _)| head.provenance.is_simulated()),
        project: Some(state.project),
        parts: body,
    })
}

fn head(state: &ProjectState) -> Markup {
    let project = &state.project;
    let here = format!("/projects/{}", project.id);
    let action = project.is_active().then(|| {
        let other = |kind: AnalysisKind, label: &str| {
            let body = serde_json::json!({ "type": kind.name(), "projectId": project.id.0 });
            parts::pressed(
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
                    (parts::starter("rankCheck", project.id.0, &here, "Check rankings"))
                }
                (other(AnalysisKind::SiteAudit, "Audit the site"))
                (other(AnalysisKind::WebVitals, "Web vitals"))
                @if project.ai_tracked_count > 0 { (other(AnalysisKind::AiVisibility, "AI answers")) }
            }
        }
    });
    let lead = project.domain.unicode();
    frame::head(
        vec![("/".to_owned(), "Projects".to_owned())],
        project.name.as_str(),
        lead,
        action,
    )
}

fn nothing_yet(project: &Project) -> Markup {
    if project.keyword_count == 0 {
        let text = "Add keywords to follow your positions, or audit the site to see the state of its pages.";
        let href = format!("/projects/{}/keywords#add", project.id);
        return parts::empty(
            "overview",
            "Nothing is measured yet",
            text,
            Some(parts::main_link(&href, "Add keywords")),
        );
    }
    let text = "Run your first rank check. Results appear here within a minute or two.";
    let start = parts::starter(
        "rankCheck",
        project.id.0,
        &format!("/projects/{}", project.id),
        "Check rankings now",
    );
    parts::empty(
        "overview",
        "Nothing is measured yet",
        text,
        project.is_active().then_some(start),
    )
}

/// `None` if it was not measured or cannot be parsed.
fn summary<T: FromJson>(state: &ProjectState, of: ResultType) -> Option<T> {
    found(state, of)?.0.summary.parse().ok()
}

fn found(state: &ProjectState, of: ResultType) -> Option<(&ResultHead, &[Finding])> {
    let found = state.heads.iter().find(|(head, _)| head.result_type == of);
    found.map(|(head, records)| (head, records.as_slice()))
}

fn figures(state: &ProjectState) -> Markup {
    let rankings: Option<RankingsSummary> = summary(state, ResultType::Rankings);
    let sov: Option<SovSummary> = summary(state, ResultType::Sov);
    let ai: Option<AiVisibilitySummary> = summary(state, ResultType::AiVisibility);
    let content: Option<ContentSummary> = summary(state, ResultType::Content);
    let mut told = Vec::new();
    if let Some(it) = &rankings {
        let ranked = it.buckets.first + it.buckets.top3 + it.buckets.top10;
        let visibility = parts::stat(
            "Visibility",
            parts::maybe(it.visibility_index, 1),
            "of 100: how much of the clicks that positions can bring",
        );
        told.push(visibility.moved(
            measures::visibility_delta(it),
            &measures::visibility_period(it),
        ));
        told.push(parts::stat(
            "On the first page",
            parts::count(ranked),
            &format!("of {} keywords", it.coverage.measured),
        ));
        told.push(parts::stat(
            "Average position",
            parts::maybe(it.average_position_all, 1),
            "keywords that are not found count as one place behind the last one seen",
        ));
        told.push(parts::stat(
            "Visits a month",
            parts::maybe(it.estimated_traffic, 0),
            &format!(
                "estimated, from {} keywords with a search volume",
                it.estimated_traffic_keywords
            ),
        ));
    }
    if let Some(it) = &sov {
        let change = parts::delta(it.change30.map(|it| 100.0 * it), 1, " points");
        told.push(
            parts::stat(
                "Share of voice",
                parts::percent(it.sov),
                &format!(
                    "of all clicks on these keywords, among {} sites",
                    it.domain_count
                ),
            )
            .moved(change, &measures::share_period(it)),
        );
    }
    if let Some(it) = &ai {
        told.push(parts::stat(
            "AI visibility",
            parts::maybe(it.ai_visibility_score, 1),
            "of 100: named and cited in AI answers",
        ));
    }
    if let Some(it) = &content {
        told.push(parts::stat(
            "Healthy pages",
            parts::percent(it.health_score.map(|it| it / 100.0)),
            &format!("of {} pages are without an error", it.pages),
        ));
    }
    if told.is_empty() {
        Markup::default()
    } else {
        parts::stats(told)
    }
}

/// The last days on which the number of measured keywords changed.
fn set_changes(series: &ProjectSeries) -> Option<String> {
    let days: Vec<(NaiveDate, u32)> = { series.newest_of_a_kind() }
        .map(|(day, it)| (day, it.keywords))
        .collect();
    let changed = days.windows(2).rev().filter(|it| it[0].1 != it[1].1);
    let told: Vec<String> = changed
        .take(SET_CHANGES)
        .map(|it| {
            let more = i64::from(it[1].1) - i64::from(it[0].1);
            format!("{more:+} on {}", it[1].0.format("%-d %b"))
        })
        .collect();
    (!told.is_empty()).then(|| format!(" Keywords measured: {}.", told.join(", ")))
}

fn course(state: &ProjectState) -> Markup {
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
    let told = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!(
            "From {first:.1} to {last:.1} over {} measurements.",
            known.len()
        ),
        _ => String::new(),
    };
    let lines = Lines {
        title: "Visibility, day by day".to_owned(),
        told,
        days,
        series: vec![Series {
            name: "Visibility".to_owned(),
            colour: 1,
            dashed: false,
            values,
        }],
        inverted: false,
        floor: Some(0.0),
        times: 1.0,
        digits: 1,
        after: "",
    };
    let mut note = "Your share of the clicks that positions can bring, over all keywords of each day. Gaps: no check for a week or more.".to_owned();
    note.extend({ state.series.as_ref() }.and_then(set_changes));
    parts::card("Visibility", &note, lines.html())
}

fn moved(state: &ProjectState) -> Markup {
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
        return parts::card("What changed", "", html! { p .soft .small { (text) } });
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
        return parts::card(
            "What changed",
            &note,
            html! { p .soft .small { "No position moved." } },
        );
    }
    let place =
        |it: Option<u32>| it.map_or_else(|| parts::text("none"), |it| parts::count(it.into()));
    let rows = all.into_iter().map(|it| {
        let places = it
            .previous_position
            .zip(it.position)
            .map(|(was, is)| f64::from(was) - f64::from(is));
        let sign = match (it.previous_position, it.position) {
            (None, Some(_)) => parts::tag("good", "new"),
            (Some(_), None) => parts::tag("bad", "lost"),
            _ => parts::delta(places, 0, "").unwrap_or_else(parts::unknown),
        };
        let href = format!(
            "/projects/{}/results/rankings?keyword={}",
            state.project.id, it.keyword_id
        );
        parts::row(vec![
            parts::link(&href, &it.keyword),
            place(it.previous_position),
            place(it.position),
            sign,
            parts::maybe(it.clicks_change, 0),
        ])
    });
    let columns = vec![
        parts::words("Keyword"),
        parts::figures("Before"),
        parts::figures("Now"),
        parts::figures("Change"),
        parts::figures("Visits a month"),
    ];
    let table = Table::new("Keywords that moved most", columns, rows.collect()).named_above();
    parts::card_of("What changed", &note, &table)
}

fn suggestions(state: &ProjectState) -> Markup {
    let Some((head, records)) = found(state, ResultType::Suggestions) else {
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
                        (parts::tag("own", &format!("{:.0}", it.priority_score)))
                        b .wrap { (it.title) }
                    }
                    p .small .soft .wrap { (it.rationale) }
                }
            }
        }
    };
    let href = format!("/projects/{}/results/suggestions", state.project.id);
    let all = parts::link(&href, &format!("All {}", head.item_count));
    parts::card_with(
        "What to do next",
        "Ordered by what it brings for the effort.",
        all,
        lines,
    )
}

fn measurements(state: &ProjectState) -> Markup {
    let rows = ResultType::ALL.into_iter().map(|of| {
        let href = format!("/projects/{}/results/{of}", state.project.id);
        let name = parts::link(&href, result_page(of).name());
        let when = found(state, of).map_or_else(
            || parts::text("never"),
            |(head, _)| parts::ago(head.measured_at),
        );
        parts::row(vec![name, when])
    });
    let columns = vec![parts::words("Result"), parts::words("Measured")];
    let table = Table::new("What was measured when", columns, rows.collect())
        .named_above()
        .tight();
    parts::card_of("Measurements", "", &table)
}

fn past(state: &ProjectState) -> Markup {
    let ended: Vec<Markup> = { state.jobs.iter() }
        .filter(|it| !it.state.is_unfinished())
        .map(|it| jobs::line(it, None, false))
        .collect();
    if ended.is_empty() {
        return Markup::default();
    }
    parts::card("Last analyses", "", jobs::lines(ended))
}
