use crate::ToSchema;
use crate::http::byte_budget::ByteBudget;
use crate::links::{Link, Operation, Surface};
use chrono::{DateTime, Utc};
use domain::allowance::Allowance;
use domain::ids::ProjectId;
use domain::keyword::{Keyword, LatestRank};
use domain::market::Market;
use domain::use_cases::keywords::track::TrackedKeywords;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// A tracked keyword.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Keyword)]
pub struct KeywordView {
    /// Its id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// Its project.
    #[schema(minimum = 1)]
    pub project_id: i64,
    /// What is searched for.
    pub text: String,
    /// Whether it counts toward the AI visibility allowance.
    pub ai_tracked: bool,
    /// `active` or `deactivated`.
    pub status: &'static str,
    /// Where and how it is searched.
    pub market: MarketView,
    /// The page that should rank.
    pub target_url: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Searches a month, when known.
    pub search_volume: Option<u32>,
    /// Where it stood when it was last measured; null before.
    pub latest: Option<LatestView>,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was deactivated.
    pub deactivated_at: Option<DateTime<Utc>>,
}

/// Where and how a keyword is searched.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Market)]
pub struct MarketView {
    /// Two letters of ISO 3166-1.
    pub country: String,
    /// Two letters of ISO 639-1.
    pub language: String,
    /// `desktop` or `mobile`.
    pub device: &'static str,
    /// A place inside the country.
    pub location: Option<String>,
}

/// Where a keyword stood.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LatestRank)]
pub struct LatestView {
    /// The position; null when it was not found in the depth looked at, or the measurement failed.
    pub position: Option<u32>,
    /// The best-ranked own page.
    pub url: Option<String>,
    /// When.
    pub measured_at: DateTime<Utc>,
    /// `ranked`, `notRanked` or `error`.
    pub state: &'static str,
}

/// What became of keywords that were added.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AddedKeywords)]
pub struct AddedKeywordsView {
    /// New ones.
    #[schema(value_type = Vec<KeywordView>)]
    pub created: Vec<Box<RawValue>>,
    /// Those that were tracked already; left unchanged.
    #[schema(value_type = Vec<KeywordView>)]
    pub existing: Vec<Box<RawValue>>,
    /// Those that had been deactivated; back with their history.
    #[schema(value_type = Vec<KeywordView>)]
    pub reactivated: Vec<Box<RawValue>>,
    /// How many of each there are, shown above or not.
    pub counts: AddedCounts,
    /// Whether more were added than an answer can show (256 KiB): `next` lists them all.
    pub truncated: bool,
    /// Where all keywords of the project are listed.
    pub next: String,
    /// Room afterwards.
    pub allowance: AddedAllowances,
}

/// How many keywords became what.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddedCounts {
    /// New ones.
    pub created: usize,
    /// Tracked already.
    pub existing: usize,
    /// Brought back.
    pub reactivated: usize,
    /// Texts of the request that repeat another one.
    pub repeated: usize,
}

/// Room for keywords.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddedAllowances {
    /// Keywords of the account.
    pub keywords: AllowanceView,
    /// AI-tracked keywords of the account.
    pub ai_tracked: AllowanceView,
}

/// A limit and what is used of it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Allowance)]
pub struct AllowanceView {
    /// How many there may be.
    pub limit: u32,
    /// How many there are.
    pub used: u32,
}

impl KeywordView {
    pub fn of(keyword: &Keyword) -> Self {
        Self {
            id: keyword.id.0,
            project_id: keyword.project.0,
            text: keyword.text.to_string(),
            ai_tracked: keyword.ai_tracked,
            status: keyword.status.name(),
            market: MarketView::of(&keyword.market),
            target_url: keyword.target_url.clone(),
            tags: keyword.tags.iter().map(ToString::to_string).collect(),
            search_volume: keyword.search_volume,
            latest: keyword.latest.as_ref().map(LatestView::of),
            created_at: keyword.created_at,
            updated_at: keyword.updated_at,
            deactivated_at: keyword.deactivated_at,
        }
    }
}

impl MarketView {
    fn of(market: &Market) -> Self {
        Self {
            country: market.country.to_string(),
            language: market.language.to_string(),
            device: market.device.name(),
            location: market.location.as_ref().map(ToString::to_string),
        }
    }
}

impl LatestView {
    fn of(latest: &LatestRank) -> Self {
        Self {
            position: latest.position,
            url: latest.url.clone(),
            measured_at: latest.measured_at,
            state: latest.state.name(),
        }
    }
}

impl AddedKeywordsView {
    pub fn of(project: ProjectId, tracked: &TrackedKeywords) -> Self {
        let counts = AddedCounts {
            created: tracked.created.len(),
            existing: tracked.existing.len(),
            reactivated: tracked.reactivated.len(),
            repeated: tracked.repeated,
        };
        let mut budget = ByteBudget::for_response();
        let created = shown(&tracked.created, &mut budget);
        let existing = shown(&tracked.existing, &mut budget);
        let reactivated = shown(&tracked.reactivated, &mut budget);
        let truncated = created.len() < counts.created
            || existing.len() < counts.existing
            || reactivated.len() < counts.reactivated;
        Self {
            created,
            existing,
            reactivated,
            counts,
            truncated,
            // Sessions get the Agent API path, too.
            next: Link::of(Operation::ListKeywords, project.0).href(Surface::Agent),
            allowance: AddedAllowances {
                keywords: AllowanceView::of(tracked.keyword_allowance),
                ai_tracked: AllowanceView::of(tracked.ai_allowance),
            },
        }
    }
}

fn shown(keywords: &[Keyword], byte_budget: &mut ByteBudget) -> Vec<Box<RawValue>> {
    let rows = keywords.iter().map(KeywordView::of);
    byte_budget
        .fill(rows.map(|row| to_raw_value(&row)))
        .expect("keywords have string keys and no failing serialisers")
}

impl AllowanceView {
    pub fn of(allowance: Allowance) -> Self {
        Self {
            limit: allowance.limit,
            used: allowance.used,
        }
    }
}
