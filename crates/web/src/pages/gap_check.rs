//! What people search and what a project follows, held against each other by `gap_page.js`.

use super::{
    NoPage,
    frame::{self, Page, Spot},
    modules::{self, Projects},
    parts::Html,
    visit::Visit,
};
use askama::Template;
use domain::ids::ProjectId;

const BEFORE: [&str; 8] = [
    "gap_check",
    "paged_table",
    "words",
    "clicks",
    "save_dialog",
    "plan_dialog",
    "dom",
    "api",
];

#[derive(Template)]
#[template(path = "gap_check.html")]
struct Gaps<'a> {
    id: i64,
    language: &'a str,
}

pub async fn page(visit: &Visit<'_>, id: ProjectId) -> Result<Page, NoPage> {
    let (project, language) = modules::project_and_language(visit, id).await?;
    let lead = "What people search and this project does not follow, and the other way round.";
    Ok(Page {
        title: format!("Gap check · {}", project.name.as_str()),
        spot: Spot::GapCheck,
        simulated: false,
        parts: vec![
            frame::head(frame::crumbs(&project), "Gap check", lead, None),
            Html::of(&Gaps {
                id: id.0,
                language: &language,
            }),
            modules::start("gap_page", &BEFORE, &Projects::one(&project)),
        ],
        project: Some(project),
    })
}
