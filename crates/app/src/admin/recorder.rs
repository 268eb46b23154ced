//! Keeps what is counted, and writes it as Prometheus reads it.

use super::catalogue::{CATALOGUE, Kind};
use anyhow::Context;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::{fmt::Write, time::Duration};

/// The type of the text, as Prometheus asks for it.
pub const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Bounds of histograms, in seconds: the fourteen of OpenTelemetry's convention.
const BOUNDS: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];
/// Jobs take up to hours: these besides.
const LONGER: [f64; 6] = [30.0, 60.0, 300.0, 1_800.0, 7_200.0, 21_600.0];

/// How often what was measured is put into its buckets, also when nobody looks.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// What was counted since the process began.
pub struct Recorder(PrometheusHandle);

impl Recorder {
    /// Counts from now on.
    pub fn begin() -> anyhow::Result<Self> {
        let jobs = [BOUNDS.as_slice(), LONGER.as_slice()].concat();
        let recorder = PrometheusBuilder::new()
            .set_buckets(&BOUNDS)?
            .set_buckets_for_metric(Matcher::Prefix("job_".to_owned()), &jobs)?
            .build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder).context("cannot begin to count")?;
        for it in &CATALOGUE {
            match it.kind {
                Kind::Counter => metrics::describe_counter!(it.name, it.help),
                Kind::Gauge => metrics::describe_gauge!(it.name, it.help),
                Kind::Histogram => metrics::describe_histogram!(it.name, it.help),
            }
        }
        // What is known to be counted is there from the beginning, so that its first step is seen as one.
        metrics::counter!("idempotency_replays_total").absolute(0);
        metrics::counter!("crawler_bytes_total").absolute(0);
        for reason in ["worker-lost", "deadline-passed"] {
            metrics::counter!("job_rescues_total", "reason" => reason).absolute(0);
        }
        metrics::gauge!("build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        let tidy = handle.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(TIDY_EVERY).await;
                tidy.run_upkeep();
            }
        });
        Ok(Self(handle))
    }

    /// All of it. What has not happened yet is announced all the same, so that whoever writes a rule finds
    /// its name.
    pub fn text(&self) -> String {
        let mut text = self.0.render();
        for it in &CATALOGUE {
            if !text.contains(&format!("# TYPE {} ", it.name)) {
                // Writing into a text cannot fail.
                let _ = writeln!(
                    text,
                    "# HELP {} {}\n# TYPE {} {}\n",
                    it.name,
                    it.help,
                    it.name,
                    it.kind.name()
                );
            }
        }
        text
    }
}
