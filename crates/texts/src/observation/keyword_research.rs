//! A supplier's data on a keyword and related keywords, in one country and language, without the requesting account.
//! `None` is unknown, never 0.

use super::search_page::Feature;
use crate::{ToSchema, intent::Intent, provenance::Provenance};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchedKeyword {
    /// A neutral label.
    pub provider: String,
    pub provenance: Provenance,
    pub fetched_at: DateTime<Utc>,
    pub figures: KeywordFigures,
    /// Of its results page; `None` if the supplier does not know.
    pub features: Option<Vec<Feature>>,
    /// Unique, in the supplier's order, without the keyword itself.
    pub ideas: Vec<KeywordIdea>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeywordIdea {
    pub keyword: String,
    pub relation: IdeaRelation,
    pub figures: KeywordFigures,
}

/// How an idea relates to the keyword. What is a question is one, wherever it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum IdeaRelation {
    /// It is a question.
    Question,
    /// Engines show it as a related search.
    Related,
    /// It holds the keyword with other words around it.
    Phrase,
    /// Engines show it among the questions that people also ask.
    AlsoAsk,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeywordFigures {
    /// Monthly mean over a year.
    pub search_volume: Option<u64>,
    pub cpc: Option<CostPerClick>,
    /// 0 to 1.
    pub competition: Option<f64>,
    pub competition_level: Option<CompetitionLevel>,
    /// The supplier's metric, 0 to 100.
    pub difficulty: Option<f64>,
    /// Mean number of domains that link to each of the first ten results.
    pub referring_domains: Option<f64>,
    /// The supplier's classification.
    pub intent: Option<ReportedIntent>,
    /// In any order.
    pub months: Vec<MonthlyVolume>,
    /// Against the same month a year before, as a fraction.
    pub yearly_change: Option<f64>,
}

/// What a click costs advertisers, in one currency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CostPerClick {
    /// The mean.
    #[schema(required = true)]
    pub amount: Option<f64>,
    /// The low bid for the top of the page (20th percentile).
    #[schema(required = true)]
    pub low: Option<f64>,
    /// The high bid for the top of the page (80th percentile).
    #[schema(required = true)]
    pub high: Option<f64>,
    /// ISO 4217.
    pub currency: String,
}

/// How many advertisers want a keyword, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CompetitionLevel {
    /// Few.
    Low,
    /// Some.
    Medium,
    /// Many.
    High,
}

/// The search intent, as reported by a supplier or derived from the keyword's words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReportedIntent {
    /// Most of them.
    pub main: Intent,
    /// Others.
    pub secondary: Vec<Intent>,
    /// How sure the supplier is of `main`, 0 to 1; null when it does not say.
    #[schema(required = true)]
    pub confidence: Option<f64>,
}

/// Searches in a calendar month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct MonthlyVolume {
    /// The year.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// Searches; null when unknown.
    #[schema(required = true)]
    pub volume: Option<u64>,
}
