//! Content plans: a project's list (`plans_page.js`), and one plan (`plan_page.js`).

use super::frame::Page;
use super::modules::Projects;
use super::parts::needs_scripts;
use super::visit::Visit;
use super::{NoPage, frame, modules};
use domain::ids::{ContentPlanId, ProjectId};
use domain::use_cases::content_plans::ContentPlanError;
use maud::html;

const BEFORE_LIST: [&str; 5] = ["paged_table", "plan_dialog", "content_plan", "dom", "api"];
const NEEDED: &str = "Content plans need JavaScript.";
const BEFORE_ONE: [&str; 4] = ["content_plan", "table_order", "dom", "api"];

pub async fn list(visit: &Visit<'_>, id: ProjectId) -> Result<Page, NoPage> {
    let (project, language) = modules::project_and_language(visit, id).await?;
    let lead = "Which pages to write or to improve, for which keywords, by when and by whom.";
    Ok(Page {
        title: format!("Content plans · {}", project.name.as_str()),
        simulated: false,
        parts: vec![
            frame::head(frame::crumbs(&project), "Content plans", lead, None),
            html! {
                div #plans class="page wide" data-project=(id.0) data-language=(language) { (needs_scripts(NEEDED)) }
            },
            modules::start("plans_page", &BEFORE_LIST, &Projects::one(&project)),
        ],
        project: Some(project),
    })
}

pub async fn one(visit: &Visit<'_>, id: ProjectId, plan: i64) -> Result<Page, NoPage> {
    let project = visit.project(id).await?;
    let core = &visit.services.core;
    let found = match core
        .content_plan(visit.account(), id, ContentPlanId(plan))
        .await
    {
        Err(ContentPlanError::Storage(error)) => return Err(error.into()),
        found => found.map_err(|_| NoPage::NotFound)?,
    };
    let mut crumbs = frame::crumbs(&project);
    crumbs.push((
        format!("/projects/{id}/content-plans"),
        "Content plans".to_owned(),
    ));
    Ok(Page {
        title: format!("{} · {}", found.name, project.name.as_str()),
        simulated: false,
        parts: vec![
            frame::head(crumbs, "Content plan", "", None),
            html! {
                div #plan class="page wide" data-project=(id.0) data-plan=(plan) { (needs_scripts(NEEDED)) }
            },
            modules::start("plan_page", &BEFORE_ONE, &Projects::one(&project)),
        ],
        project: Some(project),
    })
}
