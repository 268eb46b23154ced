//! What a project came to, day by day.

use super::Weighting;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a project came to, day by day. Days of another source, another definition or other weights
/// are another series.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ProjectSeries(pub BTreeMap<NaiveDate, DayFigures>);

crate::json!(ProjectSeries);

/// What a project came to on a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DayFigures {
    /// What is compared with what.
    pub kind: SeriesKind,
    /// How many keywords were measured.
    pub keywords: u32,
    /// Visibility, 0 to 100.
    pub visibility: Option<f64>,
    /// Estimated visits a month.
    pub traffic: Option<f64>,
    /// How many keywords the traffic sums up: those with a search volume.
    pub traffic_keywords: u64,
    /// Whether it is expected by the project's own click curve: another measure than by the published
    /// one. Visibility never is.
    #[serde(default)]
    pub own_curve: bool,
}

/// What has to be equal for two days to be of one series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeriesKind {
    /// The engine.
    pub engine: String,
    /// Whether its pages were made up.
    pub simulated: bool,
    /// The definition.
    pub method: String,
    /// The weights of keywords.
    pub weighting: Weighting,
}

impl ProjectSeries {
    /// The days that are of one series with the newest one, oldest first.
    pub fn newest_of_a_kind(&self) -> impl Iterator<Item = (NaiveDate, &DayFigures)> {
        let newest = self.0.last_key_value().map(|(_, it)| &it.kind);
        let days = self
            .0
            .iter()
            .filter(move |(_, it)| Some(&it.kind) == newest);
        days.map(|(day, it)| (*day, it))
    }
}
