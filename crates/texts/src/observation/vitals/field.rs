use super::{FormFactor, VitalsMetric};
use crate::ToSchema;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first and last day of the visits that are summed up, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionPeriod {
    /// The first day.
    pub first_date: NaiveDate,
    /// The last day.
    pub last_date: NaiveDate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldScope {
    Page,
    /// As requested.
    Origin,
    /// Fallback, since the page has too few visits.
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

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldMetric {
    /// `None` if the source gives none.
    pub p75: Option<f64>,
    /// Ascending; empty if the source gives none.
    pub histogram: Vec<HistogramBin>,
    /// `None` if the source gives none (CrUX).
    pub samples: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldSample {
    pub url: String,
    pub scope: FieldScope,
    pub form_factor: FormFactor,
    /// `None` if the source gives none (PageSpeed Insights: the last 28 days).
    pub period: Option<CollectionPeriod>,
    pub metrics: BTreeMap<VitalsMetric, FieldMetric>,
    pub provider: String,
}
