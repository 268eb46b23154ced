//! Content plans: the list of a project (`plans_page.js`), and one of them (`plan_page.js`).

use super::{
    NoPage,
    frame::{self, Page, Spot},
    modules::{self, Projects},
    parts::Html,
    visit::Visit,
};
use askama::Template;
use domain::{
    ids::{ContentPlanId, ProjectId},
    use_cases::content_plans::ContentPlanError,
};

const BEFORE_LIST: [&str; 5] = ["paged_table", "plan_dialog", "content_plan", "dom", "api"];
const BEFORE_ONE: [&str; 4] = ["content_plan", "table_order", "dom", "api"];

#[derive(Template)]
#[template(path = "content_plans.html")]
struct Plans<'a> {
    id: i64,
    language: &'a str,
}

#[derive(Template)]
#[template(path = "content_plan.html")]
struct Plan {
    id: i64,
    plan: i64,
}

pub async fn list(visit: &Visit<'_>, id: ProjectId) -> Result<Page, NoPage> {
    let (project, language) = modules::project_and_language(visit, id).await?;
    let lead = "Which pages to write or to improve, for which keywords, by when and by whom.";
    Ok(Page {
        title: format!("Content plans · {}", project.name.as_str()),
        spot: Spot::ContentPlans,
        simulated: false,
        parts: vec![
            frame::head(frame::crumbs(&project), "Content plans", lead, None),
            Html::of(&Plans {
                id: id.0,
                language: &language,
            }),
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
        spot: Spot::ContentPlans,
        simulated: false,
        parts: vec![
            frame::head(crumbs, "Content plan", "", None),
            Html::of(&Plan { id: id.0, plan }),
            modules::start("plan_page", &BEFORE_ONE, &Projects::one(&project)),
        ],
        project: Some(project),
    })
}
