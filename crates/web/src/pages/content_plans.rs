//! Content plans: a project's list (`plans_page.js`), and one plan (`plan_page.js`).

use super::components::noscript_note;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::script_modules::ProjectOptions;
use super::{PageError, page_header, script_modules};
use domain::ids::{ContentPlanId, ProjectId};
use domain::use_cases::content_plans::ContentPlanError;
use maud::html;

const LIST_MODULES: [&str; 5] = ["paged_table", "plan_dialog", "content_plan", "dom", "api"];
const NO_SCRIPT_TEXT: &str = "Content plans need JavaScript.";
const PLAN_MODULES: [&str; 4] = ["content_plan", "table_order", "dom", "api"];

pub async fn list(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let (project, language) = script_modules::project_and_language(visit, id).await?;
    let lead = "Which pages to write or to improve, for which keywords, by when and by whom.";
    Ok(PageContent {
        title: format!("Content plans · {}", project.name.as_str()),
        simulated: false,
        parts: vec![
            page_header::head(page_header::crumbs(&project), "Content plans", lead, None),
            html! {
                div #plans class="page wide" data-project=(id.0) data-language=(language) { (noscript_note(NO_SCRIPT_TEXT)) }
            },
            script_modules::script_elements(
                "plans_page",
                &LIST_MODULES,
                &ProjectOptions::single(&project),
            ),
        ],
        project: Some(project),
    })
}

pub async fn plan_page(
    visit: &PageContext<'_>,
    id: ProjectId,
    plan: i64,
) -> Result<PageContent, PageError> {
    let project = visit.project(id).await?;
    let core = &visit.services.core;
    let found = match core
        .content_plan(visit.account(), id, ContentPlanId(plan))
        .await
    {
        Err(ContentPlanError::Storage(error)) => return Err(error.into()),
        found => found.map_err(|_| PageError::NotFound)?,
    };
    let mut crumbs = page_header::crumbs(&project);
    crumbs.push((
        format!("/projects/{id}/content-plans"),
        "Content plans".to_owned(),
    ));
    Ok(PageContent {
        title: format!("{} · {}", found.name, project.name.as_str()),
        simulated: false,
        parts: vec![
            page_header::head(crumbs, "Content plan", "", None),
            html! {
                div #plan class="page wide" data-project=(id.0) data-plan=(plan) { (noscript_note(NO_SCRIPT_TEXT)) }
            },
            script_modules::script_elements(
                "plan_page",
                &PLAN_MODULES,
                &ProjectOptions::single(&project),
            ),
        ],
        project: Some(project),
    })
}
