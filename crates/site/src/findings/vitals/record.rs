use super::opportunity::ResourceTotal;
use super::rating::{Assessment, Rating, Unit};
use super::trend::VitalsTrend;
use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::observation::vitals::{
    ClsSource, CollectionPeriod, FormFactor, HistogramBin, LcpBreakdown, LcpElement, Opportunity,
    ResourceKind, VitalsMetric,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The source of the figures; the two are never mixed in a record.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum VitalsSource {
    /// Visitors', over a period.
    Field,
    /// A browser's, under set conditions.
    Lab,
}

/// One metric: `p75` and shares in field data, `value` in lab data.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricRecord {
    /// The 75th percentile of visits; null in lab data.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub p75: Option<f64>,
    /// The value of the load that speaks for all; null in field data.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub value: Option<f64>,
    /// The unit of all values here.
    pub unit: Option<Unit>,
    /// How `p75` or `value` is rated; null when neither is known.
    pub rating: Option<Rating>,
    /// The distribution over visits; empty in lab data.
    pub histogram: Vec<HistogramBin>,
    /// Share of visits that were good, 0 to 1.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub good: Option<f64>,
    /// Share of visits between good and poor.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub needs_improvement: Option<f64>,
    /// Share of visits that were poor.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub poor: Option<f64>,
}

/// Every metric; null where nothing is known of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricRecords {
    /// Largest Contentful Paint.
    pub lcp: Option<MetricRecord>,
    /// Interaction to Next Paint; field data only, as a lab has no interactions.
    pub inp: Option<MetricRecord>,
    /// Cumulative Layout Shift.
    pub cls: Option<MetricRecord>,
    /// First Contentful Paint.
    pub fcp: Option<MetricRecord>,
    /// Time to First Byte.
    pub ttfb: Option<MetricRecord>,
    /// Total Blocking Time; lab only.
    pub tbt: Option<MetricRecord>,
    /// Speed Index; lab only.
    pub si: Option<MetricRecord>,
}

/// How far several loads are apart: interquartile ranges, in each metric's unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsSpread)]
pub struct Spread {
    /// Of the score, in points of 100.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub performance_score: Option<f64>,
    /// Of Largest Contentful Paint.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub lcp: Option<f64>,
    /// Of Cumulative Layout Shift.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub cls: Option<f64>,
    /// Of First Contentful Paint.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub fcp: Option<f64>,
    /// Of Time to First Byte.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub ttfb: Option<f64>,
    /// Of Total Blocking Time.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub tbt: Option<f64>,
    /// Of Speed Index.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub si: Option<f64>,
}

/// Speed of one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VitalsRecord {
    /// What every record says about itself; `url` is where redirects ended.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The requested page: differs from `url` where it redirects, and where the figures are those of the
    /// whole origin.
    pub requested_url: String,
    /// The form factor of the devices.
    pub form_factor: FormFactor,
    /// The source of the figures.
    pub source: VitalsSource,
    /// The days of field data; null in lab data, and where the source does not say them.
    pub collection_period: Option<CollectionPeriod>,
    /// The figures.
    pub metrics: MetricRecords,
    /// The Core Web Vitals assessment of field data; null when LCP or CLS is missing, and in lab
    /// data.
    pub assessment: Option<Assessment>,
    /// Lighthouse's performance score of lab data, 0 to 100; null when a metric is missing.
    pub performance_score: Option<u32>,
    /// How many loads are behind lab data; null in field data.
    pub runs: Option<u32>,
    /// How far those are apart; null for fewer than two.
    pub iqr: Option<Spread>,
    /// The element of the largest paint.
    pub lcp_element: Option<LcpElement>,
    /// Where the time until it went.
    pub lcp_breakdown: Option<LcpBreakdown>,
    /// The elements that moved, by descending shift.
    pub cls_sources: Vec<ClsSource>,
    /// What would make the page faster.
    pub opportunities: Vec<Opportunity>,
    /// Files by kind; empty in field data.
    pub resource_summary: BTreeMap<ResourceKind, ResourceTotal>,
    /// What changed since the record before; null without one that compares.
    pub trend: Option<VitalsTrend>,
}

crate::json!(VitalsRecord);

impl MetricRecords {
    pub const fn of(&self, metric: VitalsMetric) -> Option<&MetricRecord> {
        match metric {
            VitalsMetric::Lcp => self.lcp.as_ref(),
            VitalsMetric::Inp => self.inp.as_ref(),
            VitalsMetric::Cls => self.cls.as_ref(),
            VitalsMetric::Fcp => self.fcp.as_ref(),
            VitalsMetric::Ttfb => self.ttfb.as_ref(),
            VitalsMetric::Tbt => self.tbt.as_ref(),
            VitalsMetric::Si => self.si.as_ref(),
        }
    }

    pub(super) fn from_each(mut each: impl FnMut(VitalsMetric) -> Option<MetricRecord>) -> Self {
        Self {
            lcp: each(VitalsMetric::Lcp),
            inp: each(VitalsMetric::Inp),
            cls: each(VitalsMetric::Cls),
            fcp: each(VitalsMetric::Fcp),
            ttfb: each(VitalsMetric::Ttfb),
            tbt: each(VitalsMetric::Tbt),
            si: each(VitalsMetric::Si),
        }
    }
}

impl MetricRecord {
    pub fn figure(&self) -> Option<f64> {
        self.p75.or(self.value)
    }
}

impl Spread {
    pub const fn of(&self, metric: VitalsMetric) -> Option<f64> {
        match metric {
            VitalsMetric::Lcp => self.lcp,
            VitalsMetric::Cls => self.cls,
            VitalsMetric::Fcp => self.fcp,
            VitalsMetric::Ttfb => self.ttfb,
            VitalsMetric::Tbt => self.tbt,
            VitalsMetric::Si => self.si,
            VitalsMetric::Inp => None,
        }
    }
}
