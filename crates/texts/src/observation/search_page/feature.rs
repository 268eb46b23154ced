//! The closed vocabulary of search features.

use crate::ToSchema;
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// A kind of block that is not an organic result.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Feature {
        /// The engine's own answer, written by a model.
        AiOverview = "ai_overview",
        /// A passage of one result, quoted above the others.
        FeaturedSnippet = "featured_snippet",
        /// Questions that unfold.
        PeopleAlsoAsk = "people_also_ask",
        /// Facts about an entity, beside the results.
        KnowledgePanel = "knowledge_panel",
        /// Facts about an entity, among the results.
        KnowledgeCard = "knowledge_card",
        /// Businesses near the searcher.
        LocalPack = "local_pack",
        /// A map.
        Map = "map",
        /// Pictures.
        Images = "images",
        /// Films.
        Video = "video",
        /// News.
        TopStories = "top_stories",
        /// Products with prices.
        Shopping = "shopping",
        /// Advertisements above the results.
        PaidTop = "paid_top",
        /// Advertisements below the results.
        PaidBottom = "paid_bottom",
        /// Links to more pages of one result's site.
        Sitelinks = "sitelinks",
        /// Ratings.
        Reviews = "reviews",
        /// Posts of a short-message service.
        Twitter = "twitter",
        /// Other searches, below the results.
        RelatedSearches = "related_searches",
        /// Other searches of the same people.
        PeopleAlsoSearch = "people_also_search",
        /// Vacancies.
        Jobs = "jobs",
        /// Events.
        Events = "events",
        /// Recipes.
        Recipes = "recipes",
        /// Flights.
        Flights = "flights",
        /// Hotels.
        Hotels = "hotels",
        /// Threads of forums.
        DiscussionsForums = "discussions_forums",
        /// Posts of people with first-hand experience.
        Perspectives = "perspectives",
        /// A definition.
        Dictionary = "dictionary",
        /// A calculator or converter.
        Calculator = "calculator",
        /// A forecast.
        Weather = "weather",
        /// Scores and fixtures.
        Sports = "sports",
        /// Something else.
        Other = "other",
    }
}

/// How completely a supplier reports the features of a page. It decides whether "no feature seen"
/// means that there was none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FeatureCoverage {
    /// Every feature: what is not listed was not there.
    Complete,
    /// Some: a feature that is not listed may have been there.
    Partial,
    /// None: the supplier returns organic results only.
    Absent,
}
