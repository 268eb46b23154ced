use super::requests::{Request, Requests};
use super::trace::Load;
use analysis::findings::vitals::blocking_time::{
    Activity, time_to_interactive, total_blocking_time,
};
use analysis::findings::vitals::layout_shift::{
    Shift, ShiftPart, cumulative_layout_shift, sources,
};
use analysis::findings::vitals::speed_index::speed_index;
use analysis::observation::vitals::{
    ClsSource, LabMetrics, LabRun, LcpBreakdown, LcpElement, ResourceFact,
};
use serde::Deserialize;

const NO_PAINT: &str = "noPaint";

/// The page was not quiet for long enough to compute Time to Interactive.
const NEVER_QUIET: &str = "neverQuiet";

/// The trace and the page's observer disagree about the LCP.
const READERS_DISAGREE: &str = "lcpReadersDisagree";

/// Accepted difference of the two LCP values, in ms and as a share.
const LCP_TOLERANCE_MS: f64 = 50.0;
const LCP_TOLERANCE_SHARE: f64 = 0.05;

/// Results of the observers in the page; times in ms after the time origin.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObserverReport {
    lcp: Option<ObservedPaint>,
    #[serde(default)]
    shifts: Vec<ObservedShift>,
    unsized_images: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct ObservedPaint {
    at: f64,
    url: Option<String>,
    selector: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ObservedShift {
    at: f64,
    score: f64,
    parts: Vec<ObservedShiftPart>,
}

#[derive(Debug, Deserialize)]
struct ObservedShiftPart {
    selector: Option<String>,
    area: f64,
}

pub struct RunInputs<'a> {
    pub final_url: String,
    pub load: Load,
    pub requests: &'a Requests,
    pub resources: Vec<ResourceFact>,
    /// `None` when the page did not answer.
    pub observed: Option<ObserverReport>,
    pub warnings: Vec<String>,
}

impl RunInputs<'_> {
    pub fn into_run(mut self) -> LabRun {
        let page: Vec<&Request> = self.requests.document_requests().collect();
        let origin = self.load.origin;
        let since = |at: f64| (at - origin) * 1_000.0;
        let answered = page.last().and_then(|it| it.answered).map(since);
        let metrics = self.metrics(answered.filter(|it| *it > 0.0));
        self.add_warnings(&metrics);
        let seen = self.observed.unwrap_or_default();
        let redirects = page.first().zip(page.last());
        LabRun {
            final_url: self.final_url,
            lcp_breakdown: breakdown(&metrics, &seen, self.requests, origin),
            lcp_element: metrics.lcp.and(seen.lcp.as_ref()).map(element),
            cls_sources: layout_shift_sources(&seen.shifts),
            redirects_ms: redirects.map(|(first, last)| (last.begun - first.begun) * 1_000.0),
            server_response_ms: page.last().and_then(|it| it.server_ms),
            unsized_images: seen.unsized_images,
            resources: self.resources,
            opportunities: None,
            warnings: self.warnings,
            metrics,
        }
    }

    fn metrics(&self, ttfb: Option<f64>) -> LabMetrics {
        let load = &self.load;
        let requests = self.requests.spans(load.origin);
        let tti = load.fcp.zip(load.content_loaded);
        let tti = tti.and_then(|(fcp, dom_content_loaded)| {
            time_to_interactive(&Activity {
                fcp,
                dom_content_loaded,
                end: load.end,
                tasks: &load.tasks,
                requests: &requests,
            })
        });
        let blocked = load.fcp.zip(tti);
        LabMetrics {
            fcp: load.fcp,
            lcp: load.lcp,
            cls: load.fcp.map(|_| cumulative_layout_shift(&load.shifts)),
            tbt: blocked.map(|(fcp, tti)| total_blocking_time(&load.tasks, fcp, tti)),
            ttfb,
            si: speed_index(&load.frames),
            tti,
        }
    }

    fn add_warnings(&mut self, metrics: &LabMetrics) {
        let mut warn = |code: &str| self.warnings.push(code.to_owned());
        if metrics.fcp.is_none() {
            warn(NO_PAINT);
        } else if metrics.tti.is_none() {
            warn(NEVER_QUIET);
        }
        let other = self.observed.as_ref().and_then(|it| it.lcp.as_ref());
        if let (Some(lcp), Some(other)) = (metrics.lcp, other)
            && (lcp - other.at).abs() > LCP_TOLERANCE_MS.max(lcp * LCP_TOLERANCE_SHARE)
        {
            warn(READERS_DISAGREE);
        }
    }
}

fn element(paint: &ObservedPaint) -> LcpElement {
    let kind = if paint.url.is_some() { "image" } else { "text" };
    LcpElement {
        selector: paint.selector.clone(),
        url: paint.url.clone(),
        kind: kind.to_owned(),
    }
}

/// LCP subparts (`core/computed/metrics/lcp-breakdown.js` of lighthouse 12.8.2).
fn breakdown(
    metrics: &LabMetrics,
    seen: &ObserverReport,
    requests: &Requests,
    origin: f64,
) -> Option<LcpBreakdown> {
    let (lcp, paint) = (metrics.lcp?, seen.lcp.as_ref()?);
    let ttfb = metrics.ttfb?.min(lcp);
    let image = paint.url.as_ref().and_then(|it| requests.find_by_url(it));
    let (begun, ended) = match image {
        Some(image) => {
            let since = |at: f64| ((at - origin) * 1_000.0).min(lcp);
            let begun = since(image.begun).max(ttfb);
            (begun, since(image.ended?).max(begun))
        }
        None => (ttfb, ttfb),
    };
    Some(LcpBreakdown {
        ttfb,
        load_delay: begun - ttfb,
        load_duration: ended - begun,
        render_delay: lcp - ended,
    })
}

fn layout_shift_sources(shifts: &[ObservedShift]) -> Vec<ClsSource> {
    let shifts: Vec<(Shift, Vec<ShiftPart>)> = shifts
        .iter()
        .map(|it| {
            let parts = it.parts.iter().map(|part| ShiftPart {
                selector: part.selector.clone(),
                area: part.area,
            });
            let shift = Shift {
                at: it.at,
                score: it.score,
            };
            (shift, parts.collect())
        })
        .collect();
    sources(&shifts)
}
