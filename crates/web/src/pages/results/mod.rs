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

/// How a result type is called and shown.
pub struct ResultPage {
    pub group: Group,
    /// As a heading.
    pub title: &'static str,
    /// In the navigation, where the title is too long for it.
    pub short: Option<&'static str>,
    pub question: &'static str,
    /// What its coverage counts.
    pub unit: &'static str,
    pub icon: &'static str,
    /// On a page: fewer where records are heavier.
    pub rows: u32,
}

impl ResultPage {
    pub fn name(&self) -> &'static str {
        self.short.unwrap_or(self.title)
    }
}

/// Of the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Before all headings.
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

        /// What stands on the page of its type.
        async fn body($found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
            match $found.of {
                $(ResultType::$of => $body,)+
            }
        }
    };
}

result_pages! { |found|
    Suggestions: suggestions => Ok(suggestions::body(found));
    Rankings: rankings => rankings::body(found).await;
    Serp: serp => serp::body(found).await;
    Sov: sov => sov::body(found).await;
    Competitors: competitors => Ok(competitors::body(found));
    Cannibalization: cannibalization => cannibalization::body(found).await;
    Forecast: forecast => forecast::body(found).await;
    AiVisibility: ai_visibility => ai_visibility::body(found).await;
    AiTrends: ai_trends => Ok(ai_trends::body(found));
    GeoScore: geo_score => geo_score::body(found).await;
    Content: content => content::body(found).await;
    BrokenLinks: broken_links => Ok(broken_links::body(found));
    ContentChanges: content_changes => content_changes::body(found).await;
    Schema: schema => schema::body(found).await;
    Eeat: eeat => eeat::body(found).await;
    Vitals: vitals => Ok(vitals::body(found));
}
