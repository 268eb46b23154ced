use super::evidence::{Evidence, RecordRef};
use crate::{
    findings::{cannibalization::Action, competitors::GapKeyword, content::ContentRecord},
    observation::vitals::{FormFactor, VitalsMetric},
};
use chrono::NaiveDate;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
pub(super) struct PageState {
    pub record: RecordRef,
    pub indexable: bool,
    /// The later of publication and modification date, with the JSON pointer to it.
    pub dated: Option<(NaiveDate, &'static str)>,
}

impl PageState {
    pub fn of(record: &ContentRecord) -> Self {
        let days = [
            (record.freshness.published, "/freshness/published"),
            (record.freshness.modified, "/freshness/modified"),
        ];
        let dated = days.into_iter().filter_map(|(day, at)| Some((day?, at)));
        Self {
            record: RecordRef::of(&record.envelope),
            indexable: record.indexable,
            dated: dated.max_by_key(|it| it.0),
        }
    }
}

/// By page keys, then by keyword and engine.
pub(super) type CannibalizedPages =
    BTreeMap<BTreeSet<String>, BTreeMap<(i64, String), CannibalizedKeyword>>;

#[derive(Debug, Clone)]
pub(super) struct CannibalizedKeyword {
    pub record: RecordRef,
    pub keyword: String,
    /// Primary URL first.
    pub urls: Vec<String>,
    pub share: f64,
    pub score: f64,
    pub action: Action,
    pub lost: Option<f64>,
    pub flip_rate: Option<f64>,
    pub similarity: Option<f64>,
    pub snapshots: u32,
    pub is_simulated: bool,
}

/// By keyword.
pub(super) type Gaps = BTreeMap<i64, Gap>;

#[derive(Debug, Clone)]
pub(super) struct Gap {
    pub keyword: GapKeyword,
    /// By position and name.
    pub competitors: BTreeMap<(u32, String), Evidence>,
    pub is_simulated: bool,
}

/// Field data take precedence over lab data.
pub(super) type VitalsByPage = BTreeMap<VitalsKey, VitalsFigures>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VitalsKey {
    pub page: String,
    pub metric: VitalsMetric,
    pub form_factor: FormFactor,
}

#[derive(Debug, Clone, Default)]
pub(super) struct VitalsFigures {
    pub field: Option<VitalsFigure>,
    pub lab: Option<VitalsFigure>,
}

#[derive(Debug, Clone)]
pub(super) struct VitalsFigure {
    pub url: String,
    pub record: RecordRef,
    pub value: f64,
}
