//! What visitors saw, summed up over a period.

use super::{FormFactor, VitalsMetric};
use crate::ToSchema;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The days whose visits are summed up, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionPeriod {
    /// The first day.
    pub first_date: NaiveDate,
    /// The last day.
    pub last_date: NaiveDate,
}

/// Whose visits these are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldScope {
    /// Of the page that was asked for.
    Page,
    /// Of the whole origin, as asked for.
    Origin,
    /// Of the whole origin, because the page has too few visits of its own.
    OriginInstead,
}

/// A share of all visits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistogramBin {
    /// From this value on, in the metric's unit.
    pub start: f64,
    /// Below this value; null for the last bin, which has no end.
    pub end: Option<f64>,
    /// The share of visits, 0 to 1.
    pub density: f64,
}

/// One metric over all visits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldMetric {
    /// The 75th percentile as the source says it; `None` where it says none.
    pub p75: Option<f64>,
    /// The distribution, by ascending value; empty where the source gives none.
    pub histogram: Vec<HistogramBin>,
    /// How many visits, where the source says it (CrUX does not).
    pub samples: Option<u64>,
}

/// What a source of field data knows about a page or an origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldSample {
    /// The page or the origin that the figures are about.
    pub url: String,
    /// Which of the two, and whether it was asked for.
    pub scope: FieldScope,
    /// Whose devices.
    pub form_factor: FormFactor,
    /// When; `None` where the source does not say it (PageSpeed Insights: the last 28 days).
    pub period: Option<CollectionPeriod>,
    /// The metrics that it has.
    pub metrics: BTreeMap<VitalsMetric, FieldMetric>,
    /// A neutral name of the source.
    pub provider: String,
}
