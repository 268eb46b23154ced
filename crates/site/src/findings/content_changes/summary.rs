use super::record::ChangeRecord;
use super::significance::{ChangeClass, ChangedField};
use crate::ToSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAX_PAGES: usize = 20;

/// What changed on a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentChangesSummary {
    /// Pages that were compared.
    pub pages: u32,
    /// Of these, changed.
    pub changed: u32,
    /// Pages without a conclusive comparison: they failed once, still do not respond, are still disallowed
    /// or require consent, or were read in part.
    pub unread: u32,
    /// Pages that alternate between two versions.
    pub flapping: u32,
    /// Pages by class; inconclusive comparisons are left out.
    pub by_class: BTreeMap<ChangeClass, u32>,
    /// Pages by changed field; fields of weight 0 are not counted.
    pub by_field: BTreeMap<ChangedField, u32>,
    /// The pages that changed most, at most 20.
    pub most_changed: Vec<ChangedPage>,
}

crate::json!(ContentChangesSummary);

/// A page that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedPage {
    /// Its address.
    pub url: String,
    /// How much.
    #[serde(serialize_with = "crate::findings::envelope::rounded::score_or_null")]
    pub significance: Option<f64>,
    /// In one word.
    pub change_class: ChangeClass,
}

impl ContentChangesSummary {
    pub fn add(&mut self, record: &ChangeRecord) {
        self.pages += 1;
        let Some(class) = record.change_class else {
            self.unread += 1;
            return;
        };
        let changed = record.changed == Some(true);
        self.changed += u32::from(changed);
        self.flapping += u32::from(record.flapping);
        *self.by_class.entry(class).or_default() += 1;
        for field in record.fields.iter().filter(|it| it.weight > 0.0) {
            *self.by_field.entry(field.name).or_default() += 1;
        }
        if changed {
            self.add_most_changed(record, class);
        }
    }

    fn add_most_changed(&mut self, record: &ChangeRecord, class: ChangeClass) {
        let rank = |it: &ChangedPage| it.significance.unwrap_or_default();
        let page = ChangedPage {
            url: record.envelope.url.clone().unwrap_or_default(),
            significance: record.significance,
            change_class: class,
        };
        let at = self.most_changed.partition_point(|it| {
            let by_rank = rank(&page).total_cmp(&rank(it));
            by_rank.then_with(|| it.url.cmp(&page.url)).is_lt()
        });
        self.most_changed.insert(at, page);
        self.most_changed.truncate(MAX_PAGES);
    }
}
