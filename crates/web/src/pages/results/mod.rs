//! What the service says of each result type: its names, its schemas, and a page built for the question that it answers.

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
use futures_util::future::{LocalBoxFuture, ready};
use maud::Markup;

pub use found::page;

pub struct ResultSpec {
    pub of: ResultType,
    /// As a heading.
    pub title: &'static str,
    /// In the navigation.
    pub short: &'static str,
    pub question: &'static str,
    /// What its coverage counts.
    unit: &'static str,
    pub icon: &'static str,
    /// On a page: fewer where records are heavier.
    rows: u32,
    body: for<'f> fn(&'f Found<'_>) -> Body<'f>,
    /// Names of the schemas of a record and of the summary.
    pub record: &'static str,
    pub summary: &'static str,
    #[cfg(feature = "schemas")]
    pub add_schemas: fn(&mut serde_json::Map<String, serde_json::Value>),
}

type Body<'f> = LocalBoxFuture<'f, Result<Vec<Markup>, NoPage>>;

/// Of what needs no more than was read.
fn at_once<'f>(body: Vec<Markup>) -> Body<'f> {
    Box::pin(ready(Ok(body)))
}

macro_rules! results {
    ($($of:ident: $module:ident[$record:ident, $summary:ident] {
        title: $title:literal, $(short: $short:literal,)? unit: $unit:literal, icon: $icon:literal, rows: $rows:literal,
        question: $question:literal,
        body: $body:expr,
    })+) => {
        [$(ResultSpec {
            of: ResultType::$of,
            title: $title,
            short: { let names = [$title, $($short)?]; names[names.len() - 1] },
            question: $question,
            unit: $unit,
            icon: $icon,
            rows: $rows,
            body: $body,
            record: stringify!($record),
            summary: stringify!($summary),
            #[cfg(feature = "schemas")]
            add_schemas: |all| {
                crate::openapi::add::<analysis::findings::$module::$record>(all);
                crate::openapi::add::<analysis::findings::$module::$summary>(all);
            },
        },)+]
    };
}

/// In the order in which the OpenAPI document has them. The navigation has an order of its own: [`GROUPS`].
pub static RESULTS: [ResultSpec; ResultType::ALL.len()] = results! {
    Rankings: rankings[RankingRecord, RankingsSummary] {
        title: "Rankings", unit: "keywords", icon: "rankings", rows: 50,
        question: "Where do we stand in organic results, and what moved?",
        body: |it| Box::pin(rankings::body(it)),
    }
    Serp: serp[SerpRecord, SerpSummary] {
        title: "Search pages", unit: "keywords", icon: "serp", rows: 1,
        question: "What does a searcher see, and what changed on the page?",
        body: |it| Box::pin(serp::body(it)),
    }
    Sov: sov[SovRecord, SovSummary] {
        title: "Share of voice", unit: "keywords", icon: "sov", rows: 50,
        question: "Which part of all clicks on our keywords is ours?",
        body: |it| Box::pin(sov::body(it)),
    }
    Forecast: forecast[ForecastRecord, ForecastSummary] {
        title: "Forecast", unit: "series", icon: "forecast", rows: 30,
        question: "Where are we heading, and how sure is that?",
        body: |it| Box::pin(forecast::body(it)),
    }
    Competitors: competitors[CompetitorRecord, CompetitorsSummary] {
        title: "Competitors", unit: "keywords", icon: "competitors", rows: 30,
        question: "Who competes for the same keywords, and where do they win?",
        body: |it| at_once(competitors::body(it)),
    }
    Cannibalization: cannibalization[CannibalizationRecord, CannibalizationSummary] {
        title: "Cannibalization", unit: "keywords", icon: "cannibalization", rows: 50,
        question: "Which of our own pages compete with each other?",
        body: |it| Box::pin(cannibalization::body(it)),
    }
    AiVisibility: ai_visibility[AiVisibilityRecord, AiVisibilitySummary] {
        title: "AI visibility", unit: "answers", icon: "ai", rows: 20,
        question: "Do answers of AI engines name us and cite our pages?",
        body: |it| Box::pin(ai_visibility::body(it)),
    }
    AiTrends: ai_trends[AiTrendRecord, AiTrendsSummary] {
        title: "AI trends", unit: "series", icon: "trend", rows: 20,
        question: "Is our visibility in AI answers really changing, or is it noise?",
        body: |it| at_once(ai_trends::body(it)),
    }
    Suggestions: suggestions[SuggestionRecord, SuggestionsSummary] {
        title: "Suggestions", unit: "results", icon: "suggestions", rows: 20,
        question: "What should we do next, and what does it bring?",
        body: |it| at_once(suggestions::body(it)),
    }
    BrokenLinks: broken_links[BrokenLink, BrokenLinksSummary] {
        title: "Broken links", unit: "links", icon: "broken", rows: 50,
        question: "Which links lead nowhere, and where do they stand?",
        body: |it| at_once(broken_links::body(it)),
    }
    Content: content[ContentRecord, ContentSummary] {
        title: "Content", unit: "pages", icon: "content", rows: 30,
        question: "Is the text of our pages good, complete and unique?",
        body: |it| Box::pin(content::body(it)),
    }
    ContentChanges: content_changes[ChangeRecord, ContentChangesSummary] {
        title: "Content changes", short: "Changes", unit: "pages", icon: "changes", rows: 50,
        question: "What changed on our pages, and how much does it matter?",
        body: |it| Box::pin(content_changes::body(it)),
    }
    Schema: schema[SchemaRecord, SchemaSummary] {
        title: "Structured data", unit: "pages", icon: "schema", rows: 50,
        question: "Can search engines read what our pages are about?",
        body: |it| Box::pin(schema::body(it)),
    }
    GeoScore: geo_score[GeoRecord, GeoSummary] {
        title: "Citability by AI engines", short: "Citability", unit: "pages", icon: "quote", rows: 50,
        question: "Can generative engines find, read and cite our pages?",
        body: |it| Box::pin(geo_score::body(it)),
    }
    Eeat: eeat[EeatRecord, EeatSummary] {
        title: "Experience, expertise, authority, trust", short: "E-E-A-T", unit: "pages", icon: "trust", rows: 50,
        question: "What on our site shows that it deserves trust?",
        body: |it| Box::pin(eeat::body(it)),
    }
    Vitals: vitals[VitalsRecord, VitalsSummary] {
        title: "Web vitals", unit: "measurements", icon: "vitals", rows: 50,
        question: "Are our pages fast, responsive and stable?",
        body: |it| at_once(vitals::body(it)),
    }
};

/// In the navigation. Suggestions stand before all groups.
pub const GROUPS: [(&str, &[ResultType]); 3] = [
    (
        "Search",
        &[
            ResultType::Rankings,
            ResultType::Serp,
            ResultType::Sov,
            ResultType::Competitors,
            ResultType::Cannibalization,
            ResultType::Forecast,
        ],
    ),
    (
        "AI answers",
        &[
            ResultType::AiVisibility,
            ResultType::AiTrends,
            ResultType::GeoScore,
        ],
    ),
    (
        "Site",
        &[
            ResultType::Content,
            ResultType::BrokenLinks,
            ResultType::ContentChanges,
            ResultType::Schema,
            ResultType::Eeat,
            ResultType::Vitals,
        ],
    ),
];

/// # Panics
/// Never: a test finds one of every type.
pub fn spec(of: ResultType) -> &'static ResultSpec {
    let found = RESULTS.iter().find(|it| it.of == of);
    found.expect("every type has its row")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_a_row_and_a_place_in_the_navigation() {
        for of in ResultType::ALL {
            assert_eq!(RESULTS.iter().filter(|it| it.of == of).count(), 1, "{of}");
            let places = GROUPS.iter().flat_map(|(_, types)| types.iter());
            let expected = usize::from(of != ResultType::Suggestions);
            assert_eq!(places.filter(|it| **it == of).count(), expected, "{of}");
        }
    }
}
