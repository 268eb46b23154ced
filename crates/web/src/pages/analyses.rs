use super::{
    NoPage,
    frame::{self, Page},
    parts::{self, icon},
    visit::Visit,
};
use chrono::{DateTime, Utc};
use domain::{
    job::{Job, JobStatus, kind::AnalysisKind},
    page::{Direction, PageRequest},
    ports::{
        jobs::{JobFilter, JobSort},
        projects::{ProjectFilter, ProjectSort},
    },
    use_cases::analyses::ListAnalysesError,
};
use maud::{Markup, html};
use std::collections::HashMap;

const KNOWN: [&str; 4] = ["status", "type", "cursor", "sort"];
const SORTS: [(&str, JobSort); 1] = [("createdAt", JobSort::CreatedAt)];
const ROWS: u32 = 30;
/// As many names of projects as an account usually has.
const NAMES: u32 = 200;

pub const fn name(kind: AnalysisKind) -> &'static str {
    match kind {
        AnalysisKind::RankCheck => "Rank check",
        AnalysisKind::AiVisibility => "AI visibility",
        AnalysisKind::SiteAudit => "Site audit",
        AnalysisKind::WebVitals => "Web vitals",
        AnalysisKind::Full => "Everything",
    }
}

/// Whether they wait because no worker is online.
pub async fn waits_for_worker(visit: &Visit<'_>, jobs: &[Job]) -> Result<bool, NoPage> {
    let core = &visit.services.core;
    Ok(core.is_no_worker_online_for(jobs).await?)
}

/// With a bar while it runs. `no_worker`: it waits because none is online.
pub fn line(job: &Job, project: Option<Markup>, no_worker: bool) -> Markup {
    let status = job.state.status();
    let sign = match status {
        JobStatus::Succeeded => "good",
        JobStatus::Partial | JobStatus::Retrying => "warn",
        JobStatus::Failed => "bad",
        JobStatus::Running => "info",
        JobStatus::Queued | JobStatus::Canceled => "",
    };
    let at = job.finished_at.or(job.started_at).unwrap_or(job.created_at);
    let live = job.state.is_unfinished();
    html! {
        li data-job=[live.then_some(job.id.0)] {
            div class="row apart" {
                span .row {
                    b { (name(job.kind)) }
                    @if let Some(project) = project { span { (project) } }
                    (parts::tag(sign, status.name()))
                }
                span class="row soft small" { (parts::ago(at)) }
            }
            @if live { (under_way(job, no_worker)) } @else { (ended(job)) }
            @if let Some(error) = job.error() {
                div class="note-box bad" {
                    (icon("info"))
                    span { b { (error.code) } ": " (error.detail) @if let Some(hint) = &error.hint { " " (hint) } }
                }
            }
        }
    }
}

pub fn lines(lines: impl IntoIterator<Item = Markup>) -> Markup {
    html! { ul .lines { @for line in lines { (line) } } }
}

fn under_way(job: &Job, no_worker: bool) -> Markup {
    let progress = &job.progress;
    let known = progress.total > 0;
    let total = progress.total.max(1);
    html! {
        progress max=(total) value=[known.then_some(progress.done)] aria-label={ "Progress of " (name(job.kind)) } {}
        div class="row apart small soft" {
            span data-progress {
                @if known {
                    (progress.done) " of " (total) " " (job.kind.unit())
                } @else if job.state.status() == JobStatus::Retrying {
                    "waiting for the next try"
                } @else {
                    "waiting for a worker"
                }
            }
            span class="tag warn" data-connection hidden {}
            @if job.cancel_requested { "stopping …" } @else {
                (parts::pressed(
                    "quiet slim",
                    &format!("DELETE /api/analyses/{}", job.id),
                    "",
                    "Stop this analysis? What it has measured so far is not published.",
                    "",
                    "Stop",
                ))
            }
        }
        @if no_worker {
            div class="note-box warn" {
                (icon("info"))
                span {
                    b { "No worker is online." }
                    " The analysis starts as soon as one is: the operator starts one with "
                    code { "sightline worker" } ", or " code { "sightline serve" } " without " code { "--no-worker" } "."
                }
            }
        }
    }
}

fn ended(job: &Job) -> Markup {
    let took = job.started_at.zip(job.finished_at);
    html! {
        p class="small soft" {
            (job.progress.done) " of " (job.progress.total) " " (job.kind.unit())
            " · cost " (job.cost.spent) " USD in " (job.cost.calls)
            @if job.cost.calls == 1 { " call" } @else { " calls" }
            " · asked by " (job.trigger.name())
            @if let Some((from, to)) = took { " · took " (took_in_words(from, to)) }
        }
    }
}

fn took_in_words(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let seconds = (to - from).num_seconds().max(0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

pub async fn page(visit: &Visit<'_>) -> Result<Page, NoPage> {
    let query = visit.query(&KNOWN);
    let status = query.text("status").and_then(JobStatus::named);
    let filter = JobFilter {
        status,
        kind: query.text("type").and_then(AnalysisKind::named),
        ..JobFilter::default()
    };
    let wanted = visit.wanted(&query, ROWS, &SORTS, Direction::Descending);
    let found = visit
        .services
        .core
        .analyses(visit.account(), &filter, &wanted.page)
        .await;
    let list = found.map_err(|error| match error {
        ListAnalysesError::NoSuchProject => NoPage::NotFound,
        ListAnalysesError::Storage(error) => NoPage::Storage(error),
    })?;
    let names = names(visit).await?;
    let none_is_online = waits_for_worker(visit, &list.jobs.items).await?;
    let now = visit.services.core.clock.now();
    let lead = match (list.queue.running, list.queue.queued) {
        (0, 0) => "Nothing is running.".to_owned(),
        (running, queued) => format!("{running} running, {queued} waiting."),
    };
    let choices = std::iter::once((None, "All")).chain(
        [
            JobStatus::Running,
            JobStatus::Queued,
            JobStatus::Succeeded,
            JobStatus::Partial,
            JobStatus::Failed,
            JobStatus::Canceled,
        ]
        .map(|it| (Some(it), it.name())),
    );
    let tabs: Vec<(String, String, bool)> = choices
        .map(|(of, label)| {
            let href = visit.with(&[("status", of.map(JobStatus::name)), ("cursor", None)]);
            (href, parts::headed(label), of == status)
        })
        .collect();
    let body = if list.jobs.items.is_empty() {
        let text = "Open a project and start a rank check, a site audit, web vitals or AI visibility. What it costs is told before it is spent.";
        parts::empty(
            "queue",
            "No analyses here",
            text,
            Some(parts::main_link("/", "To the projects")),
        )
    } else {
        let shown = list.jobs.items.iter().map(|job| {
            let known = names.get(&job.project.0);
            let label = known.map_or("a project", String::as_str);
            line(
                job,
                Some(parts::link(&format!("/projects/{}", job.project), label)),
                none_is_online && job.is_overdue(now),
            )
        });
        let (first, next) = visit.around(&wanted, &list.jobs);
        html! {
            (parts::card("", "", lines(shown)))
            (parts::pager(first.as_deref(), next.as_deref(), ""))
        }
    };
    Ok(Page {
        title: "Analyses".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            frame::head(vec![], "Analyses", &lead, None),
            parts::tabs("State", &tabs),
            body,
        ],
    })
}

async fn names(visit: &Visit<'_>) -> Result<HashMap<i64, String>, NoPage> {
    let all = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: NAMES,
        counted: false,
        bytes: None,
    };
    let projects = { &visit.services.core }
        .projects(visit.account(), &ProjectFilter::default(), &all)
        .await?;
    let names = projects.items.into_iter();
    Ok(names
        .map(|it| (it.id.0, it.name.as_str().to_owned()))
        .collect())
}
