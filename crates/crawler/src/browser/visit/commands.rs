use super::{Visit, messages::ResponseBody};
use crate::browser::{requests::Request, run::ObserverReport};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::{collections::HashMap, io::Write, time::Duration};
use tokio::time::timeout;

/// Time limit for an answer of the page.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Files for which the gzip size is computed, and their maximum size in bytes.
const MAX_COMPRESSED: usize = 20;
const MAX_COMPRESSED_LENGTH: usize = 4 * 1024 * 1024;

impl Visit<'_> {
    /// Evaluates in the observers' world; `None` on a timeout.
    async fn evaluate(&mut self, expression: &str) -> Option<Value> {
        let evaluation = self
            .protocol
            .evaluate(&self.session, &self.frame, expression);
        timeout(ANSWER_TIMEOUT, evaluation).await.ok()?.ok()
    }

    /// Time since the last long task; `None` when the page does not answer.
    pub(super) async fn idle_for(&mut self) -> Option<Duration> {
        let idle = self.evaluate("sightline.idleFor()").await?.as_f64()?;
        Some(Duration::from_secs_f64(
            (idle / 1_000.0).clamp(0.0, 3_600.0),
        ))
    }

    /// The observers' results; `None` when the page does not answer.
    pub(super) async fn read_observers(&mut self) -> Option<ObserverReport> {
        let report = self.evaluate("sightline.report()").await?;
        serde_json::from_str(report.as_str()?).ok()
    }

    /// Gzip sizes of uncompressed texts, by session and request id.
    pub(super) async fn gzip_sizes(&mut self) -> HashMap<(Option<String>, String), u64> {
        let texts: Vec<Request> = self
            .requests
            .compressible()
            .take(MAX_COMPRESSED)
            .cloned()
            .collect();
        let mut sizes = HashMap::new();
        for text in texts {
            let which = json!({"requestId": text.id});
            let session = text.session.as_deref();
            let body_request = self
                .protocol
                .call(session, "Network.getResponseBody", which);
            // The browser may have discarded the body.
            let Ok(Ok::<ResponseBody, _>(answer)) = timeout(ANSWER_TIMEOUT, body_request).await
            else {
                continue;
            };
            let bytes = if answer.base64_encoded {
                STANDARD.decode(&answer.body).unwrap_or_default()
            } else {
                answer.body.into_bytes()
            };
            if (1..=MAX_COMPRESSED_LENGTH).contains(&bytes.len()) {
                sizes.insert((text.session, text.id), gzip_size(&bytes));
            }
        }
        sizes
    }
}

pub fn gzip_size(bytes: &[u8]) -> u64 {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes);
    written
        .and_then(|()| encoder.finish())
        .map_or(0, |it| it.len() as u64)
}
