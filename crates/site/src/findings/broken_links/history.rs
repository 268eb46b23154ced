use super::{record::BrokenLink, verdict::Verdict};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetHistory {
    /// When the unbroken run of listed verdicts began; `None` if the last check passed.
    pub bad_since: Option<DateTime<Utc>>,
    pub last_ok_at: Option<DateTime<Utc>>,
}

/// By target with fragment. Store what [`super::TargetIndex::history`] returns and pass it to the next run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreviousBrokenLinks {
    targets: BTreeMap<String, TargetHistory>,
}

crate::json!(PreviousBrokenLinks);

impl PreviousBrokenLinks {
    /// From records only, so without the targets that work: these have no record.
    pub fn from_records<'a>(records: impl IntoIterator<Item = &'a BrokenLink>) -> Self {
        let known = records.into_iter().map(|it| {
            let past = TargetHistory {
                bad_since: Some(it.first_seen_at),
                last_ok_at: it.last_ok_at,
            };
            (it.target_url.clone(), past)
        });
        Self {
            targets: known.collect(),
        }
    }

    pub(super) fn into_targets(self) -> impl Iterator<Item = (String, TargetHistory)> {
        self.targets.into_iter()
    }
}

impl FromIterator<(String, TargetHistory)> for PreviousBrokenLinks {
    fn from_iter<T: IntoIterator<Item = (String, TargetHistory)>>(known: T) -> Self {
        Self {
            targets: known.into_iter().collect(),
        }
    }
}

impl TargetHistory {
    pub(super) fn after_check(self, verdict: Verdict, at: DateTime<Utc>) -> Self {
        if verdict.is_listed() {
            Self {
                bad_since: self.bad_since.or(Some(at)),
                ..self
            }
        } else {
            Self {
                bad_since: None,
                last_ok_at: Some(at),
            }
        }
    }
}
