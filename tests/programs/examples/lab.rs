//! Loads a page like the service and prints every run and the record as JSON.
//!
//!     cargo run -p programs --example lab -- http://127.0.0.1:8080/ [phone|desktop] [runs]
//!
//! Loopback is allowed: `tests/oracles/lighthouse_lab.py` compares this with Lighthouse.

use analysis::{
    findings::vitals::{Subject, lab_record},
    observation::vitals::FormFactor,
};
use chrono::DateTime;
use crawler::{BrowserSettings, CrawlerSettings, LabRunner};
use domain::ports::page_speed::{LabOrder, LabVitals};
use serde_json::json;
use std::process::ExitCode;

#[tokio::main]
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program's own output"
)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(url) = words.next() else {
        eprintln!("which page?");
        return ExitCode::FAILURE;
    };
    let form_factor = match words.next().as_deref() {
        Some("desktop") => FormFactor::Desktop,
        _ => FormFactor::Phone,
    };
    let runs = words.next().and_then(|it| it.parse().ok());
    let crawler = CrawlerSettings {
        allow_networks: ["127.0.0.0/8", "::1/128"]
            .iter()
            .filter_map(|it| it.parse().ok())
            .collect(),
        ..CrawlerSettings::default()
    };
    let lab = LabRunner::new(BrowserSettings::default(), crawler);
    let order = LabOrder {
        url,
        form_factor,
        runs,
    };
    match lab.load(&order).await {
        Ok(measured) => {
            let subject = Subject {
                project_id: 0,
                url: &order.url,
                measured_at: DateTime::UNIX_EPOCH,
            };
            let record = lab_record(&subject, &measured, None);
            println!("{}", json!({"runs": measured.runs, "record": record}));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", error.code());
            ExitCode::FAILURE
        }
    }
}
