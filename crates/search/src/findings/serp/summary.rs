use super::{METHOD_VERSION, PageType, PageTypeCount, SerpRecord};
use crate::findings::envelope::{Coverage, rounded};
use crate::observation::search_page::{Feature, FeatureCoverage};
use crate::provenance::RecordStatus;
use crate::statistics::describe;
use crate::{ToSchema, keyword_text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the results pages of a project look like, and how much they move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SerpSummary {
    /// The definition it follows.
    pub method_version: String,
    /// How many keywords were requested, measured, failed.
    pub coverage: Coverage,
    /// 0 (still) to 10: ten times the median of 1 − `rboWithPrevious`; null without earlier
    /// snapshots.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub volatility: Option<f64>,
    /// How many keywords that rests on.
    pub volatility_keywords: u64,
    /// Mean share of the first ten URLs that stayed.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_overlap_top10: Option<f64>,
    /// Mean share of blocks that lead to the project.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub average_own_share: Option<f64>,
    /// How many pages have feature data; the counts below are out of these.
    pub pages_with_feature_data: u64,
    /// Pages per feature, most frequent first.
    pub features: Vec<FeatureCount>,
    /// Pages of which it is known whether they had an AI overview.
    pub ai_overview_known: u64,
    /// Pages with an AI overview.
    pub ai_overview_present: u64,
    /// Pages with an AI overview that cites the project.
    pub ai_overview_own_cited: u64,
    /// Domains that came among the first 20 of the most pages since the last snapshots, at most 20.
    pub new_domains: Vec<MovedDomain>,
    /// Domains that left the first 20 of the most pages, at most 20.
    pub lost_domains: Vec<MovedDomain>,
    /// What kinds of pages the first ten results are, most frequent first.
    pub page_types: Vec<PageTypeCount>,
    /// Different questions that pages list.
    pub questions: u64,
}

crate::json!(SerpSummary);

/// On how many pages a domain came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovedDomain {
    /// The domain.
    pub domain: String,
    /// Pages.
    pub pages: u64,
}

/// On how many pages a feature was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FeatureCount {
    /// The feature.
    #[serde(rename = "type")]
    pub feature: Feature,
    /// Pages that show it.
    pub pages: u64,
    /// Pages where it leads to the project.
    pub own_present: u64,
}

/// Per list of new or lost domains.
const MAX_DOMAINS: usize = 20;

/// Aggregates records; keeps one number per keyword for the median, one per question, and counts.
#[derive(Debug, Clone, Default)]
pub struct SerpTally {
    measured: u64,
    failed: u64,
    volatilities: Vec<f64>,
    overlaps: Sum,
    own_shares: Sum,
    pages_with_feature_data: u64,
    features: BTreeMap<Feature, (u64, u64)>,
    overview_known: u64,
    overview_present: u64,
    overview_own_cited: u64,
    new_domains: BTreeMap<String, u64>,
    lost_domains: BTreeMap<String, u64>,
    page_types: BTreeMap<PageType, u32>,
    questions: BTreeSet<u64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    total: f64,
    count: u64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        self.total += value;
        self.count += 1;
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of keywords are far below 2^52"
    )]
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.total / self.count as f64)
    }
}

impl SerpTally {
    pub fn add(&mut self, record: &SerpRecord) {
        if record.envelope.status == RecordStatus::Error {
            self.failed += 1;
            return;
        }
        self.measured += 1;
        if let Some(share) = record.own_share {
            self.own_shares.add(share);
        }
        if let Some(stability) = &record.stability {
            self.overlaps.add(stability.overlap_top10);
            self.volatilities
                .extend(stability.rbo_with_previous.map(|rbo| 1.0 - rbo));
            count(&mut self.new_domains, &stability.new_domains);
            count(&mut self.lost_domains, &stability.lost_domains);
        }
        for kind in &record.page_types {
            *self.page_types.entry(kind.page_type).or_default() += kind.count;
        }
        self.questions
            .extend(record.questions.iter().map(|it| fingerprint(it)));
        self.add_features(record);
        self.add_overview(record);
    }

    pub fn finish(self, requested: u64) -> SerpSummary {
        let mut features: Vec<FeatureCount> = self
            .features
            .iter()
            .map(|(feature, (pages, own))| FeatureCount {
                feature: *feature,
                pages: *pages,
                own_present: *own,
            })
            .collect();
        features.sort_by(|a, b| b.pages.cmp(&a.pages).then(a.feature.cmp(&b.feature)));
        SerpSummary {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new(requested, self.measured, self.failed),
            volatility: describe::median(&self.volatilities).map(|median| median * 10.0),
            volatility_keywords: self.volatilities.len() as u64,
            average_overlap_top10: self.overlaps.mean(),
            average_own_share: self.own_shares.mean(),
            pages_with_feature_data: self.pages_with_feature_data,
            features,
            ai_overview_known: self.overview_known,
            ai_overview_present: self.overview_present,
            ai_overview_own_cited: self.overview_own_cited,
            new_domains: most_frequent(self.new_domains),
            lost_domains: most_frequent(self.lost_domains),
            page_types: kinds(self.page_types),
            questions: self.questions.len() as u64,
        }
    }

    fn add_features(&mut self, record: &SerpRecord) {
        if record.feature_coverage == FeatureCoverage::Absent {
            return;
        }
        self.pages_with_feature_data += 1;
        for feature in &record.features {
            let (pages, own) = self.features.entry(feature.feature).or_default();
            *pages += 1;
            *own += u64::from(feature.own_present);
        }
    }

    fn add_overview(&mut self, record: &SerpRecord) {
        if let Some(overview) = &record.ai_overview {
            self.overview_known += 1;
            self.overview_present += u64::from(overview.present);
            self.overview_own_cited += u64::from(overview.own_cited);
        }
    }
}

fn count(counts: &mut BTreeMap<String, u64>, domains: &[String]) {
    for domain in domains {
        match counts.get_mut(domain) {
            Some(count) => *count += 1,
            None => {
                counts.insert(domain.clone(), 1);
            }
        }
    }
}

/// Collisions within a project are very unlikely.
fn fingerprint(question: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    keyword_text::normalized(question).hash(&mut hasher);
    hasher.finish()
}

fn most_frequent(counts: BTreeMap<String, u64>) -> Vec<MovedDomain> {
    let mut domains: Vec<MovedDomain> = counts
        .into_iter()
        .map(|(domain, pages)| MovedDomain { domain, pages })
        .collect();
    domains.sort_by(|one, other| {
        let by_pages = other.pages.cmp(&one.pages);
        by_pages.then_with(|| one.domain.cmp(&other.domain))
    });
    domains.truncate(MAX_DOMAINS);
    domains
}

fn kinds(counts: BTreeMap<PageType, u32>) -> Vec<PageTypeCount> {
    let mut kinds: Vec<PageTypeCount> = counts
        .into_iter()
        .map(|(page_type, count)| PageTypeCount { page_type, count })
        .collect();
    kinds.sort_by(|one, other| {
        let by_count = other.count.cmp(&one.count);
        by_count.then(one.page_type.cmp(&other.page_type))
    });
    kinds
}
