//! Of each result type a page built for the question that it answers.

mod ai_trends;
mod ai_visibility;
mod answer_text;
mod broken_links;
mod cannibalization;
mod competitors;
mod content;
mod content_changes;
mod eeat;
mod forecast;
mod found;
mod geo_score;
mod rankings;
mod schema;
mod serp;
mod sov;
mod suggestions;
mod vitals;

use super::NoPage;
use analysis::result_type::ResultType;
use found::{Found, engine_title, none};
use maud::Markup;

pub use found::page;

/// What stands on the page of its type.
async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    match found.of {
        ResultType::Rankings => rankings::body(found).await,
        ResultType::Serp => serp::body(found).await,
        ResultType::Sov => sov::body(found).await,
        ResultType::Forecast => forecast::body(found).await,
        ResultType::Competitors => Ok(competitors::body(found)),
        ResultType::Cannibalization => cannibalization::body(found).await,
        ResultType::AiVisibility => ai_visibility::body(found).await,
        ResultType::AiTrends => Ok(ai_trends::body(found)),
        ResultType::Suggestions => Ok(suggestions::body(found)),
        ResultType::BrokenLinks => Ok(broken_links::body(found)),
        ResultType::Content => content::body(found).await,
        ResultType::ContentChanges => content_changes::body(found).await,
        ResultType::Schema => schema::body(found).await,
        ResultType::GeoScore => geo_score::body(found).await,
        ResultType::Eeat => eeat::body(found).await,
        ResultType::Vitals => Ok(vitals::body(found)),
    }
}
