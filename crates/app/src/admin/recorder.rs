//! Records metrics and renders them in the Prometheus text format.

use super::catalogue::{CATALOGUE, Kind};
use anyhow::Context;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{fmt::Write, time::Duration};

pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Histogram buckets in seconds, from OpenTelemetry's semantic conventions.
const BUCKETS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];
/// Additional buckets for jobs, which take up to hours.
const LONG_JOB_BUCKETS: [f64; 6] = [30.0, 60.0, 300.0, 1_800.0, 7_200.0, 21_600.0];

/// Samples are moved into buckets at this interval, also when nothing is scraped.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

pub struct Recorder(PrometheusHandle);

impl Recorder {
    pub fn install() -> anyhow::Result<Self> {
        let jobs = [BUCKETS.as_slice(), LONG_JOB_BUCKETS.as_slice()].concat();
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BUCKETS)?
            .set_buckets_for_metric(Matcher::Prefix("job_".to_owned()), &jobs)?
            .build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).context("cannot install the metrics recorder")?;
        for it in &CATALOGUE {
            match it.kind {
                Kind::Counter => metrics::describe_counter!(it.name, it.help),
                Kind::Gauge => metrics::describe_gauge!(it.name, it.help),
                Kind::Histogram => metrics::describe_histogram!(it.name, it.help),
            }
        }
        // Counters start at 0, so that the first increment is visible as an increase.
        metrics::counter!("crawler_bytes_total").absolute(0);
        web::request_metrics::init_counters();
        worker::job_metrics::register_counters();
        metrics::gauge!("build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        let upkeep = handle.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                upkeep.run_upkeep();
            }
        });
        Ok(Self(handle))
    }

    /// All metrics, also under their unprefixed names of version 0.1, and before their first sample, so that alert
    /// rules resolve.
    pub fn render(&self) -> String {
        let recorded = self.0.render();
        let (mut text, mut unprefixed) = (String::with_capacity(3 * recorded.len()), String::new());
        let mut missing = CATALOGUE.to_vec();
        let mut family = None;
        for line in recorded.lines().filter(|it| !it.is_empty()) {
            if let Some(comment) = line.strip_prefix("# HELP ") {
                let name = comment.split(' ').next().unwrap_or_default();
                family = CATALOGUE.iter().find(|it| it.name == name);
                missing.retain(|it| it.name != name);
            }
            let Some(metric) = family else { continue };
            let (before, rest) = line.split_at(line.find(metric.name).unwrap_or_default());
            let rest = rest.strip_prefix(metric.name).unwrap_or(rest);
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{before}{}{rest}", metric.served_name());
            if !metric.is_process_metric() {
                let _ = writeln!(unprefixed, "{line}");
            }
        }
        for it in missing {
            let (name, kind) = (it.served_name(), it.kind.name());
            let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", it.help);
        }
        text + &unprefixed
    }
}
