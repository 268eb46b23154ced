//! What page loads in a browser of ours, or without one, brought.

use super::{FormFactor, ResourceFact};
use crate::{ToSchema, provenance::Provenance};
use serde::{Deserialize, Serialize};

/// Several loads of one page under the same conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabMeasurement {
    /// The device that was emulated.
    pub form_factor: FormFactor,
    /// The loads that came to an end; at least one.
    pub runs: Vec<LabRun>,
    /// How many loads were asked for.
    pub asked: u32,
    /// A neutral name of who loaded it.
    pub provider: String,
    /// `Measured` for a browser of ours, `Imported` for someone else's.
    pub provenance: Provenance,
}

/// One page load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabRun {
    /// Where the load ended after redirects.
    pub final_url: String,
    /// The figures.
    pub metrics: LabMetrics,
    /// The element of the largest paint.
    pub lcp_element: Option<LcpElement>,
    /// Where the time until the largest paint went.
    pub lcp_breakdown: Option<LcpBreakdown>,
    /// The elements that moved, by descending shift.
    pub cls_sources: Vec<ClsSource>,
    /// Time that redirects took before the page itself was asked for, ms.
    pub redirects_ms: Option<f64>,
    /// How long the server took to answer the last request for the page, ms.
    pub server_response_ms: Option<f64>,
    /// Images without width and height; `None` when nobody counted.
    pub unsized_images: Option<u32>,
    /// Everything that was loaded.
    pub resources: Vec<ResourceFact>,
    /// What to mend, as whoever loaded the page says; `None` when that follows from the rest.
    pub opportunities: Option<Vec<Opportunity>>,
    /// Machine codes of what limits the run.
    pub warnings: Vec<String>,
}

/// The figures of one page load; `None` is unknown, 0 was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LabMetrics {
    /// First Contentful Paint, ms after the navigation began.
    pub fcp: Option<f64>,
    /// Largest Contentful Paint, ms.
    pub lcp: Option<f64>,
    /// Cumulative Layout Shift.
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

/// Four parts, in ms, that add up to the largest paint (web.dev, "Optimize LCP"). Text has no
/// load of its own: its `loadDelay` and `loadDuration` are 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LcpBreakdown {
    /// Until the first byte of the page.
    pub ttfb: f64,
    /// From there until the image was asked for.
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
    /// Time that mending saves each load; null where nobody can say.
    pub savings_ms: Option<f64>,
    /// Bytes that mending saves; null where nobody can say.
    pub savings_bytes: Option<u64>,
}

/// What can be said of a page without a browser; nothing here stands in for a paint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StaticFacts {
    /// The device whose page was asked for.
    pub form_factor: FormFactor,
    /// Where the page was found after redirects.
    pub final_url: String,
    /// From the beginning of the first request until the first byte of the page, ms.
    pub ttfb_ms: Option<f64>,
    /// Time that redirects took, ms.
    pub redirects_ms: Option<f64>,
    /// How long the server took to answer the last request for the page, ms.
    pub server_response_ms: Option<f64>,
    /// Images without width and height.
    pub unsized_images: u32,
    /// The page and what it names: style sheets, scripts, images, fonts.
    pub resources: Vec<ResourceFact>,
    /// Machine codes of what limits the facts.
    pub warnings: Vec<String>,
}
