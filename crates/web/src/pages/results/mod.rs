//! One page per result type.

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
mod geo_score;
mod rankings;
mod result_context;
mod schema;
mod serp;
mod sov;
mod suggestions;
mod vitals;

use super::PageError;
use analysis::result_type::ResultType;
use maud::Markup;
use result_context::{ResultContext, engine_title, no_results};

pub use result_context::page;

pub struct ResultPage {
    pub group: Group,
    /// Heading.
    pub title: &'static str,
    /// Label in the navigation if the title is too long.
    pub short: Option<&'static str>,
    pub question: &'static str,
    /// What the coverage counts.
    pub unit: &'static str,
    pub icon: &'static str,
    /// Rows per page: fewer for larger records.
    pub rows: u32,
}

impl ResultPage {
    pub fn name(&self) -> &'static str {
        self.short.unwrap_or(self.title)
    }
}

/// Group in the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Above all headings.
    First,
    Search,
    AiAnswers,
    Site,
}

impl Group {
    pub const HEADED: [(Self, &str); 3] = [
        (Self::Search, "Search"),
        (Self::AiAnswers, "AI answers"),
        (Self::Site, "Site"),
    ];
}

macro_rules! result_pages {
    (|$found:ident| $($of:ident: $module:ident => $body:expr;)+) => {
        /// In the order of the navigation.
        pub static RESULT_PAGES: [(ResultType, &ResultPage); ResultType::ALL.len()] =
            [$((ResultType::$of, &$module::PAGE)),+];

        pub fn result_page(of: ResultType) -> &'static ResultPage {
            match of {
                $(ResultType::$of => &$module::PAGE,)+
            }
        }

        async fn body($found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
            match $found.result_type {
                $(ResultType::$of => $body,)+
            }
        }
    };
}

result_pages! { |found|
    Suggestions: suggestions => suggestions::body(found).await;
    Rankings: rankings => rankings::body(found).await;
    Serp: serp => serp::body(found).await;
    Sov: sov => sov::body(found).await;
    Competitors: competitors => Ok(competitors::body(found));
    Cannibalization: cannibalization => cannibalization::body(found).await;
    Forecast: forecast => forecast::body(found).await;
    AiVisibility: ai_visibility => ai_visibility::body(found).await;
    AiTrends: ai_trends => ai_trends::body(found).await;
    GeoScore: geo_score => geo_score::body(found).await;
    Content: content => content::body(found).await;
    BrokenLinks: broken_links => Ok(broken_links::body(found));
    ContentChanges: content_changes => content_changes::body(found).await;
    Schema: schema => schema::body(found).await;
    Eeat: eeat => eeat::body(found).await;
    Vitals: vitals => Ok(vitals::body(found));
}
