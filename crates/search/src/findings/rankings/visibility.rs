use super::{ChangeKind, KeywordRank, RankPoint, RankState, change};
use crate::{ToSchema, ctr::ctr, findings::envelope::rounded};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What weighs the keywords in the visibility index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Weighting {
    /// Search volume: every measured keyword has one.
    Volume,
    /// All weigh the same.
    Equal,
}

/// A change of visibility, like for like: the same keywords at both ends, weighted by today's search
/// volumes. Adding or removing keywords does not change it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VisibilityChange {
    /// When the newest of the earlier measurements was made.
    pub since: DateTime<Utc>,
    /// Keywords measured at both ends, deep enough to be compared.
    pub compared: u64,
    /// Keywords measured now that were not measured then.
    pub added: u64,
    /// Whether search volumes weight the keywords: only where all compared ones have one.
    pub weighting: Weighting,
    /// Visibility of the compared keywords then, 0 to 100.
    #[serde(serialize_with = "rounded::score")]
    pub before: f64,
    /// Visibility of the compared keywords now, 0 to 100.
    #[serde(serialize_with = "rounded::score")]
    pub now: f64,
    /// `now` − `before`: positive is better.
    #[serde(serialize_with = "rounded::score")]
    pub change: f64,
}

/// Compares visibility at two moments, in constant memory.
#[derive(Debug, Clone, Default)]
pub struct VisibilityComparison {
    since: Option<DateTime<Utc>>,
    compared: u64,
    added: u64,
    without_volume: u64,
    volume: f64,
    equal: BeforeAfter,
    weighted: BeforeAfter,
}

#[derive(Debug, Clone, Copy, Default)]
struct BeforeAfter {
    before: f64,
    now: f64,
}

impl VisibilityComparison {
    /// `before` is the earlier measurement, if any; a failed one counts as none.
    pub fn add(&mut self, now: &KeywordRank, before: Option<&RankPoint>) {
        if now.point.state == RankState::Error {
            return;
        }
        let Some(before) = before.filter(|it| it.state != RankState::Error) else {
            self.added += 1;
            return;
        };
        if change::between(Some(before), &now.point).kind == ChangeKind::Unknown {
            return;
        }
        self.compared += 1;
        self.since = self.since.max(Some(before.measured_at));
        let share = |point: &RankPoint| point.position.map_or(0.0, ctr);
        let shares = BeforeAfter {
            before: share(before),
            now: share(&now.point),
        };
        self.equal.add(1.0, shares);
        match now.search_volume {
            #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
            Some(volume) => {
                self.volume += volume as f64;
                self.weighted.add(volume as f64, shares);
            }
            None => self.without_volume += 1,
        }
    }

    /// `None` if no keyword can be compared.
    pub fn finish(&self) -> Option<VisibilityChange> {
        let since = self.since?;
        let (weighting, ends, weights) = if self.without_volume == 0 && self.volume > 0.0 {
            (Weighting::Volume, self.weighted, self.volume)
        } else {
            #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
            (Weighting::Equal, self.equal, self.compared as f64)
        };
        let visibility = |sum: f64| 100.0 * sum / weights / ctr(1);
        let (before, now) = (visibility(ends.before), visibility(ends.now));
        Some(VisibilityChange {
            since,
            compared: self.compared,
            added: self.added,
            weighting,
            before,
            now,
            change: now - before,
        })
    }
}

impl BeforeAfter {
    fn add(&mut self, weight: f64, shares: Self) {
        self.before += weight * shares.before;
        self.now += weight * shares.now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;
    use proptest::prelude::*;

    fn point(day: i64, position: Option<u32>, depth_checked: u32) -> RankPoint {
        RankPoint {
            measured_at: DateTime::UNIX_EPOCH + TimeDelta::days(day),
            state: match (position, depth_checked) {
                (_, 0) => RankState::Error,
                (Some(_), _) => RankState::Ranked,
                (None, _) => RankState::NotRanked,
            },
            position,
            absolute_position: None,
            depth_checked,
            url: None,
        }
    }

    fn standing(volume: Option<u64>, point: RankPoint) -> KeywordRank {
        KeywordRank {
            keyword_id: 1,
            keyword: "shoes".to_owned(),
            search_volume: volume,
            point,
        }
    }

    #[test]
    fn added_keywords_do_not_change_visibility() {
        let mut compared = VisibilityComparison::default();
        for position in [4, 20] {
            let now = standing(None, point(7, Some(position), 100));
            compared.add(&now, Some(&point(0, Some(position), 100)));
        }
        for _ in 0..13 {
            compared.add(&standing(None, point(7, Some(1), 100)), None);
        }
        let found = compared.finish().unwrap();
        assert_eq!((found.compared, found.added), (2, 13));
        assert!(found.change.abs() < 1e-12, "{}", found.change);
        assert!((found.now - 100.0 * (ctr(4) + ctr(20)) / 2.0 / ctr(1)).abs() < 1e-9);
        assert_eq!(found.since, DateTime::UNIX_EPOCH);
    }

    #[test]
    fn failures_and_shallow_checks_are_not_compared() {
        let mut compared = VisibilityComparison::default();
        // Only 10 results were checked; it may have been at 40.
        let now = standing(None, point(7, Some(40), 100));
        compared.add(&now, Some(&point(0, None, 10)));
        compared.add(
            &standing(None, point(7, None, 0)),
            Some(&point(0, Some(3), 100)),
        );
        compared.add(&now, Some(&point(0, None, 0)));
        assert_eq!(compared.finish(), None);
        compared.add(&now, Some(&point(0, None, 100)));
        let found = compared.finish().unwrap();
        assert_eq!((found.compared, found.added), (1, 1));
        assert!(found.change > 0.0);
    }

    #[test]
    fn volumes_weight_the_change_only_where_all_have_one() {
        let of = |volumes: [Option<u64>; 2]| {
            let mut compared = VisibilityComparison::default();
            for (volume, (was, is)) in volumes.into_iter().zip([(2, 1), (9, 9)]) {
                let now = standing(volume, point(7, Some(is), 100));
                compared.add(&now, Some(&point(0, Some(was), 100)));
            }
            compared.finish().unwrap()
        };
        let (weighted, equal) = (of([Some(900), Some(100)]), of([Some(900), None]));
        assert_eq!(weighted.weighting, Weighting::Volume);
        assert_eq!(equal.weighting, Weighting::Equal);
        let gain = 100.0 * (ctr(1) - ctr(2)) / ctr(1);
        assert!((weighted.change - 0.9 * gain).abs() < 1e-9);
        assert!((equal.change - 0.5 * gain).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn equal_positions_at_both_ends_are_no_change(
            rows in proptest::collection::vec((1_u32..100, 1_u64..10_000), 1..40), added in 0_usize..40
        ) {
            let mut compared = VisibilityComparison::default();
            for (position, volume) in &rows {
                let now = standing(Some(*volume), point(9, Some(*position), 100));
                compared.add(&now, Some(&point(1, Some(*position), 100)));
            }
            for _ in 0..added {
                compared.add(&standing(Some(5_000), point(9, Some(1), 100)), None);
            }
            prop_assert!(compared.finish().unwrap().change.abs() < 1e-9);
        }
    }
}
