//! What each kind of result is called, and which question it answers.

use analysis::result_type::ResultType;

pub struct About {
    /// As a heading.
    pub title: &'static str,
    /// In the navigation.
    pub short: &'static str,
    pub question: &'static str,
    /// What its coverage counts.
    pub unit: &'static str,
    pub icon: &'static str,
}

/// In the order of the navigation.
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

impl About {
    #[expect(
        clippy::too_many_lines,
        reason = "a few words on each of sixteen kinds"
    )]
    pub const fn of(result_type: ResultType) -> Self {
        let (title, short, question, unit, icon) = match result_type {
            ResultType::Rankings => (
                "Rankings",
                "Rankings",
                "Where do we stand in organic results, and what moved?",
                "keywords",
                "rankings",
            ),
            ResultType::Serp => (
                "Search pages",
                "Search pages",
                "What does a searcher see, and what changed on the page?",
                "keywords",
                "serp",
            ),
            ResultType::AiVisibility => (
                "AI visibility",
                "AI visibility",
                "Do answers of AI engines name us and cite our pages?",
                "answers",
                "ai",
            ),
            ResultType::AiTrends => (
                "AI trends",
                "AI trends",
                "Is our visibility in AI answers really changing, or is it noise?",
                "series",
                "trend",
            ),
            ResultType::Sov => (
                "Share of voice",
                "Share of voice",
                "Which part of all clicks on our keywords is ours?",
                "keywords",
                "sov",
            ),
            ResultType::Forecast => (
                "Forecast",
                "Forecast",
                "Where are we heading, and how sure is that?",
                "series",
                "forecast",
            ),
            ResultType::Competitors => (
                "Competitors",
                "Competitors",
                "Who competes for the same keywords, and where do they win?",
                "keywords",
                "competitors",
            ),
            ResultType::Suggestions => (
                "Suggestions",
                "Suggestions",
                "What should we do next, and what does it bring?",
                "results",
                "suggestions",
            ),
            ResultType::ContentChanges => (
                "Content changes",
                "Changes",
                "What changed on our pages, and how much does it matter?",
                "pages",
                "changes",
            ),
            ResultType::BrokenLinks => (
                "Broken links",
                "Broken links",
                "Which links lead nowhere, and where do they stand?",
                "links",
                "broken",
            ),
            ResultType::Cannibalization => (
                "Cannibalization",
                "Cannibalization",
                "Which of our own pages compete with each other?",
                "keywords",
                "cannibalization",
            ),
            ResultType::Vitals => (
                "Web vitals",
                "Web vitals",
                "Are our pages fast, responsive and stable?",
                "measurements",
                "vitals",
            ),
            ResultType::Schema => (
                "Structured data",
                "Structured data",
                "Can search engines read what our pages are about?",
                "pages",
                "schema",
            ),
            ResultType::GeoScore => (
                "Citability by AI engines",
                "Citability",
                "Can generative engines find, read and cite our pages?",
                "pages",
                "quote",
            ),
            ResultType::Eeat => (
                "Experience, expertise, authority, trust",
                "E-E-A-T",
                "What on our site shows that it deserves trust?",
                "pages",
                "trust",
            ),
            ResultType::Content => (
                "Content",
                "Content",
                "Is the text of our pages good, complete and unique?",
                "pages",
                "content",
            ),
        };
        Self {
            title,
            short,
            question,
            unit,
            icon,
        }
    }
}
