//! Rankings records, published without a worker.

use crate::{
    app::{Ranked, TestApp},
    callers::Caller,
};
use analysis::{
    findings::{
        keyword_market::{FailedMeasurement, Measurement, TrackedKeyword},
        rankings::{PastRanks, RankInput, RankingsTally, rank},
    },
    observation::search_page::Device,
    provenance::Provenance,
    url_rules::SiteScope,
};
use domain::ports::clock::Clock;
use serde_json::json;

/// A worker's record in a JSON style that no serializer here produces.
#[must_use]
pub fn ranked(app: &TestApp, project: i64, keyword: i64, position: Option<u32>) -> Ranked {
    let tracked = TrackedKeyword {
        project_id: project,
        keyword_id: keyword,
        keyword: "one".into(),
        country: "us".into(),
        location: None,
        language: "en".into(),
        device: Device::Desktop,
        search_volume: Some(90),
    };
    let failed = FailedMeasurement {
        code: "supplierTimedOut".into(),
        at: app.clock.now(),
        engine: "sandbox".into(),
        provider: "sandbox".into(),
        provenance: Provenance::Simulated,
    };
    let record = rank(&RankInput {
        keyword: &tracked,
        site: &SiteScope::of("shop.example.com"),
        measurement: Measurement::Failed(&failed),
        past: PastRanks::default(),
        own_data: None,
        difficulty: None,
    });
    let mut record = serde_json::to_value(record).expect("JSON");
    record["position"] = json!(position);
    let record = serde_json::to_string_pretty(&record).expect("JSON");
    let record = record.replace("\"estimatedClicks\": null", "\"estimatedClicks\": 0.10");
    Ranked {
        keyword,
        position,
        record,
    }
}

#[must_use]
pub fn summary() -> String {
    serde_json::to_string_pretty(&RankingsTally::default().finish(2)).expect("JSON")
}

/// Runs a rank check; returns its id.
pub async fn run(app: &TestApp, agent: &Caller, project: i64, ranked: &[Ranked]) -> i64 {
    let job = agent.rank_check(project).await;
    app.db_publish_rankings(project, job, &summary(), ranked)
        .await;
    job
}
