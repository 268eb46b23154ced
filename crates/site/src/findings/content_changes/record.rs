use super::significance::{ChangeClass, ChangedField};
use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::text::diff::Operation;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What changed on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeRecord {
    /// What every record says about itself; `url` is the requested page, `sampleSize` the
    /// comparisons so far.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// When the earlier page was read.
    pub from_at: DateTime<Utc>,
    /// When the later one was.
    pub to_at: DateTime<Utc>,
    /// Whether a field with a weight above 0 changed; null where the visit is inconclusive.
    pub changed: Option<bool>,
    /// How much, in one word; null where the visit is inconclusive.
    pub change_class: Option<ChangeClass>,
    /// 100·(1 − Π(1 − weight·magnitude)) over the fields. The weights are our judgment. Null where the
    /// visit is inconclusive.
    #[serde(serialize_with = "rounded::score_or_null")]
    pub significance: Option<f64>,
    /// Jaccard similarity of the 4-word shingles of the main texts, without noise and volatile
    /// blocks; null where no text was read.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub similarity: Option<f64>,
    /// Share of the earlier text's shingles that the later one has too: 1 when text was only added.
    /// Null for an earlier text without words.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub containment_old: Option<f64>,
    /// Words that came, moved ones included; null where no text was read.
    pub added_words: Option<u64>,
    /// Words that went.
    pub removed_words: Option<u64>,
    /// What changed, in the order of its importance.
    pub fields: Vec<FieldChange>,
    /// What of the main text changed; at most 200 operations and 96 KiB.
    pub text_diff: Vec<Operation>,
    /// Operations that are not shown.
    pub text_diff_left_out: u64,
    /// Blocks that change with nearly every visit and are left out of the comparison.
    pub volatile_blocks: u32,
    /// The page is what it was before the last visit: two versions alternate.
    pub flapping: bool,
    /// When the first change of the page was seen; null when it never changed.
    pub first_change_detected_at: Option<DateTime<Utc>>,
    /// Why the page was visited.
    pub source: ChangeSource,
    /// The owner of the page.
    pub owner: PageOwner,
    /// How often the page changes.
    pub change_frequency: ChangeFrequency,
}

crate::json!(ChangeRecord);

/// One fact that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// Which.
    pub name: ChangedField,
    /// What it was; of lists, what is gone.
    pub before: Option<FieldValue>,
    /// What it is; of lists, what is new.
    pub after: Option<FieldValue>,
    /// How far it moved: 0 not at all, 1 entirely.
    #[serde(serialize_with = "rounded::fraction")]
    pub magnitude: f64,
    /// The field's weight in the significance: our judgment; 0 is for information only.
    pub weight: f64,
}

/// A value in its natural form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// Yes or no.
    Flag(bool),
    /// A count, milliseconds or bytes.
    Number(u64),
    /// Text, cut after 500 characters.
    Text(String),
    /// Members of a list; at most 50, each cut after 200 characters.
    List(Vec<String>),
}

/// Why a page was visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeSource {
    /// Its time had come.
    Scheduled,
    /// A user requested it.
    Manual,
}

/// The owner of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PageOwner {
    /// The project's.
    Own,
    /// A competitor's.
    Competitor,
}

/// How often a page changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeFrequency {
    /// λ times the intervals in 30 days; null before the page was watched for 7 days.
    #[serde(rename = "changesPer30d", serialize_with = "rounded::fraction_or_null")]
    pub changes_per_30d: Option<f64>,
    /// Changes per interval between two visits: −ln((n − X + 0.5)/(n + 0.5)), Cho and Garcia-Molina
    /// 2003.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub estimator_lambda: Option<f64>,
    /// Intervals that it rests on.
    pub intervals: u32,
}
