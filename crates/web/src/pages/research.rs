//! Keyword research: the form, and data for `research_page.js`.

use super::components::{icon, noscript_note};
use super::markets::FieldNames;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::script_modules::ProjectOptions;
use super::{PageError, markets, page_header, script_modules};
use domain::market::Market;
use maud::{Markup, html};

const FIELDS: FieldNames = FieldNames {
    country: "location",
    language: "language",
};
const PRELOADED_MODULES: [&str; 12] = [
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

pub async fn page(visit: &PageContext<'_>) -> Result<PageContent, PageError> {
    let lead = "What do people search for, how often, and how hard is it to be found?";
    let projects = script_modules::load_project_options(visit).await?;
    Ok(PageContent {
        title: "Keyword research".to_owned(),
        project: None,
        // The script shows whether an answer is simulated.
        simulated: false,
        parts: vec![
            page_header::head(vec![], "Keyword research", lead, None),
            form(&projects),
            script_modules::script_elements("research_page", &PRELOADED_MODULES, &projects),
        ],
    })
}

fn form(projects: &ProjectOptions) -> Markup {
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
                        @for it in &projects.options { option value=(it.id) { (it.name) } }
                    }
                    @if let Some(limit) = projects.truncated_at {
                        small { "The first " (limit) " by name. Come from the page of another one to choose it." }
                    }
                }
            }
            div class="row apart" {
                button .main type="submit" { (icon("research")) "Look it up" }
                p .usage #usage {}
            }
            p data-outcome {}
            (noscript_note("Keyword research needs JavaScript."))
        }
        div #searching class="card page" role="status" hidden {
            progress aria-label="Looking it up" {}
            p data-message {}
        }
        div #answer class="page wide" hidden {}
        div #history {}
    }
}
