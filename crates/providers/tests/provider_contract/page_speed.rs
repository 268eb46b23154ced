//! PageSpeed Insights: field data and lab runs in documented responses, and failures.

use super::{
    KEY,
    fault_server::{FaultServer, Reply},
    vitals,
};
use analysis::{
    observation::vitals::{
        FieldSample, FieldScope, FormFactor, LabMeasurement, ResourceKind, VitalsMetric,
    },
    provenance::Provenance,
};
use domain::ports::{
    page_speed::{FieldTarget, FieldVitalsError, LabError, LabOrder},
    search_results::ProviderError,
};
use serde_json::{Value, json};

const PAGE: &str = "https://acme.com/shoes";

fn bins(bounds: [u32; 2]) -> Value {
    let [good, poor] = bounds;
    json!([
        {"min": 0, "max": good, "proportion": 0.7},
        {"min": good, "max": poor, "proportion": 0.2},
        {"min": poor, "proportion": 0.1},
    ])
}

fn experience(id: &str, fallback: bool) -> Value {
    let mut experience = json!({
        "id": id,
        "metrics": {
            "LARGEST_CONTENTFUL_PAINT_MS": {"percentile": 2700, "distributions": bins([2500, 4000]), "category": "AVERAGE"},
            "CUMULATIVE_LAYOUT_SHIFT_SCORE": {"percentile": 13, "distributions": bins([10, 25]), "category": "AVERAGE"},
            "FIRST_INPUT_DELAY_MS": {"percentile": 3, "distributions": bins([100, 300]), "category": "FAST"}
        },
        "overall_category": "AVERAGE",
        "initial_url": id
    });
    if fallback {
        experience["origin_fallback"] = json!(true);
    }
    experience
}

fn report() -> Value {
    json!({
        "requestedUrl": PAGE, "finalUrl": "https://acme.com/shoes/", "finalDisplayedUrl": "https://acme.com/shoes/",
        "lighthouseVersion": "12.8.2", "fetchTime": "2026-11-21T10:00:00.000Z", "runWarnings": [],
        "audits": {
            "first-contentful-paint": {"id": "first-contentful-paint", "score": 0.9, "numericValue": 1800.5},
            "largest-contentful-paint": {"score": 0.7, "numericValue": 3100.25},
            "cumulative-layout-shift": {"score": 1, "numericValue": 0.02},
            "total-blocking-time": {"score": 1, "numericValue": 120},
            "speed-index": {"score": 0.8, "numericValue": 3900},
            "interactive": {"score": 0.8, "numericValue": 4000},
            "server-response-time": {"score": 1, "numericValue": 210},
            "largest-contentful-paint-element": {"details": {"type": "list", "items": [
                {"type": "table", "items": [{"node": {"type": "node", "selector": "main > img.hero", "snippet": "<img class=\"hero\">"}}]},
                {"type": "table", "items": [
                    {"phase": "TTFB", "timing": 600.25}, {"phase": "Load Delay", "timing": 500},
                    {"phase": "Load Time", "timing": 1500}, {"phase": "Render Delay", "timing": 500}
                ]}
            ]}},
            "layout-shifts": {"details": {"type": "table", "items": [{"node": {"selector": "#banner"}, "score": 0.02}]}},
            "network-requests": {"details": {"type": "table", "items": [
                {"url": "https://acme.com/shoes/", "resourceType": "Document", "statusCode": 200, "transferSize": 12000},
                {"url": "https://acme.com/a.css", "resourceType": "Stylesheet", "statusCode": 200, "transferSize": 3000},
                {"url": "https://acme.com/b", "resourceType": "Fetch", "statusCode": -1}
            ]}},
            "uses-text-compression": {"score": 0, "details": {"type": "opportunity", "items": [], "overallSavingsMs": 300, "overallSavingsBytes": 9000}},
            "unused-javascript": {"score": 1, "details": {"type": "opportunity", "items": [], "overallSavingsMs": 0}}
        },
        "categories": {"performance": {"id": "performance", "score": 0.84}},
        "timing": {"total": 12000}
    })
}

fn answer() -> Value {
    json!({
        "captchaResult": "CAPTCHA_NOT_NEEDED", "kind": "pagespeedonline#result", "id": PAGE,
        "loadingExperience": experience(PAGE, false),
        "originLoadingExperience": experience("https://acme.com", false),
        "lighthouseResult": report(),
        "analysisUTCTimestamp": "2026-11-21T10:00:20.000Z"
    })
}

async fn field(
    server: &FaultServer,
    target: FieldTarget,
    form_factor: FormFactor,
) -> Result<Option<FieldSample>, FieldVitalsError> {
    vitals(None, Some(server))
        .field
        .fetch(&target, form_factor)
        .await
}

fn page() -> FieldTarget {
    FieldTarget::Page(PAGE.to_owned())
}

async fn load(server: &FaultServer, runs: u32) -> Result<LabMeasurement, LabError> {
    let order = LabOrder {
        url: PAGE.to_owned(),
        form_factor: FormFactor::Phone,
        runs: Some(runs),
    };
    let lab = vitals(None, Some(server)).lab.expect("a lab");
    lab.load(&order).await
}

#[tokio::test]
async fn request_matches_the_documented_format() {
    let server = FaultServer::always(Reply::ok(&answer())).await;
    field(&server, page(), FormFactor::Phone)
        .await
        .expect("an answer");
    field(&server, page(), FormFactor::Desktop)
        .await
        .expect("an answer");
    let received = server.received();
    assert!(
        received[0]
            .head
            .starts_with("GET /pagespeedonline/v5/runPagespeed?")
    );
    let parameter = |name| received[0].parameter(name);
    assert_eq!(parameter("url").as_deref(), Some(PAGE));
    assert_eq!(parameter("strategy").as_deref(), Some("mobile"));
    assert_eq!(parameter("category").as_deref(), Some("performance"));
    assert_eq!(parameter("key").as_deref(), Some(KEY));
    assert_eq!(
        received[1].parameter("strategy").as_deref(),
        Some("desktop")
    );
}

#[tokio::test]
async fn field_data_is_parsed_with_layout_shift_scaled() {
    let server = FaultServer::always(Reply::ok(&answer())).await;
    let sample = field(&server, page(), FormFactor::Phone)
        .await
        .expect("an answer")
        .expect("data");
    assert_eq!(
        (sample.url.as_str(), sample.scope, sample.period),
        (PAGE, FieldScope::Page, None)
    );
    let names: Vec<_> = sample.metrics.keys().copied().collect();
    assert_eq!(names, [VitalsMetric::Lcp, VitalsMetric::Cls]);
    let cls = &sample.metrics[&VitalsMetric::Cls];
    assert_eq!((cls.p75, cls.histogram[0].end), (Some(0.13), Some(0.1)));
    assert_eq!(sample.metrics[&VitalsMetric::Lcp].p75, Some(2700.0));
    let origin = FieldTarget::Origin("https://acme.com".to_owned());
    let sample = field(&server, origin, FormFactor::Phone)
        .await
        .expect("an answer")
        .expect("data");
    assert_eq!(
        (sample.url.as_str(), sample.scope),
        ("https://acme.com", FieldScope::Origin)
    );
}

#[tokio::test]
async fn origin_data_is_marked_and_missing_data_is_no_failure() {
    let mut fallen = answer();
    fallen["loadingExperience"] = experience("https://acme.com", true);
    let server = FaultServer::always(Reply::ok(&fallen)).await;
    let sample = field(&server, page(), FormFactor::Phone)
        .await
        .expect("an answer")
        .expect("data");
    assert_eq!(sample.scope, FieldScope::OriginInstead);
    fallen["loadingExperience"] = json!({"initial_url": PAGE});
    let server = FaultServer::always(Reply::ok(&fallen)).await;
    assert_eq!(field(&server, page(), FormFactor::Phone).await, Ok(None));
}

#[tokio::test]
async fn lab_run_is_parsed_and_marked_imported() {
    let server = FaultServer::always(Reply::ok(&answer())).await;
    let measured = load(&server, 2).await.expect("a load");
    assert_eq!((measured.runs.len(), measured.requested_runs), (2, 2));
    assert_eq!(
        (measured.provider.as_str(), measured.provenance),
        ("remote lab", Provenance::Imported)
    );
    let run = &measured.runs[0];
    assert_eq!(run.final_url, "https://acme.com/shoes/");
    assert_eq!(
        (run.metrics.fcp, run.metrics.lcp, run.metrics.ttfb),
        (Some(1800.5), Some(3100.25), None)
    );
    assert_eq!(
        (run.metrics.tbt, run.metrics.si, run.server_response_ms),
        (Some(120.0), Some(3900.0), Some(210.0))
    );
    let element = run.lcp_element.as_ref().expect("an element");
    assert_eq!(
        (element.selector.as_deref(), element.kind.as_str()),
        (Some("main > img.hero"), "image")
    );
    let parts = run.lcp_breakdown.expect("parts");
    assert!(
        (parts.ttfb + parts.load_delay + parts.load_duration + parts.render_delay - 3100.25).abs()
            < 1e-9
    );
    assert_eq!(run.cls_sources[0].selector.as_deref(), Some("#banner"));
    let kinds: Vec<_> = run
        .resources
        .iter()
        .map(|it| (it.kind, it.status, it.transfer_bytes))
        .collect();
    assert_eq!(
        kinds,
        [
            (ResourceKind::Document, Some(200), Some(12000)),
            (ResourceKind::Stylesheet, Some(200), Some(3000)),
            (ResourceKind::Other, None, None)
        ]
    );
    // Audits without savings are not opportunities.
    let found = run.opportunities.as_ref().expect("opportunities");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].audit_id.as_str(), found[0].savings_bytes),
        ("uses-text-compression", Some(9000))
    );
}

#[tokio::test]
async fn page_load_failure_is_the_pages_failure() {
    let load_error = |code: u16, words: &str| {
        let message = format!("Lighthouse returned error: {words}");
        Reply::status(
            code,
            &json!({"error": {"code": code, "message": message, "errors": [{"domain": "lighthouse", "reason": "lighthouseError"}]}}),
        )
    };
    let cases = [
        (
            load_error(
                500,
                "ERRORED_DOCUMENT_REQUEST. Lighthouse was unable to reliably load the page you requested. (Status code: 404)",
            ),
            LabError::Status(404),
        ),
        (
            load_error(
                400,
                "FAILED_DOCUMENT_REQUEST. Lighthouse was unable. (Details: net::ERR_CONNECTION_FAILED)",
            ),
            LabError::Unreachable,
        ),
        (
            load_error(
                500,
                "NOT_HTML. The page provided is not HTML (served as MIME type application/pdf).",
            ),
            LabError::NotHtml,
        ),
        (load_error(500, "PAGE_HUNG"), LabError::TimedOut),
    ];
    for (reply, expected) in cases {
        let server = FaultServer::always(reply).await;
        assert_eq!(load(&server, 1).await.err(), Some(expected));
        // The service is healthy: no retry.
        assert_eq!(server.calls(), 1);
    }
    let mut inside = answer();
    inside["lighthouseResult"]["runtimeError"] =
        json!({"code": "NO_DOCUMENT_REQUEST", "message": "x"});
    let server = FaultServer::always(Reply::ok(&inside)).await;
    assert_eq!(load(&server, 1).await.err(), Some(LabError::TimedOut));
}

#[tokio::test]
async fn service_failures_map_to_their_errors() {
    let refused = |code, status, message: &str| {
        Reply::status(
            code,
            &json!({"error": {"code": code, "status": status, "message": message}}),
        )
    };
    let cases = [
        (
            refused(
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
            ),
            ProviderError::Unauthorized,
        ),
        (
            refused(403, "PERMISSION_DENIED", "blocked"),
            ProviderError::Unauthorized,
        ),
        (
            refused(400, "INVALID_ARGUMENT", "Invalid value 'x'"),
            ProviderError::Refused {
                reason: "Invalid value 'x'".to_owned(),
            },
        ),
        (
            refused(429, "RESOURCE_EXHAUSTED", "Quota exceeded"),
            ProviderError::RateLimited { retry_after: None },
        ),
        (refused(502, "", ""), ProviderError::Unavailable),
        (
            Reply::ok(&json!([])),
            ProviderError::Malformed {
                problem: "its fields are not as documented".to_owned(),
            },
        ),
        (
            Reply::ok(&json!({})),
            ProviderError::Malformed {
                problem: "it holds no result".to_owned(),
            },
        ),
    ];
    for (reply, expected) in cases {
        let server = FaultServer::always(reply.clone()).await;
        let outcome = field(&server, page(), FormFactor::Phone).await;
        assert_eq!(
            outcome,
            Err(FieldVitalsError::Provider(expected)),
            "{reply:?}"
        );
    }
    let server = FaultServer::always(Reply::ok(&answer())).await;
    let both = field(&server, page(), FormFactor::All).await;
    assert!(
        matches!(
            both,
            Err(FieldVitalsError::Provider(ProviderError::Refused { .. }))
        ),
        "{both:?}"
    );
    assert_eq!(server.calls(), 0);
}

#[tokio::test]
async fn failover_on_failure_but_not_on_missing_data() {
    let page_speed = FaultServer::always(Reply::ok(&answer())).await;
    let down = FaultServer::always(Reply::status(503, &json!({}))).await;
    let sources = vitals(Some(&down), Some(&page_speed));
    let sample = sources
        .field
        .fetch(&page(), FormFactor::Phone)
        .await
        .expect("an answer");
    assert_eq!(sample.expect("data").provider, "field data");
    assert!(
        down.calls() > 0 && page_speed.calls() == 1,
        "the second source answered"
    );
    let nothing = json!({"error": {"code": 404, "message": "chrome ux report data not found", "status": "NOT_FOUND"}});
    let empty = FaultServer::always(Reply::status(404, &nothing)).await;
    let sources = vitals(Some(&empty), Some(&page_speed));
    assert_eq!(
        sources.field.fetch(&page(), FormFactor::Phone).await,
        Ok(None)
    );
    assert_eq!(page_speed.calls(), 1);
}
