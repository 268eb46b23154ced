use super::{CompetitorRecord, METHOD_VERSION, MIN_COMMON_KEYWORDS, MIN_TOPICALITY};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use crate::search_panel::Panel;
use crate::site_class::SiteClass;
use serde::{Deserialize, Serialize};

/// Who competes, counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompetitorsSummary {
    /// The definition it follows.
    pub method_version: String,
    /// How many keywords have a page of the last seven days.
    pub coverage: Coverage,
    /// Keywords for which the project is in the top 20.
    pub own_keywords: u64,
    /// How many other domains are on the pages.
    pub domains_seen: u64,
    /// Records that the pages brought.
    pub detected: u64,
    /// Records that the owner follows.
    pub tracked: u64,
    /// Records per class.
    pub classes: Vec<ClassCount>,
    /// The first business by rank (`direct` or `marketplace`) that shares three keywords and a tenth of the
    /// project's with it; null without any.
    pub strongest: Option<String>,
    /// Its score.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub strongest_score: Option<f64>,
}

crate::json!(CompetitorsSummary);

/// Records of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClassCount {
    /// The class.
    pub class: SiteClass,
    /// How many.
    pub count: u64,
}

impl CompetitorsSummary {
    pub fn of(records: &[CompetitorRecord], panel: &Panel<'_>) -> Self {
        let mut ranked: Vec<&CompetitorRecord> = { records.iter() }
            .filter(|it| it.rank.is_some() && is_business_competitor(it))
            .collect();
        ranked.sort_by_key(|it| it.rank);
        let strongest = ranked.first();
        let tracked = records.iter().filter(|it| it.is_tracked).count() as u64;
        let (measured, missing) = (panel.keywords().len(), panel.missing().len());
        Self {
            method_version: METHOD_VERSION.to_owned(),
            coverage: Coverage::new((measured + missing) as u64, measured as u64, missing as u64),
            own_keywords: own_keywords(panel),
            domains_seen: panel.domain_count() as u64 - 1,
            detected: records.len() as u64 - tracked,
            tracked,
            classes: classes(records),
            strongest: strongest.map(|it| it.domain.clone()),
            strongest_score: strongest.and_then(|it| it.competitor_score),
        }
    }
}

/// Whether it is a business in the project's market, not an encyclopedia, forum, magazine or list.
fn is_business_competitor(record: &CompetitorRecord) -> bool {
    let is_business = matches!(record.class, SiteClass::Direct | SiteClass::Marketplace);
    let shares = record.topicality.is_some_and(|it| it >= MIN_TOPICALITY);
    is_business && shares && record.common_keywords >= MIN_COMMON_KEYWORDS
}

fn own_keywords(panel: &Panel<'_>) -> u64 {
    let has_own = |keyword: &&crate::search_panel::PanelKeyword| {
        panel
            .standings(keyword)
            .iter()
            .any(|it| it.domain == crate::search_panel::OWN && it.position <= super::TOP)
    };
    panel.keywords().iter().filter(has_own).count() as u64
}

fn classes(records: &[CompetitorRecord]) -> Vec<ClassCount> {
    let mut counts = std::collections::BTreeMap::new();
    for record in records {
        *counts.entry(record.class).or_insert(0_u64) += 1;
    }
    counts
        .into_iter()
        .map(|(class, count)| ClassCount { class, count })
        .collect()
}
