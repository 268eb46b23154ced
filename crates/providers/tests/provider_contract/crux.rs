//! The CrUX API: documented responses and all kinds of failure.

use super::{
    KEY,
    fault_server::{FaultServer, Reply},
    vitals,
};
use analysis::observation::vitals::{FieldSample, FieldScope, FormFactor, VitalsMetric};
use chrono::NaiveDate;
use domain::ports::{
    page_speed::{FieldTarget, FieldVitalsError},
    search_results::ProviderError,
};
use serde_json::{Value, json};
use std::time::Duration;

const PAGE: &str = "https://acme.com/shoes?x=1&y=2";

/// Layout shift is a string, all else are numbers.
fn record(key: &Value) -> Value {
    let bins = |bounds: [Value; 2], densities: [f64; 3]| {
        let [good, poor] = bounds;
        json!([
            {"start": 0, "end": good, "density": densities[0]},
            {"start": good, "end": poor, "density": densities[1]},
            {"start": poor, "density": densities[2]},
        ])
    };
    json!({
        "record": {
            "key": key,
            "metrics": {
                "largest_contentful_paint": {
                    "histogram": bins([json!(2500), json!(4000)], [0.82, 0.12, 0.06]),
                    "percentiles": {"p75": 2104}
                },
                "interaction_to_next_paint": {
                    "histogram": bins([json!(200), json!(500)], [0.9, 0.07, 0.03]),
                    "percentiles": {"p75": 130}
                },
                "cumulative_layout_shift": {
                    "histogram": bins([json!("0.10"), json!("0.25")], [0.7, 0.2, 0.1]),
                    "percentiles": {"p75": "0.13"}
                },
                "round_trip_time": {"percentiles": {"p75": 90}},
                "form_factors": {"fractions": {"desktop": 0.3, "phone": 0.6, "tablet": 0.1}}
            },
            "collectionPeriod": {
                "firstDate": {"year": 2026, "month": 10, "day": 24},
                "lastDate": {"year": 2026, "month": 11, "day": 20}
            }
        },
        "urlNormalizationDetails": {"originalUrl": PAGE, "normalizedUrl": "https://acme.com/shoes"}
    })
}

fn no_data() -> Reply {
    Reply::status(
        404,
        &json!({"error": {"code": 404, "message": "chrome ux report data not found", "status": "NOT_FOUND"}}),
    )
}

fn failing(code: u16, status: &str, message: &str) -> Reply {
    Reply::status(
        code,
        &json!({"error": {"code": code, "message": message, "status": status}}),
    )
}

async fn field(
    server: &FaultServer,
    form_factor: FormFactor,
) -> Result<Option<FieldSample>, FieldVitalsError> {
    let target = FieldTarget::Page(PAGE.to_owned());
    vitals(Some(server), None)
        .field
        .fetch(&target, form_factor)
        .await
}

#[tokio::test]
async fn request_matches_the_documented_format() {
    let server = FaultServer::always(Reply::ok(&record(&json!({"url": PAGE})))).await;
    for form_factor in [FormFactor::Phone, FormFactor::Desktop, FormFactor::All] {
        field(&server, form_factor).await.expect("an answer");
    }
    let received = server.received();
    assert!(
        received[0]
            .head
            .starts_with("POST /v1/records:queryRecord?key=")
    );
    assert_eq!(received[0].parameter("key").as_deref(), Some(KEY));
    let body = received[0].json();
    assert_eq!(
        (&body["url"], &body["formFactor"]),
        (&json!(PAGE), &json!("PHONE"))
    );
    assert_eq!(
        body["metrics"],
        json!([
            "largest_contentful_paint",
            "interaction_to_next_paint",
            "cumulative_layout_shift",
            "first_contentful_paint",
            "experimental_time_to_first_byte"
        ])
    );
    assert_eq!(received[1].json()["formFactor"], "DESKTOP");
    // Omitting the form factor selects all devices.
    assert_eq!(received[2].json().get("formFactor"), None);
}

#[tokio::test]
async fn record_is_parsed_with_numbers_and_strings() {
    let key = json!({"url": "https://acme.com/shoes", "formFactor": "PHONE"});
    let server = FaultServer::always(Reply::ok(&record(&key))).await;
    let sample = field(&server, FormFactor::Phone)
        .await
        .expect("an answer")
        .expect("data");
    assert_eq!(
        (sample.url.as_str(), sample.scope),
        ("https://acme.com/shoes", FieldScope::Page)
    );
    let period = sample.period.expect("a period");
    assert_eq!(
        period.first_date,
        NaiveDate::from_ymd_opt(2026, 10, 24).expect("a day")
    );
    assert_eq!(
        period.last_date,
        NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day")
    );
    let names: Vec<_> = sample.metrics.keys().copied().collect();
    assert_eq!(
        names,
        [VitalsMetric::Lcp, VitalsMetric::Inp, VitalsMetric::Cls]
    );
    let lcp = &sample.metrics[&VitalsMetric::Lcp];
    assert_eq!((lcp.p75, lcp.histogram.len()), (Some(2104.0), 3));
    let cls = &sample.metrics[&VitalsMetric::Cls];
    assert_eq!(cls.p75, Some(0.13));
    assert_eq!(
        (
            cls.histogram[1].start,
            cls.histogram[1].end,
            cls.histogram[2].end
        ),
        (0.1, Some(0.25), None)
    );
}

#[tokio::test]
async fn page_with_few_visits_falls_back_to_its_origin() {
    let server = FaultServer::scripted(|_, received| {
        if received.body.contains("\"origin\"") {
            Reply::ok(&record(&json!({"origin": "https://acme.com"})))
        } else {
            no_data()
        }
    })
    .await;
    let sample = field(&server, FormFactor::Phone)
        .await
        .expect("an answer")
        .expect("data");
    assert_eq!(
        (sample.url.as_str(), sample.scope),
        ("https://acme.com", FieldScope::OriginInstead)
    );
    assert_eq!(server.received()[1].json()["origin"], "https://acme.com");
}

#[tokio::test]
async fn missing_data_is_no_failure() {
    let server = FaultServer::always(no_data()).await;
    assert_eq!(field(&server, FormFactor::Phone).await, Ok(None));
    assert_eq!(server.calls(), 2);
}

#[tokio::test]
async fn failures_map_to_their_errors() {
    let invalid = Reply::status(
        400,
        &json!({"error": {"code": 400, "message": format!("API key not valid: {KEY}"), "status": "INVALID_ARGUMENT",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}),
    );
    let cases = [
        (invalid, ProviderError::Unauthorized),
        (
            failing(
                403,
                "PERMISSION_DENIED",
                "Chrome UX Report API has not been used in project 1",
            ),
            ProviderError::Unauthorized,
        ),
        (
            failing(400, "INVALID_ARGUMENT", &format!("Invalid url for {KEY}")),
            ProviderError::Refused {
                reason: "Invalid url for …".to_owned(),
            },
        ),
        (
            failing(404, "", "Not Found"),
            ProviderError::Refused {
                reason: "Not Found".to_owned(),
            },
        ),
        (
            Reply::ok(
                &json!({"record": {"key": {"url": PAGE}, "metrics": {"cumulative_layout_shift": {"percentiles": {"p75": "much"}}}}}),
            ),
            ProviderError::Malformed {
                problem: "its fields are not as documented".to_owned(),
            },
        ),
        (
            Reply::ok(&json!({"record": {"key": {}, "metrics": {}}})),
            ProviderError::Malformed {
                problem: "its record is about nothing".to_owned(),
            },
        ),
        (
            Reply::Status(200, &[], "{\"record\": {".to_owned()),
            ProviderError::Malformed {
                problem: "it is not whole JSON".to_owned(),
            },
        ),
    ];
    for (reply, expected) in cases {
        let server = FaultServer::always(reply.clone()).await;
        let outcome = field(&server, FormFactor::Phone).await;
        assert_eq!(
            outcome,
            Err(FieldVitalsError::Provider(expected)),
            "{reply:?}"
        );
        assert_eq!(server.calls(), 1, "{reply:?}");
    }
}

#[tokio::test]
async fn outages_and_rate_limits_are_retried_within_limits() {
    let server = FaultServer::always(failing(503, "UNAVAILABLE", "later")).await;
    let outcome = field(&server, FormFactor::Phone).await;
    assert_eq!(
        outcome,
        Err(FieldVitalsError::Provider(ProviderError::Unavailable))
    );
    assert_eq!(server.calls(), 3);
    let rate_limited = Reply::Status(429, &[("retry-after", "3600")], "{}".to_owned());
    let server = FaultServer::always(rate_limited).await;
    let retry_after = Some(Duration::from_hours(1));
    let outcome = field(&server, FormFactor::Phone).await;
    assert_eq!(
        outcome,
        Err(FieldVitalsError::Provider(ProviderError::RateLimited {
            retry_after
        }))
    );
    let server = FaultServer::scripted(|call, _| {
        if call == 0 {
            Reply::Reset
        } else {
            Reply::ok(&record(&json!({"url": PAGE})))
        }
    })
    .await;
    assert!(
        field(&server, FormFactor::Phone)
            .await
            .expect("an answer")
            .is_some()
    );
}

#[tokio::test]
async fn missing_key_is_reported_with_a_remedy() {
    let sources = vitals(None, None);
    let missing = sources.field.missing().expect("something is missing");
    let target = FieldTarget::Page(PAGE.to_owned());
    let outcome = sources.field.fetch(&target, FormFactor::Phone).await;
    assert_eq!(
        outcome,
        Err(FieldVitalsError::NotConfigured(missing.clone()))
    );
    // Accounts read the first, operators the second.
    assert!(missing.to_string().contains("operator"), "{missing}");
    assert!(providers::vitals::FIELD_REMEDY.contains("vitals.crux.api_key"));
    assert!(sources.lab.is_none());
}
