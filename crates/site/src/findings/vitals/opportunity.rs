//! Opportunities to make a page faster that a load or its files show for certain. Ids are those of Lighthouse's
//! audits. An unknown saving is null.

use crate::ToSchema;
use crate::observation::vitals::{Opportunity, ResourceFact, ResourceKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Files and bytes of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTotal {
    /// How many files.
    pub count: u32,
    /// Bytes on the wire; null when they are known of none.
    pub transfer_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
pub struct LoadFacts<'a> {
    pub server_response_ms: Option<f64>,
    pub redirects_ms: Option<f64>,
    /// Images without width and height.
    pub unsized_images: Option<u32>,
    pub resources: &'a [ResourceFact],
}

/// Slow server response, and an achievable one, ms (Lighthouse 12.8.2, `server-response-time`).
const SLOW_RESPONSE_MS: f64 = 600.0;
const FAST_RESPONSE_MS: f64 = 100.0;

/// Minimum saving, bytes; also a tenth of the file (Lighthouse 12.8.2, `uses-text-compression`).
const MIN_COMPRESSION_SAVING: u64 = 1_400;

/// Minimum cache lifetime, s.
const MIN_CACHE_SECONDS: u64 = 7 * 24 * 60 * 60;

pub fn opportunities(load: &LoadFacts<'_>) -> Vec<Opportunity> {
    let found = [
        render_blocking(load.resources),
        redirects(load),
        server_response(load),
        unsized_images(load),
        cache(load.resources),
        compression(load.resources),
    ];
    found.into_iter().flatten().collect()
}

fn opportunity(id: &str, ms: Option<f64>, bytes: Option<u64>) -> Opportunity {
    Opportunity {
        audit_id: id.to_owned(),
        savings_ms: ms,
        savings_bytes: bytes,
    }
}

fn server_response(load: &LoadFacts<'_>) -> Option<Opportunity> {
    let slow = load
        .server_response_ms
        .filter(|it| *it >= SLOW_RESPONSE_MS)?;
    let saving = Some(slow - FAST_RESPONSE_MS);
    Some(opportunity("server-response-time", saving, None))
}

fn redirects(load: &LoadFacts<'_>) -> Option<Opportunity> {
    let spent = load.redirects_ms.filter(|it| *it > 0.0)?;
    Some(opportunity("redirects", Some(spent), None))
}

fn unsized_images(load: &LoadFacts<'_>) -> Option<Opportunity> {
    load.unsized_images.filter(|it| *it > 0)?;
    Some(opportunity("unsized-images", None, None))
}

fn render_blocking(resources: &[ResourceFact]) -> Option<Opportunity> {
    resources
        .iter()
        .any(|it| it.blocks_rendering)
        .then(|| opportunity("render-blocking-resources", None, None))
}

fn compression(resources: &[ResourceFact]) -> Option<Opportunity> {
    let saved: u64 = resources.iter().filter_map(saved_by_compression).sum();
    (saved > 0).then(|| opportunity("uses-text-compression", None, Some(saved)))
}

fn saved_by_compression(file: &ResourceFact) -> Option<u64> {
    let sent = file.transfer_bytes?;
    let saved = sent.checked_sub(file.gzip_bytes?)?;
    let counts = !file.is_compressed && saved >= MIN_COMPRESSION_SAVING && saved * 10 >= sent;
    counts.then_some(saved)
}

/// Bytes of static files that are sent again to a visitor who returns after a week.
fn cache(resources: &[ResourceFact]) -> Option<Opportunity> {
    let is_lasting = |it: &&ResourceFact| {
        use ResourceKind::{Font, Image, Media, Script, Stylesheet};
        let lasts = matches!(it.kind, Font | Image | Media | Script | Stylesheet);
        lasts && it.status == Some(200) && it.fresh_for.unwrap_or(0) < MIN_CACHE_SECONDS
    };
    let again: u64 = resources
        .iter()
        .filter(is_lasting)
        .filter_map(|it| it.transfer_bytes)
        .sum();
    (again > 0).then(|| opportunity("uses-long-cache-ttl", None, Some(again)))
}

pub fn resource_summary(resources: &[ResourceFact]) -> BTreeMap<ResourceKind, ResourceTotal> {
    let mut summary: BTreeMap<ResourceKind, ResourceTotal> = BTreeMap::new();
    for file in resources {
        let total = summary.entry(file.kind).or_default();
        total.count += 1;
        if let Some(bytes) = file.transfer_bytes {
            *total.transfer_bytes.get_or_insert(0) += bytes;
        }
    }
    summary
}
