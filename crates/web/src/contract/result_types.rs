//! What the service says of each result type: its names and its schemas.

use analysis::result_type::ResultType;

pub struct ResultSpec {
    pub of: ResultType,
    /// As a heading.
    pub title: &'static str,
    /// In the navigation.
    pub short: &'static str,
    pub question: &'static str,
    /// What its coverage counts.
    pub unit: &'static str,
    pub icon: &'static str,
    /// On a page: fewer where records are heavier.
    pub rows: u32,
    /// Names of the schemas of a record and of the summary.
    pub record: &'static str,
    pub summary: &'static str,
    #[cfg(feature = "schemas")]
    pub add_schemas: fn(&mut serde_json::Map<String, serde_json::Value>),
}

macro_rules! results {
    ($($of:ident: $module:ident[$record:ident, $summary:ident] {
        title: $title:literal, $(short: $short:literal,)? unit: $unit:literal, icon: $icon:literal, rows: $rows:literal,
        question: $question:literal,
    })+) => {
        [$(ResultSpec {
            of: ResultType::$of,
            title: $title,
            short: { let names = [$title, $($short)?]; names[names.len() - 1] },
            question: $question,
            unit: $unit,
            icon: $icon,
            rows: $rows,
            record: stringify!($record),
            summary: stringify!($summary),
            #[cfg(feature = "schemas")]
            add_schemas: |all| {
                crate::contract::add::<analysis::findings::$module::$record>(all);
                crate::contract::add::<analysis::findings::$module::$summary>(all);
            },
        },)+]
    };
}

/// In the order in which the OpenAPI document has them. The navigation has an order of its own.
pub static RESULTS: [ResultSpec; ResultType::ALL.len()] = results! {
    Rankings: rankings[RankingRecord, RankingsSummary] {
        title: "Rankings", unit: "keywords", icon: "rankings", rows: 50,
        question: "Where do we stand in organic results, and what moved?",
    }
    Serp: serp[SerpRecord, SerpSummary] {
        title: "Search pages", unit: "keywords", icon: "serp", rows: 1,
        question: "What does a searcher see, and what changed on the page?",
    }
    Sov: sov[SovRecord, SovSummary] {
        title: "Share of voice", unit: "keywords", icon: "sov", rows: 50,
        question: "Which part of all clicks on our keywords is ours?",
    }
    Forecast: forecast[ForecastRecord, ForecastSummary] {
        title: "Forecast", unit: "series", icon: "forecast", rows: 30,
        question: "Where are we heading, and how sure is that?",
    }
    Competitors: competitors[CompetitorRecord, CompetitorsSummary] {
        title: "Competitors", unit: "keywords", icon: "competitors", rows: 30,
        question: "Who competes for the same keywords, and where do they win?",
    }
    Cannibalization: cannibalization[CannibalizationRecord, CannibalizationSummary] {
        title: "Cannibalization", unit: "keywords", icon: "cannibalization", rows: 50,
        question: "Which of our own pages compete with each other?",
    }
    AiVisibility: ai_visibility[AiVisibilityRecord, AiVisibilitySummary] {
        title: "AI visibility", unit: "answers", icon: "ai", rows: 20,
        question: "Do answers of AI engines name us and cite our pages?",
    }
    AiTrends: ai_trends[AiTrendRecord, AiTrendsSummary] {
        title: "AI trends", unit: "series", icon: "trend", rows: 20,
        question: "Is our visibility in AI answers really changing, or is it noise?",
    }
    Suggestions: suggestions[SuggestionRecord, SuggestionsSummary] {
        title: "Suggestions", unit: "results", icon: "suggestions", rows: 20,
        question: "What should we do next, and what does it bring?",
    }
    BrokenLinks: broken_links[BrokenLink, BrokenLinksSummary] {
        title: "Broken links", unit: "links", icon: "broken", rows: 50,
        question: "Which links lead nowhere, and where do they stand?",
    }
    Content: content[ContentRecord, ContentSummary] {
        title: "Content", unit: "pages", icon: "content", rows: 30,
        question: "Is the text of our pages good, complete and unique?",
    }
    ContentChanges: content_changes[ChangeRecord, ContentChangesSummary] {
        title: "Content changes", short: "Changes", unit: "pages", icon: "changes", rows: 50,
        question: "What changed on our pages, and how much does it matter?",
    }
    Schema: schema[SchemaRecord, SchemaSummary] {
        title: "Structured data", unit: "pages", icon: "schema", rows: 50,
        question: "Can search engines read what our pages are about?",
    }
    GeoScore: geo_score[GeoRecord, GeoSummary] {
        title: "Citability by AI engines", short: "Citability", unit: "pages", icon: "quote", rows: 50,
        question: "Can generative engines find, read and cite our pages?",
    }
    Eeat: eeat[EeatRecord, EeatSummary] {
        title: "Experience, expertise, authority, trust", short: "E-E-A-T", unit: "pages", icon: "trust", rows: 50,
        question: "What on our site shows that it deserves trust?",
    }
    Vitals: vitals[VitalsRecord, VitalsSummary] {
        title: "Web vitals", unit: "measurements", icon: "vitals", rows: 50,
        question: "Are our pages fast, responsive and stable?",
    }
};

/// # Panics
/// Never: a test finds one of every type.
pub fn spec(of: ResultType) -> &'static ResultSpec {
    let found = RESULTS.iter().find(|it| it.of == of);
    found.expect("every type has its row")
}
