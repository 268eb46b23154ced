//! Keyword research: the form; what it finds is the session work's.

use super::{
    NoPage,
    frame::{self, Page, Spot},
    parts::Html,
    visit::Visit,
};
use askama::Template;

#[derive(Template)]
#[template(path = "research.html")]
struct Form;

/// The page.
#[expect(clippy::unused_async, reason = "it is called like the pages that read")]
pub async fn page(_: &Visit<'_>) -> Result<Page, NoPage> {
    let lead = "What do people search for, how often, and how hard is it to be found?";
    Ok(Page {
        title: "Keyword research".to_owned(),
        spot: Spot::Research,
        project: None,
        simulated: false,
        parts: vec![
            frame::head(vec![], "Keyword research", lead, None),
            Html::of(&Form),
        ],
    })
}
