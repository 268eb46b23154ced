//! Lab data of a PageSpeed Insights response: a Lighthouse report.

use crate::{http_client::parse_json, resilience::CallFailure};
use analysis::observation::vitals::{
    ClsSource, LabMetrics, LabRun, LcpBreakdown, LcpElement, Opportunity, ResourceFact,
    ResourceKind,
};
use domain::ports::page_speed::LabError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

const MAX_ENTRIES: usize = 5_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    lighthouse_result: Option<Report>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    final_url: Option<String>,
    final_displayed_url: Option<String>,
    requested_url: Option<String>,
    #[serde(default)]
    audits: BTreeMap<String, Audit>,
    runtime_error: Option<RuntimeError>,
    #[serde(default)]
    run_warnings: Vec<Value>,
}

#[derive(Deserialize)]
struct RuntimeError {
    code: String,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Audit {
    numeric_value: Option<f64>,
    details: Option<Value>,
}

pub(super) fn parse(body: &[u8]) -> Result<LabRun, LabError> {
    let body: Body = parse_json(body).map_err(|failure| failure.error)?;
    let report = body.lighthouse_result;
    let report = report.ok_or_else(|| CallFailure::malformed("it holds no report").error)?;
    match &report.runtime_error {
        Some(error) if error.code != "NO_ERROR" => {
            Err(failure(&format!("{}. {}", error.code, error.message)))
        }
        _ => Ok(report.into_run()),
    }
}

pub(super) fn failure(message: &str) -> LabError {
    let code = message.split(['.', ' ']).next().unwrap_or_default();
    match code {
        "ERRORED_DOCUMENT_REQUEST" => {
            status(message).map_or(LabError::Unreachable, LabError::Status)
        }
        "NOT_HTML" => LabError::NotHtml,
        "PAGE_HUNG" | "PROTOCOL_TIMEOUT" | "NO_DOCUMENT_REQUEST" => LabError::TimedOut,
        "TARGET_CRASHED" => LabError::TooHeavy,
        // Also FAILED_DOCUMENT_REQUEST, DNS_FAILURE, CHROME_INTERSTITIAL_ERROR, INSECURE_DOCUMENT_REQUEST.
        _ => LabError::Unreachable,
    }
}

/// Parses `… (Status code: 404)`.
fn status(message: &str) -> Option<u16> {
    let (_, after) = message.split_once("Status code: ")?;
    after
        .split(|it: char| !it.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

impl Report {
    fn into_run(self) -> LabRun {
        let value = |audit: &str| self.audits.get(audit)?.numeric_value;
        let metrics = LabMetrics {
            fcp: value("first-contentful-paint"),
            lcp: value("largest-contentful-paint"),
            cls: value("cumulative-layout-shift"),
            tbt: value("total-blocking-time"),
            si: value("speed-index"),
            tti: value("interactive"),
            // The report has only the server's part.
            ttfb: None,
        };
        LabRun {
            metrics,
            lcp_element: self.lcp_element(),
            lcp_breakdown: self.lcp_breakdown(),
            cls_sources: self.cls_sources(),
            redirects_ms: None,
            server_response_ms: value("server-response-time"),
            unsized_images: None,
            resources: self.resources(),
            opportunities: Some(self.opportunities()),
            warnings: if self.run_warnings.is_empty() {
                Vec::new()
            } else {
                vec!["lighthouseWarnings".to_owned()]
            },
            final_url: self
                .final_displayed_url
                .or(self.final_url)
                .or(self.requested_url)
                .unwrap_or_default(),
        }
    }

    fn items(&self, audit: &str) -> impl Iterator<Item = &Value> {
        let details = self.audits.get(audit).and_then(|it| it.details.as_ref());
        let items = details.and_then(|it| it["items"].as_array());
        items.into_iter().flatten().take(MAX_ENTRIES)
    }

    fn lcp_element(&self) -> Option<LcpElement> {
        let tables = self.items("largest-contentful-paint-element");
        let mut entries = tables.filter_map(|it| it["items"].as_array()).flatten();
        let node = entries.find_map(|it| it["node"].as_object())?;
        let text = |name: &str| node.get(name).and_then(Value::as_str);
        let is_image = text("snippet").is_some_and(|it| it.starts_with("<img"));
        Some(LcpElement {
            selector: text("selector").map(str::to_owned),
            url: None,
            kind: if is_image { "image" } else { "text" }.to_owned(),
        })
    }

    fn lcp_breakdown(&self) -> Option<LcpBreakdown> {
        let tables = self.items("largest-contentful-paint-element");
        let entries: Vec<&Value> = tables
            .filter_map(|it| it["items"].as_array())
            .flatten()
            .collect();
        let phase = |name: &str| {
            let mut entries = entries.iter();
            entries.find(|it| it["phase"] == name)?["timing"].as_f64()
        };
        Some(LcpBreakdown {
            ttfb: phase("TTFB")?,
            load_delay: phase("Load Delay")?,
            load_duration: phase("Load Time")?,
            render_delay: phase("Render Delay")?,
        })
    }

    fn cls_sources(&self) -> Vec<ClsSource> {
        let source = |it: &Value| {
            Some(ClsSource {
                selector: it["node"]["selector"].as_str().map(str::to_owned),
                shift: it["score"].as_f64()?,
            })
        };
        self.items("layout-shifts").filter_map(source).collect()
    }

    fn resources(&self) -> Vec<ResourceFact> {
        let fact = |it: &Value| {
            Some(ResourceFact {
                url: it["url"].as_str()?.to_owned(),
                kind: kind(it["resourceType"].as_str().unwrap_or_default()),
                status: it["statusCode"]
                    .as_u64()
                    .and_then(|it| u16::try_from(it).ok())
                    .filter(|it| *it > 0),
                transfer_bytes: it["transferSize"].as_u64(),
                // Not in the report.
                is_compressed: false,
                gzip_bytes: None,
                fresh_for: None,
                blocks_rendering: false,
            })
        };
        self.items("network-requests").filter_map(fact).collect()
    }

    /// Audits that Lighthouse marks as opportunities, with their estimated savings.
    fn opportunities(&self) -> Vec<Opportunity> {
        let opportunity = |(id, audit): (&String, &Audit)| {
            let details = audit.details.as_ref()?;
            let ms = details["overallSavingsMs"].as_f64();
            let bytes = details["overallSavingsBytes"].as_u64();
            let saves = ms.is_some_and(|it| it > 0.0) || bytes.is_some_and(|it| it > 0);
            (details["type"] == "opportunity" && saves).then(|| Opportunity {
                audit_id: id.clone(),
                savings_ms: ms,
                savings_bytes: bytes,
            })
        };
        self.audits.iter().filter_map(opportunity).collect()
    }
}

fn kind(name: &str) -> ResourceKind {
    match name {
        "Document" => ResourceKind::Document,
        "Stylesheet" => ResourceKind::Stylesheet,
        "Script" => ResourceKind::Script,
        "Image" => ResourceKind::Image,
        "Font" => ResourceKind::Font,
        "Media" => ResourceKind::Media,
        _ => ResourceKind::Other,
    }
}
