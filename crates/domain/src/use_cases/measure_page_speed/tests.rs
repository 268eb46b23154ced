//! Order of sources, with mocked ports.

use super::*;
use crate::ports::page_speed::{MockFieldVitals, MockLabVitals, MockStaticVitals};
use crate::ports::site_access::MockSiteAccess;
use crate::test_support::FrozenClock;
use analysis::observation::vitals::{
    FieldMetric, FieldSample, FieldScope, LabMeasurement, LabMetrics, LabRun, StaticFacts,
    VitalsMetric,
};
use analysis::provenance::{Provenance, RecordStatus};
use chrono::TimeDelta;
use std::collections::BTreeMap;

const PAGE: &str = "https://acme.com/a";

fn task(source: VitalsSource) -> SpeedTask {
    SpeedTask {
        project: ProjectId(7),
        url: PAGE.to_owned(),
        form_factor: FormFactor::Phone,
        source,
    }
}

fn not_configured() -> NotConfigured {
    NotConfigured {
        missing: "there is none".to_owned(),
        remedy: "get one".to_owned(),
    }
}

/// No field data, lab or files unless a test sets them.
struct Setting {
    field: MockFieldVitals,
    browser: MockLabVitals,
    other: Option<MockLabVitals>,
    files: MockStaticVitals,
    access: MockSiteAccess,
}

impl Setting {
    fn bare() -> Self {
        Self {
            field: MockFieldVitals::new(),
            browser: MockLabVitals::new(),
            other: None,
            files: MockStaticVitals::new(),
            access: MockSiteAccess::new(),
        }
    }

    fn without_browser() -> Self {
        let mut setting = Self::bare();
        setting
            .browser
            .expect_missing()
            .returning(|| Some(not_configured()));
        setting
    }

    fn with_browser(answer: Result<LabMeasurement, LabError>) -> Self {
        let mut setting = Self::bare();
        setting.browser.expect_missing().returning(|| None);
        setting.browser.expect_load().return_once(|_| answer);
        setting
    }

    fn let_in(mut self) -> Self {
        self.access.expect_check().returning(|_| Ok(()));
        self
    }

    async fn run(self, source: VitalsSource, before: &[VitalsRecord]) -> MeasuredSpeed {
        let sources = SpeedSources {
            field: Arc::new(self.field),
            browser: Arc::new(self.browser),
            other_lab: self.other.map(|it| Arc::new(it) as Arc<dyn LabVitals>),
            files: Arc::new(self.files),
        };
        let measure = MeasurePageSpeed::new(sources, Arc::new(FrozenClock::default()));
        measure.run(&task(source), &self.access, before).await
    }
}

fn loaded(final_url: &str, provider: &str) -> LabMeasurement {
    let metrics = LabMetrics {
        fcp: Some(1_000.0),
        lcp: Some(2_000.0),
        cls: Some(0.0),
        tbt: Some(50.0),
        ttfb: Some(300.0),
        si: Some(1_500.0),
        tti: None,
    };
    LabMeasurement {
        form_factor: FormFactor::Phone,
        runs: vec![LabRun {
            final_url: final_url.to_owned(),
            metrics,
            lcp_element: None,
            lcp_breakdown: None,
            cls_sources: vec![],
            redirects_ms: None,
            server_response_ms: None,
            unsized_images: None,
            resources: vec![],
            opportunities: None,
            warnings: vec![],
        }],
        requested_runs: 1,
        provider: provider.to_owned(),
        provenance: Provenance::Measured,
    }
}

fn facts() -> StaticFacts {
    StaticFacts {
        form_factor: FormFactor::Phone,
        final_url: PAGE.to_owned(),
        ttfb_ms: Some(120.0),
        redirects_ms: None,
        server_response_ms: None,
        unsized_images: 0,
        resources: vec![],
        warnings: vec![],
    }
}

#[tokio::test]
async fn the_own_browser_comes_first_after_the_access_check() {
    let setting = Setting::with_browser(Ok(loaded(PAGE, "chromium"))).let_in();
    let measured = setting.run(VitalsSource::Lab, &[]).await;
    assert_eq!(
        measured.record.envelope.provider.as_deref(),
        Some("chromium")
    );
    assert!(measured.record.performance_score.is_some());
}

#[tokio::test]
async fn without_a_browser_another_lab_or_static_files_are_used() {
    let mut setting = Setting::without_browser();
    let mut other = MockLabVitals::new();
    other
        .expect_load()
        .return_once(|_| Ok(loaded(PAGE, "PageSpeed Insights")));
    // No access check for the external lab.
    setting.other = Some(other);
    let measured = setting.run(VitalsSource::Lab, &[]).await;
    let provider = measured.record.envelope.provider;
    assert_eq!(provider.as_deref(), Some("PageSpeed Insights"));

    let mut setting = Setting::without_browser().let_in();
    setting.files.expect_analyze().return_once(|_| Ok(facts()));
    let record = setting.run(VitalsSource::Lab, &[]).await.record;
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert_eq!(record.envelope.warnings, ["noBrowser"]);
    assert!(record.metrics.lcp.is_none() && record.performance_score.is_none());
}

#[tokio::test]
async fn a_browser_that_does_not_start_falls_back_to_static_files() {
    let missing = Err(LabError::NotConfigured(not_configured()));
    let mut setting = Setting::with_browser(missing).let_in();
    setting.files.expect_analyze().return_once(|_| Ok(facts()));
    let record = setting.run(VitalsSource::Lab, &[]).await.record;
    assert_eq!(record.envelope.warnings, ["noBrowser"]);
}

#[tokio::test]
async fn a_page_disallowed_by_robots_is_not_loaded() {
    let mut setting = Setting::bare();
    setting.browser.expect_missing().returning(|| None);
    setting
        .access
        .expect_check()
        .return_once(|_| Err(LabError::DisallowedByRobots));
    let measured = setting.run(VitalsSource::Lab, &[]).await;
    let envelope = &measured.record.envelope;
    assert_eq!(envelope.status, RecordStatus::Error);
    assert_eq!(envelope.error.as_deref(), Some("robotsDisallowed"));
    assert!(measured.failure.is_none());

    // Redirect targets only visible to a browser are checked after the load.
    let elsewhere = loaded("https://acme.com/private", "chromium");
    let mut setting = Setting::with_browser(Ok(elsewhere)).let_in();
    setting.access.expect_allows().return_once(|_| false);
    let record = setting.run(VitalsSource::Lab, &[]).await.record;
    assert_eq!(record.envelope.error.as_deref(), Some("robotsDisallowed"));
    assert!(record.metrics.lcp.is_none());
}

#[tokio::test]
async fn field_data_of_the_origin_is_flagged() {
    let mut setting = Setting::bare();
    setting.field.expect_fetch().return_once(|_, form_factor| {
        let metric = FieldMetric {
            p75: Some(2_000.0),
            ..FieldMetric::default()
        };
        Ok(Some(FieldSample {
            url: "https://acme.com".to_owned(),
            scope: FieldScope::OriginInstead,
            form_factor,
            period: None,
            metrics: BTreeMap::from([(VitalsMetric::Lcp, metric)]),
            provider: "CrUX".to_owned(),
        }))
    });
    let record = setting.run(VitalsSource::Field, &[]).await.record;
    assert!(
        record
            .envelope
            .warnings
            .iter()
            .any(|it| it == "originFallback")
    );
    assert_eq!(record.envelope.url.as_deref(), Some("https://acme.com"));
    assert_eq!(record.requested_url, PAGE);
}

#[tokio::test]
async fn missing_field_data_is_no_failure_but_a_source_error_is() {
    let mut setting = Setting::bare();
    setting.field.expect_fetch().return_once(|_, _| Ok(None));
    setting
        .field
        .expect_provider()
        .returning(|| "CrUX".to_owned());
    let measured = setting.run(VitalsSource::Field, &[]).await;
    let status = measured.record.envelope.status;
    assert_eq!(status, RecordStatus::InsufficientData);

    let mut setting = Setting::bare();
    setting
        .field
        .expect_fetch()
        .return_once(|_, _| Err(ProviderError::Unauthorized.into()));
    let measured = setting.run(VitalsSource::Field, &[]).await;
    assert_eq!(measured.failure, Some(ProviderError::Unauthorized));
    let code = measured.record.envelope.error;
    assert_eq!(code.as_deref(), Some(ProviderError::Unauthorized.code()));
}

#[tokio::test]
async fn the_trend_compares_with_the_same_page() {
    let mut slow = loaded(PAGE, "chromium");
    slow.runs[0].metrics.lcp = Some(4_000.0);
    let setting = Setting::with_browser(Ok(slow)).let_in();
    let mut before = setting.run(VitalsSource::Lab, &[]).await.record;
    before.envelope.measured_at -= TimeDelta::days(1);
    let mut of_another = before.clone();
    of_another.envelope.url = Some("https://acme.com/b".to_owned());

    let setting = Setting::with_browser(Ok(loaded(PAGE, "chromium"))).let_in();
    let now = setting.run(VitalsSource::Lab, &[of_another, before]).await;
    let lcp = now.record.trend.unwrap().lcp.unwrap();
    assert!((lcp.change + 2_000.0).abs() < 1e-9, "{lcp:?}");
}
