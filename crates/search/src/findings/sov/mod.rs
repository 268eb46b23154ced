//! `sov`: the project's share of expected clicks on search results, in three universes, for the project and its scopes.

use super::envelope::{Envelope, rounded};
use crate::{
    ToSchema, findings::rankings::Weighting, observation::search_page::Feature,
    search_intent::Intent,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

mod earlier;
mod evaluate;
mod scopes;
mod summary;

pub use earlier::EarlierPages;
pub use evaluate::shares;
pub use summary::SovSummary;

pub const METHOD_VERSION: &str = "sov/2";

/// Versions with the same definition of `sov`; they differ in `change7` and `change30`.
pub const COMPARABLE_VERSIONS: [&str; 2] = ["sov/1", METHOD_VERSION];

#[derive(Debug, Clone, Copy)]
pub struct SovContext<'a> {
    pub project_id: i64,
    /// Registrable domains that the owner tracks; may omit the own one.
    pub tracked: &'a BTreeSet<String>,
    /// The pages of 7 to 9 days ago.
    pub week_ago: Option<&'a EarlierPages>,
    /// The pages of 30 to 37 days ago.
    pub month_ago: Option<&'a EarlierPages>,
    pub provider: Option<&'a str>,
}

/// The keywords that a record covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(tag = "scope", content = "scopeValue", rename_all = "camelCase")]
pub enum SovScope {
    /// All of the project's.
    Project,
    /// Those with this tag.
    Tag(String),
    /// Those of which this is wanted.
    Intent(Intent),
    /// Those that are meant for this group of pages.
    PageGroup(String),
}

/// The share of voice of a project for some of its keywords.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SovRecord {
    /// What all records carry; `provenance` is `estimated`, since clicks are a model's.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keywords that it covers.
    #[serde(flatten)]
    pub scope: SovScope,
    /// What the shares are shares of.
    pub universe: Universe,
    /// Whether search volumes weigh the keywords, or all weigh the same; one for all scopes.
    pub weighting: Weighting,
    /// The curve that clicks follow.
    pub ctr_model: String,
    /// Own expected clicks as a share of those of all domains seen among the first 100 results;
    /// null when no domain is expected to get any.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sov: Option<f64>,
    /// Own expected clicks as a share of all searches (with equal weighting, of all keywords).
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub share_of_search: Option<f64>,
    /// Own expected clicks as a share of those of the own and the tracked domains; null when
    /// no domain is tracked.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub sov_tracked: Option<f64>,
    /// The own place among all domains by share; null when it is nowhere among the results.
    pub rank: Option<u32>,
    /// Own expected clicks per month; null with equal weighting.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_clicks: Option<f64>,
    /// Those of all domains; null with equal weighting.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub total_estimated_clicks: Option<f64>,
    /// Keywords with a page of the last seven days.
    pub keyword_count: u64,
    /// Keywords without one, left out for each domain.
    pub missing_keywords: u64,
    /// The largest domains, the own one and the tracked ones, largest first.
    pub domains: Vec<DomainShare>,
    /// How many domains were seen.
    pub domain_count: u64,
    /// The share of all that are not listed.
    #[serde(serialize_with = "rounded::fraction")]
    pub others_sov: f64,
    /// Herfindahl–Hirschman index of all domains' shares.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub concentration_hhi: Option<f64>,
    /// How many equal domains would be as concentrated: 1 / HHI.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub effective_competitors: Option<f64>,
    /// The change of `sov` since 7 days ago, over the keywords that have a page at both ends, by
    /// today's weights; null without such keywords.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change7: Option<f64>,
    /// When the pages were fetched with which `change7` compares.
    pub change7_since: Option<DateTime<Utc>>,
    /// How many keywords `change7` compares.
    #[serde(default)]
    #[schema(required = true)]
    pub change7_keywords: Option<u64>,
    /// The same since 30 days ago.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub change30: Option<f64>,
    /// When the pages were fetched with which `change30` compares.
    pub change30_since: Option<DateTime<Utc>>,
    /// How many keywords `change30` compares.
    #[serde(default)]
    #[schema(required = true)]
    pub change30_keywords: Option<u64>,
    /// Of the pages that show a feature, the share on which it leads to the project. For the whole
    /// project alone.
    #[serde(serialize_with = "feature_shares")]
    pub features: BTreeMap<Feature, f64>,
}

crate::json!(SovRecord);

/// What the shares of a record are shares of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SovUniverse)]
pub struct Universe {
    /// Of `sov`: always `allDomainsInTop100`.
    pub sov: String,
    /// Of `shareOfSearch`: `searchVolume` or, with equal weighting, `keywords`.
    pub share_of_search: String,
    /// Of `sovTracked`: always `ownAndTrackedDomains`.
    pub sov_tracked: String,
    /// The least and the most organic results that a page of the scope has; null without pages.
    pub depth_checked: Option<(u32, u32)>,
}

/// A domain's part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomainShare {
    /// The registrable domain; of the own sites together, the project's host.
    pub domain: String,
    /// Its share among all domains.
    #[serde(serialize_with = "rounded::fraction")]
    pub sov: f64,
    /// Its expected clicks per month; null with equal weighting.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimated_clicks: Option<f64>,
    /// Keywords for which it is among the first three.
    pub keywords_top3: u64,
    /// Keywords for which it is among the first ten.
    pub keywords_top10: u64,
    /// Mean of its best positions over the keywords for which it ranks.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_position: Option<f64>,
    /// Whether it is the project.
    pub is_own: bool,
    /// Whether the owner follows it.
    pub is_tracked: bool,
}

fn feature_shares<S: serde::Serializer>(
    shares: &BTreeMap<Feature, f64>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(
        shares
            .iter()
            .map(|(feature, share)| (feature.name(), rounded::six_digits(*share))),
    )
}

#[cfg(test)]
mod tests;
