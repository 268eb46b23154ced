//! Keyword research: the form, and data for `research_page.js`.

use super::frame::Page;
use super::markets::FieldNames;
use super::modules::Projects;
use super::parts::{icon, needs_scripts};
use super::visit::Visit;
use super::{NoPage, frame, markets, modules};
use domain::market::Market;
use maud::{Markup, html};

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

pub async fn page(visit: &Visit<'_>) -> Result<Page, NoPage> {
    let lead = "What do people search for, how often, and how hard is it to be found?";
    let projects = modules::projects(visit).await?;
    Ok(Page {
        title: "Keyword research".to_owned(),
        project: None,
        // The script shows whether an answer is simulated.
        simulated: false,
        parts: vec![
            frame::head(vec![], "Keyword research", lead, None),
            form(&projects),
            modules::start("research_page", &BEFORE, &projects),
        ],
    })
}

fn form(projects: &Projects) -> Markup {
    let market = Market::default();
    html! {
        form class="card page lookup" #research {
            div .fields {
                label .field .wide {
                    span { "Keyword" }
                    input name="keyword" required maxlength="200" placeholder="running shoes" autocomplete="off";
                }
                (markets::fields(FIELDS, market.country, market.language))
                label .field {
                    span { "For the project" }
                    select name="projectId" {
                        option value="" { "None" }
                        @for it in &projects.named { option value=(it.id) { (it.name) } }
                    }
                    @if let Some(most) = projects.cut {
                        small { "The first " (most) " by name. Come from the page of another one to choose it." }
                    }
                }
            }
            div class="row apart" {
                button .main type="submit" { (icon("research")) "Look it up" }
                p .usage #usage {}
            }
            p data-outcome {}
            (needs_scripts("Keyword research needs JavaScript."))
        }
        div #searching class="card page" role="status" hidden {
            progress aria-label="Looking it up" {}
            p data-told {}
        }
        div #answer class="page wide" hidden {}
        div #history {}
    }
}
