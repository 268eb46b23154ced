//! Compares what people search with the keywords of a project, in `gap_page.js`.

use super::components::noscript_note;
use super::forms::submit;
use super::page_context::PageContext;
use super::page_header::PageContent;
use super::script_modules::ProjectOptions;
use super::{PageError, page_header, script_modules};
use domain::ids::ProjectId;
use domain::rights::Right;
use maud::{Markup, html};

const PRELOADED_MODULES: [&str; 8] = [
    "gap_check",
    "paged_table",
    "words",
    "clicks",
    "save_dialog",
    "plan_dialog",
    "dom",
    "api",
];

pub async fn page(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let (project, language) = script_modules::project_and_language(visit, id).await?;
    let lead = "What people search and this project does not follow, and the other way round.";
    Ok(PageContent {
        title: format!("Gap check · {}", project.name.as_str()),
        simulated: false,
        parts: vec![
            page_header::head(page_header::crumbs(&project), "Gap check", lead, None),
            controls(),
            html! {
                div #gap class="page wide" data-project=(id.0) data-language=(language) {
                    (noscript_note("The gap check needs JavaScript."))
                }
            },
            if visit.may(Right::PlansWrite) {
                import()
            } else {
                Markup::default()
            },
            script_modules::script_elements(
                "gap_page",
                &PRELOADED_MODULES,
                &ProjectOptions::single(&project),
            ),
        ],
        project: Some(project),
    })
}

fn controls() -> Markup {
    html! {
        form class="card filter" #gap-controls hidden {
            label .field { span { "From" } input type="date" name="from"; }
            label .field { span { "To" } input type="date" name="to"; }
            label .field { span { "Impressions from" } input type="number" name="minImpressions" min="0" value="10" inputmode="numeric"; }
            label .check { input type="checkbox" name="reach"; " Striking distance alone" }
            button .main type="submit" { "Check again" }
            p class="soft small" #gap-span {}
            p data-outcome {}
        }
        div #gap-progress class="card page" role="status" hidden {
            progress aria-label="Reading rows of Search Console" {}
            p data-message { "Reading…" }
        }
    }
}

fn import() -> Markup {
    html! {
        details .card #gap-import {
            summary { b { "Import an export of Search Console" } }
            form .page {
                p .hint { "In Search Console: Performance, Search results, Export, CSV. Of the archive that you get, the file with queries; best is an export that tells pages too. Any language of its interface will do." }
                div .fields {
                    label .field { span { "File" } input type="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"; }
                    label .field { span { "From" } input type="date" name="from"; }
                    label .field { span { "To" } input type="date" name="to"; small { "Needed where no column tells days." } }
                }
                label .field {
                    span { "Or paste it" }
                    textarea name="content" required spellcheck="false" placeholder="Top queries,Clicks,Impressions,CTR,Position" {}
                }
                input type="hidden" name="name";
                (submit("Import"))
            }
        }
    }
}
