//! What earlier runs knew of link targets.

use super::{judge::Judged, record::BrokenLink, verdict::Outcome};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was known of one target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetHistory {
    /// Since when every check has found it listed; `None` when the last one found it fine.
    pub bad_since: Option<DateTime<Utc>>,
    /// When it was last seen to work.
    pub last_ok_at: Option<DateTime<Utc>>,
}

/// What earlier runs knew, by target with fragment. Keep what [`super::find`] returned and hand
/// it to the next run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PreviousBrokenLinks {
    targets: BTreeMap<String, TargetHistory>,
}

impl PreviousBrokenLinks {
    /// What records alone tell: since when their targets are bad. When targets that are fine now
    /// were last fine is not in them.
    #[must_use]
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

    pub(super) fn of(&self, target: &str) -> Option<&TargetHistory> {
        self.targets.get(target)
    }

    /// The state after a run: targets that were checked now, and those that were not as before.
    pub(super) fn followed_by<'a>(
        &self,
        judged: impl Iterator<Item = &'a Judged<'a>>,
        at: DateTime<Utc>,
    ) -> Self {
        let mut next = self.clone();
        for it in judged {
            let past = self.of(&it.target).copied().unwrap_or_default();
            match it.outcome() {
                Outcome::NotChecked if !it.verdict.is_listed() => continue,
                Outcome::Unknown => continue,
                _ => {}
            }
            let now = if it.verdict.is_listed() {
                TargetHistory {
                    bad_since: past.bad_since.or(Some(at)),
                    ..past
                }
            } else {
                TargetHistory {
                    bad_since: None,
                    last_ok_at: Some(at),
                }
            };
            next.targets.insert(it.target.clone(), now);
        }
        next
    }
}
