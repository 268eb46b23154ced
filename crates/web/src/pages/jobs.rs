//! Components that show analyses.

use super::components::icon;
use super::page_context::PageContext;
use super::{PageError, components};
use chrono::{DateTime, Utc};
use domain::job::{Job, JobStatus, kind::AnalysisKind};
use domain::rights::Right;
use maud::{Markup, html};

pub const fn name(kind: AnalysisKind) -> &'static str {
    match kind {
        AnalysisKind::RankCheck => "Rank check",
        AnalysisKind::AiVisibility => "AI visibility",
        AnalysisKind::SiteAudit => "Site audit",
        AnalysisKind::WebVitals => "Web vitals",
        AnalysisKind::Full => "Everything",
    }
}

/// Whether no worker is online for them.
pub async fn waits_for_worker(visit: &PageContext<'_>, jobs: &[Job]) -> Result<bool, PageError> {
    let core = &visit.services.core;
    Ok(core.no_worker_online_for(jobs).await?)
}

/// With a progress bar while it runs. `no_worker`: it waits because none is online.
pub fn job_item(
    visit: &PageContext<'_>,
    job: &Job,
    project: Option<Markup>,
    no_worker: bool,
) -> Markup {
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
                    (components::tag(sign, status.name()))
                }
                span class="row soft small" { (components::ago(at)) }
            }
            @if live { (running_details(job, visit.may(Right::AnalysisRun), no_worker)) } @else { (finished_details(job)) }
            @if let Some(error) = job.error() {
                div class="note-box bad" {
                    (icon("info"))
                    span { b { (error.code) } ": " (error.detail) @if let Some(hint) = &error.hint { " " (hint) } }
                }
            }
        }
    }
}

pub fn job_list(lines: impl IntoIterator<Item = Markup>) -> Markup {
    html! { ul .lines { @for line in lines { (line) } } }
}

fn running_details(job: &Job, may_stop: bool, no_worker: bool) -> Markup {
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
            @if job.cancel_requested { "stopping …" } @else if may_stop {
                (components::api_button(
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

fn finished_details(job: &Job) -> Markup {
    let took = job.started_at.zip(job.finished_at);
    html! {
        p class="small soft" {
            (job.progress.done) " of " (job.progress.total) " " (job.kind.unit())
            " · cost " (job.cost.spent) " USD in " (job.cost.calls)
            @if job.cost.calls == 1 { " call" } @else { " calls" }
            " · asked by " (job.trigger.name())
            @if let Some((from, to)) = took { " · took " (format_duration(from, to)) }
        }
    }
}

fn format_duration(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let seconds = (to - from).num_seconds().max(0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}
