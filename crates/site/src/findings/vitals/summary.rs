use super::rating::{Assessment, Rating};
use super::record::{VitalsRecord, VitalsSource};
use crate::ToSchema;
use crate::findings::envelope::{Coverage, rounded};
use crate::observation::vitals::{FormFactor, VitalsMetric};
use crate::provenance::RecordStatus;
use crate::statistics::describe::median;
use crate::statistics::wilson::wilson;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const MAX_SLOWEST_PAGES: usize = 5;

/// Records by rating.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingCounts {
    /// Rated good.
    pub good: u32,
    /// Rated between.
    pub needs_improvement: u32,
    /// Rated poor.
    pub poor: u32,
}

/// A page with a low score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlowPage {
    /// The page.
    pub url: String,
    /// Its performance score.
    pub performance_score: u32,
}

/// The records of one form factor. Field and lab figures are separate. A page that several URLs lead
/// to, and an origin with the figures of several pages, count once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormFactorSummary {
    /// Pages with an assessment of field data.
    pub assessed: u32,
    /// Of those, pages that pass the Core Web Vitals assessment.
    pub passed: u32,
    /// `passed` / `assessed`; null when nothing was assessed.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub passed_share: Option<f64>,
    /// Lower end of its 95 % Wilson interval.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub passed_share_low: Option<f64>,
    /// Upper end of it.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub passed_share_high: Option<f64>,
    /// Ratings of visitors' figures by metric.
    pub field_ratings: BTreeMap<VitalsMetric, RatingCounts>,
    /// Pages that were scored in a lab.
    pub scored: u32,
    /// The median of their performance scores; null when nothing was scored.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub median_performance_score: Option<f64>,
    /// Ratings of lab figures by metric.
    pub lab_ratings: BTreeMap<VitalsMetric, RatingCounts>,
    /// The pages with the lowest scores.
    pub slowest: Vec<SlowPage>,
}

/// Counts of a project's records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VitalsSummary {
    /// Requested records, and their outcomes.
    pub coverage: Coverage,
    /// Records for which a source has too few visits; null where no source of field data was
    /// queried, or none answered.
    pub without_field_data: Option<u32>,
    /// By form factor.
    pub by_form_factor: BTreeMap<FormFactor, FormFactorSummary>,
}

crate::json!(VitalsSummary);

impl VitalsSummary {
    pub fn of(records: &[VitalsRecord], requested: u64) -> Self {
        let count = |status: RecordStatus| {
            let matching = records.iter().filter(|it| it.envelope.status == status);
            u32::try_from(matching.count()).unwrap_or(u32::MAX)
        };
        let failed = u64::from(count(RecordStatus::Error));
        let mut groups: BTreeMap<FormFactor, Vec<&VitalsRecord>> = BTreeMap::new();
        for record in records {
            groups.entry(record.form_factor).or_default().push(record);
        }
        Self {
            coverage: Coverage::new(requested, records.len() as u64 - failed, failed),
            without_field_data: without_field_data(records),
            by_form_factor: groups
                .into_iter()
                .map(|(form_factor, records)| (form_factor, FormFactorSummary::of(&records)))
                .collect(),
        }
    }
}

/// Field records for which a source has too few visits; `None` if no source answered.
fn without_field_data(records: &[VitalsRecord]) -> Option<u32> {
    let answered = records
        .iter()
        .filter(|it| it.source == VitalsSource::Field && it.envelope.status != RecordStatus::Error);
    let lacks = |it: &&VitalsRecord| it.envelope.status == RecordStatus::InsufficientData;
    let lacking = answered.clone().filter(lacks).count();
    (answered.count() > 0).then(|| u32::try_from(lacking).unwrap_or(u32::MAX))
}

impl FormFactorSummary {
    fn of(records: &[&VitalsRecord]) -> Self {
        let mut summary = Self::default();
        let mut scored: Vec<SlowPage> = Vec::new();
        let mut seen = BTreeSet::new();
        for record in records {
            let is_error = record.envelope.status == RecordStatus::Error;
            if is_error || !seen.insert((record.source, record.envelope.url.as_deref())) {
                continue;
            }
            summary.count_ratings(record);
            summary.assessed += u32::from(record.assessment.is_some());
            summary.passed += u32::from(record.assessment == Some(Assessment::Passed));
            scored.extend(record.performance_score.map(|performance_score| SlowPage {
                url: record.envelope.url.clone().unwrap_or_default(),
                performance_score,
            }));
        }
        summary.scored = u32::try_from(scored.len()).unwrap_or(u32::MAX);
        let points: Vec<f64> = scored
            .iter()
            .map(|it| f64::from(it.performance_score))
            .collect();
        summary.median_performance_score = median(&points);
        scored.sort_by(|one, other| {
            let by_score = one.performance_score.cmp(&other.performance_score);
            by_score.then_with(|| one.url.cmp(&other.url))
        });
        scored.truncate(MAX_SLOWEST_PAGES);
        summary.slowest = scored;
        let bounds = wilson(u64::from(summary.passed), u64::from(summary.assessed));
        summary.passed_share =
            bounds.map(|_| f64::from(summary.passed) / f64::from(summary.assessed));
        summary.passed_share_low = bounds.map(|it| it.low);
        summary.passed_share_high = bounds.map(|it| it.high);
        summary
    }

    fn count_ratings(&mut self, record: &VitalsRecord) {
        let ratings = match record.source {
            VitalsSource::Field => &mut self.field_ratings,
            VitalsSource::Lab => &mut self.lab_ratings,
        };
        for metric in VitalsMetric::ALL {
            let rating = record.metrics.of(metric).and_then(|it| it.rating);
            if let Some(rating) = rating {
                let counts = ratings.entry(metric).or_default();
                match rating {
                    Rating::Good => counts.good += 1,
                    Rating::NeedsImprovement => counts.needs_improvement += 1,
                    Rating::Poor => counts.poor += 1,
                }
            }
        }
    }
}
