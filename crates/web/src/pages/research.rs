//! Keyword research: the form, and what the module `research_page.js` needs to answer it.

use super::{
    NoPage,
    frame::{self, Page, Spot},
    markets::{self, FieldNames},
    modules::{self, Named},
    parts::Html,
    visit::Visit,
};
use askama::Template;
use domain::market::Market;

const FIELDS: FieldNames = FieldNames {
    country: "location",
    language: "language",
};
const BEFORE: [&str; 12] = [
    "ideas_table",
    "paged_table",
    "priority",
    "clicks",
    "words",
    "research_answer",
    "research_view",
    "save_dialog",
    "plan_dialog",
    "content_plan",
    "dom",
    "api",
];

#[derive(Template)]
#[template(path = "research.html")]
struct Form<'a> {
    projects: &'a [Named],
    cut: Option<u32>,
    market: Html,
}

pub async fn page(visit: &Visit<'_>) -> Result<Page, NoPage> {
    let lead = "What do people search for, how often, and how hard is it to be found?";
    let projects = modules::projects(visit).await?;
    let market = Market::default();
    let form = Html::of(&Form {
        projects: &projects.named,
        cut: projects.cut,
        market: markets::fields(FIELDS, market.country, market.language),
    });
    Ok(Page {
        title: "Keyword research".to_owned(),
        spot: Spot::Research,
        project: None,
        // What is found says itself whether it was made up.
        simulated: false,
        parts: vec![
            frame::head(vec![], "Keyword research", lead, None),
            form,
            modules::start("research_page", &BEFORE, &projects),
        ],
    })
}
