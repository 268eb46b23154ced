use crate::ToSchema;
use crate::findings::envelope::rounded::fraction_or_null;
use crate::findings::vitals::Rating;
use crate::observation::search_page::Feature;
use serde::{Deserialize, Serialize};

/// What a subject was before an event, or after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum EventState {
    Rank(RankFigure),
    Page(PageUrl),
    Features(OwnedFeatures),
    Competitor(CompetitorRank),
    Rate(AnswerRate),
    Issues(IssuePages),
    Directive(IndexDirective),
    Robots(RobotsVersion),
    Vitals(VitalsFigure),
    Clicks(WeeklyClicks),
    Failure(JobFailure),
    Coverage(JobCoverage),
    Source(SourceState),
    Budget(BudgetUse),
    Access(AccessFact),
}

/// A position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventRank)]
pub struct RankFigure {
    /// Rank among organic results; null when it is not within `depth`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub position: Option<u32>,
    /// How many organic results were seen; only beside a position of null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// The best-ranked own page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventPage)]
pub struct PageUrl {
    /// Its URL.
    pub url: String,
}

/// Features of a search page that lead to the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventFeatures)]
pub struct OwnedFeatures {
    /// Of those that the event is about.
    pub features: Vec<Feature>,
}

/// Positions of a competitor and of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventCompetitor)]
pub struct CompetitorRank {
    /// The competitor.
    pub domain: String,
    /// Its best position; null when it was not found.
    pub position: Option<u32>,
    /// The project's best position; null when it was not found.
    pub own_position: Option<u32>,
}

/// A share of AI answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventAnswerRate)]
pub struct AnswerRate {
    /// The share.
    #[serde(serialize_with = "crate::findings::envelope::rounded::fraction")]
    pub rate: f64,
    /// Lower end of its 95 % interval.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub high: Option<f64>,
    /// Answers behind it.
    pub answers: u64,
    /// Prompts behind it.
    pub prompts: u64,
}

/// Pages with an issue, among those that both crawls read whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventIssuePages)]
pub struct IssuePages {
    /// How many.
    pub urls: u64,
    /// Some of those that the event is about: at most five.
    pub sample: Vec<String>,
}

/// What keeps a page out of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventDirective)]
pub struct IndexDirective {
    /// `index`, `noindex` in a `meta` element, or `noindex` in a header.
    pub directive: Directive,
    /// The best position of the page; null when it does not rank, or where several pages are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// Pages that are meant, when the event is about several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
}

texts::wire_enum! {
    /// Whether a page may be indexed, and where that is stated.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    #[schema(as = EventDirectiveName)]
    pub enum Directive {
        /// Nothing prohibits it.
        Index = "index",
        /// A `meta` element prohibits it.
        Meta = "meta",
        /// The header `X-Robots-Tag` prohibits it.
        Header = "header",
    }
}

/// A version of robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventRobots)]
pub struct RobotsVersion {
    /// Of its normalized rules.
    pub hash: String,
    /// Tracked URLs that it blocks and the other version does not: at most twenty.
    pub blocked: Vec<String>,
}

/// A figure of a page's speed or stability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventVitals)]
pub struct VitalsFigure {
    /// Milliseconds, or the layout shift: of visitors the 75th percentile, of a browser the median load.
    #[serde(serialize_with = "crate::findings::envelope::rounded::fraction")]
    pub p75: f64,
    /// Its rating.
    pub rating: Rating,
    /// Interquartile range of the loads; left out in field data.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub iqr: Option<f64>,
}

/// Clicks a week.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventClicks)]
pub struct WeeklyClicks {
    /// Of one week, or the geometric mean of several.
    #[serde(serialize_with = "crate::findings::envelope::rounded::fraction")]
    pub clicks: f64,
    /// How many weeks.
    pub weeks: u32,
}

/// Why an analysis failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventFailure)]
pub struct JobFailure {
    /// The code of the error.
    pub code: String,
    /// The kind of analysis.
    pub stage: String,
}

/// How much of an analysis succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventCoverage)]
pub struct JobCoverage {
    /// Subjects that were requested.
    pub requested: u64,
    /// Subjects that were measured.
    pub measured: u64,
}

/// Whether a source of data works. Suppliers are not named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventSource)]
pub struct SourceState {
    /// What it delivers, such as search pages.
    pub kind_of_source: String,
    /// `working`, `failing`, or `refused` when its key is refused.
    pub state: SourceCondition,
}

texts::wire_enum! {
    /// Whether a source works.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    #[schema(as = EventSourceCondition)]
    pub enum SourceCondition {
        Working = "working",
        Failing = "failing",
        /// Its key is refused.
        Refused = "refused",
    }
}

/// Money spent, in millionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventBudget)]
pub struct BudgetUse {
    /// In the period.
    pub spent: u64,
    /// Of the period.
    pub limit: u64,
}

/// Where access came from. Nothing in it is secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventAccess)]
pub struct AccessFact {
    /// The browser, as shown to people; null when unknown.
    pub browser: Option<String>,
    /// The network, shortened; null when unknown.
    pub network: Option<String>,
    /// Attempts.
    pub count: u64,
}

impl RankFigure {
    pub(super) const fn of(position: Option<u32>, depth: u32) -> Self {
        Self {
            position,
            depth: if position.is_some() {
                None
            } else {
                Some(depth)
            },
        }
    }
}
