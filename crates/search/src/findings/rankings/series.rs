use super::Weighting;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A project's figures by day. Days of another source, definition or weighting are another series.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ProjectSeries(pub BTreeMap<NaiveDate, DayFigures>);

crate::json!(ProjectSeries);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DayFigures {
    pub kind: SeriesKind,
    pub keywords: u32,
    /// Visibility, 0 to 100.
    pub visibility: Option<f64>,
    /// Estimated visits a month.
    pub traffic: Option<f64>,
    /// Keywords behind `traffic`: those with a search volume.
    pub traffic_keywords: u64,
    /// Whether `traffic` is by the project's own click curve; `visibility` never is.
    #[serde(default)]
    pub own_curve: bool,
}

/// Days are of one series if these are equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeriesKind {
    pub engine: String,
    pub simulated: bool,
    pub method: String,
    pub weighting: Weighting,
}

impl ProjectSeries {
    /// The days of the newest day's series, oldest first.
    pub fn newest_series(&self) -> impl Iterator<Item = (NaiveDate, &DayFigures)> {
        let newest = self.0.last_key_value().map(|(_, it)| &it.kind);
        let days = self
            .0
            .iter()
            .filter(move |(_, it)| Some(&it.kind) == newest);
        days.map(|(day, it)| (*day, it))
    }
}
