//! Keyword research: the form, and what the module `research_page.js` needs to answer it.

use super::{
    NoPage,
    frame::{self, Page, Spot},
    modules::{self, Named},
    parts::Html,
    visit::Visit,
};
use askama::Template;

/// Names that are offered; every other name is understood too, or the nearest ones are told.
const COUNTRIES: [&str; 36] = [
    "Argentina",
    "Australia",
    "Austria",
    "Belgium",
    "Brazil",
    "Bulgaria",
    "Canada",
    "Chile",
    "Croatia",
    "Czechia",
    "Denmark",
    "Finland",
    "France",
    "Germany",
    "Greece",
    "Hungary",
    "India",
    "Ireland",
    "Italy",
    "Japan",
    "Mexico",
    "Netherlands",
    "New Zealand",
    "Norway",
    "Poland",
    "Portugal",
    "Romania",
    "Slovakia",
    "Slovenia",
    "South Africa",
    "Spain",
    "Sweden",
    "Switzerland",
    "Ukraine",
    "United Kingdom",
    "United States",
];
/// The same for languages.
const LANGUAGES: [&str; 24] = [
    "Bulgarian",
    "Croatian",
    "Czech",
    "Danish",
    "Dutch",
    "English",
    "Finnish",
    "French",
    "German",
    "Greek",
    "Hindi",
    "Hungarian",
    "Italian",
    "Japanese",
    "Norwegian",
    "Polish",
    "Portuguese",
    "Romanian",
    "Slovak",
    "Slovenian",
    "Spanish",
    "Swedish",
    "Turkish",
    "Ukrainian",
];
/// What the module needs.
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
    countries: &'a [&'a str],
    languages: &'a [&'a str],
}

/// The page.
pub async fn page(visit: &Visit<'_>) -> Result<Page, NoPage> {
    let lead = "What do people search for, how often, and how hard is it to be found?";
    let projects = modules::projects(visit).await?;
    let form = Html::of(&Form {
        projects: &projects.named,
        cut: projects.cut,
        countries: &COUNTRIES,
        languages: &LANGUAGES,
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
