use super::page_context::PageContext;
use super::page_header::PageContent;
use super::{PageError, components, jobs, page_header};

use domain::job::JobStatus;
use domain::job::kind::AnalysisKind;
use domain::page::{Direction, PageRequest};
use domain::ports::jobs::{JobFilter, JobSort};
use domain::ports::projects::{ProjectFilter, ProjectSort};
use domain::use_cases::analyses::ListAnalysesError;
use maud::html;
use std::collections::HashMap;

const KNOWN_PARAMETERS: [&str; 4] = ["status", "type", "cursor", "sort"];
const SORTS: [(&str, JobSort); 1] = [("createdAt", JobSort::CreatedAt)];
const ROWS: u32 = 30;
/// Accounts rarely have more projects.
const NAMES: u32 = 200;

pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let query = visit.query(&KNOWN_PARAMETERS);
    let status = query.text("status").and_then(JobStatus::named);
    let filter = JobFilter {
        status,
        kind: query.text("type").and_then(AnalysisKind::named),
        ..JobFilter::default()
    };
    let list_request = visit.list_request(&query, ROWS, &SORTS, Direction::Descending);
    let found = visit
        .services
        .core
        .analyses(visit.account(), &filter, &list_request.page)
        .await;
    let list = found.map_err(|error| match error {
        ListAnalysesError::NoSuchProject => PageError::NotFound,
        ListAnalysesError::Storage(error) => PageError::Storage(error),
    })?;
    let names = names(visit).await?;
    let none_is_online = jobs::waits_for_worker(visit, &list.jobs.items).await?;
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
            let href = visit.url_with(&[("status", of.map(JobStatus::name)), ("cursor", None)]);
            (href, components::humanize_capitalized(label), of == status)
        })
        .collect();
    let body = if list.jobs.items.is_empty() {
        let text = "Open a project and start a rank check, a site audit, web vitals or AI visibility. If it costs money, the amount is shown before it starts.";
        components::empty_state(
            "queue",
            "No analyses here",
            text,
            Some(components::main_link("/", "To the projects")),
        )
    } else {
        let shown = list.jobs.items.iter().map(|job| {
            let known = names.get(&job.project.0);
            let label = known.map_or("a project", String::as_str);
            jobs::job_item(
                visit,
                job,
                Some(components::link(
                    &format!("/projects/{}", job.project),
                    label,
                )),
                none_is_online && job.is_overdue(now),
            )
        });
        let (first, next) = visit.page_links(&list_request, &list.jobs);
        html! {
            (components::card("", "", jobs::job_list(shown)))
            (components::pager(first.as_deref(), next.as_deref(), ""))
        }
    };
    Ok(PageContent {
        title: "Analyses".to_owned(),
        project: None,
        simulated: false,
        parts: vec![
            page_header::head(vec![], "Analyses", &lead, None),
            components::tabs("State", &tabs),
            body,
        ],
    })
}

async fn names(visit: &PageContext<'_>) -> Result<HashMap<i64, String>, PageError> {
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
