use super::{FormFactor, ResourceFact};
use crate::{ToSchema, provenance::Provenance};
use serde::{Deserialize, Serialize};

/// Loads of one page under the same conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabMeasurement {
    pub form_factor: FormFactor,
    /// Completed loads; at least one.
    pub runs: Vec<LabRun>,
    #[serde(rename = "asked")]
    pub requested_runs: u32,
    pub provider: String,
    /// `Measured` by our browser, `Imported` by another.
    pub provenance: Provenance,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// After redirects.
    pub final_url: String,
    pub metrics: LabMetrics,
    pub lcp_element: Option<LcpElement>,
    pub lcp_breakdown: Option<LcpBreakdown>,
    /// Largest shift first.
    pub cls_sources: Vec<ClsSource>,
    /// Before the page itself was requested.
    pub redirects_ms: Option<f64>,
    /// Of the last request for the page.
    pub server_response_ms: Option<f64>,
    /// `None` if not counted.
    pub unsized_images: Option<u32>,
    pub resources: Vec<ResourceFact>,
    /// From the supplier; `None` if they follow from the other facts.
    pub opportunities: Option<Vec<Opportunity>>,
    /// Machine codes of limitations.
    pub warnings: Vec<String>,
}

/// `None` is unknown, 0 was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LabMetrics {
    /// First Contentful Paint, ms after the navigation began.
    pub fcp: Option<f64>,
    /// Largest Contentful Paint, ms.
    pub lcp: Option<f64>,
    pub cls: Option<f64>,
    /// Total Blocking Time, ms.
    pub tbt: Option<f64>,
    /// Time to First Byte, ms.
    pub ttfb: Option<f64>,
    /// Speed Index, ms.
    pub si: Option<f64>,
    /// Time to Interactive, ms; it bounds the blocking time and is not published.
    pub tti: Option<f64>,
}

/// The element of the largest paint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LcpElement {
    /// A CSS selector that leads to it; null when it left the page.
    pub selector: Option<String>,
    /// The image's URL; null for text.
    pub url: Option<String>,
    /// `image` or `text`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Four parts, in ms, that add up to the largest paint (web.dev, "Optimize LCP"). Text is
/// not loaded separately: its `loadDelay` and `loadDuration` are 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LcpBreakdown {
    /// Until the first byte of the page.
    pub ttfb: f64,
    /// From there until the image was requested.
    pub load_delay: f64,
    /// Until it was there.
    pub load_duration: f64,
    /// Until it was painted.
    pub render_delay: f64,
}

/// An element that moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClsSource {
    /// A CSS selector that leads to it; null when it left the page.
    pub selector: Option<String>,
    /// Its part of the page's layout shift.
    pub shift: f64,
}

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Opportunity {
    /// What: `server-response-time`, `redirects`, `uses-text-compression`, `uses-long-cache-ttl`,
    /// `render-blocking-resources`, `unsized-images`.
    pub audit_id: String,
    /// Time that the fix saves per load; null where it is unknown.
    pub savings_ms: Option<f64>,
    /// Bytes that the fix saves; null where they are unknown.
    pub savings_bytes: Option<u64>,
}

/// Known without a browser; no substitutes for paint metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StaticFacts {
    pub form_factor: FormFactor,
    /// After redirects.
    pub final_url: String,
    /// From the first request to the first byte of the page.
    pub ttfb_ms: Option<f64>,
    pub redirects_ms: Option<f64>,
    /// Of the last request for the page.
    pub server_response_ms: Option<f64>,
    pub unsized_images: u32,
    /// The page, style sheets, scripts, images, fonts.
    pub resources: Vec<ResourceFact>,
    /// Machine codes of limitations.
    pub warnings: Vec<String>,
}
