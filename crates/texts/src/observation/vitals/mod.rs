//! Speed of pages for visitors (*field*) and in our browser (*lab*). The two are never mixed: a field figure is a 75th
//! percentile over weeks of visits, a lab figure is one page load under fixed conditions.

mod field;
mod lab;
mod resource;

pub use field::{CollectionPeriod, FieldMetric, FieldSample, FieldScope, HistogramBin};
pub use lab::{
    ClsSource, LabMeasurement, LabMetrics, LabRun, LcpBreakdown, LcpElement, Opportunity,
    StaticFacts,
};
pub use resource::{ResourceFact, ResourceKind};

use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// The device of the visitor, or the device that the browser emulates.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum FormFactor {
    /// A phone.
    Phone,
    /// A desktop computer.
    Desktop,
    /// All of them together; field data only.
    All,
}

/// What is measured.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum VitalsMetric {
    /// Largest Contentful Paint, ms.
    Lcp,
    /// Interaction to Next Paint, ms.
    Inp,
    /// Cumulative Layout Shift, without a unit.
    Cls,
    /// First Contentful Paint, ms.
    Fcp,
    /// Time to First Byte, ms.
    Ttfb,
    /// Total Blocking Time, ms; lab only.
    Tbt,
    /// Speed Index, ms; lab only.
    Si,
}

impl VitalsMetric {
    /// All of them, in the order of the record.
    pub const ALL: [Self; 7] = [
        Self::Lcp,
        Self::Inp,
        Self::Cls,
        Self::Fcp,
        Self::Ttfb,
        Self::Tbt,
        Self::Si,
    ];
}
