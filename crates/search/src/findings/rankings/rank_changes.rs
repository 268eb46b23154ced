use super::{ChangeKind, RankPoint, RankState, change};
use crate::{ToSchema, ctr::ctr, findings::envelope::rounded};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Per list.
const MAX_LISTED: usize = 50;

/// A keyword's rank at one of two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordRank {
    pub keyword_id: i64,
    pub keyword: String,
    /// Searches per month.
    pub search_volume: Option<u64>,
    pub point: RankPoint,
}

/// What changed between two measurements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankChanges {
    /// When the newest of the earlier measurements was made; null without one.
    #[serde(default)]
    #[schema(required = true)]
    pub since: Option<DateTime<Utc>>,
    /// Keywords that were measured at both moments; all counts but the last two are among these.
    pub compared: u64,
    /// How many moved up.
    pub up: u64,
    /// How many moved down.
    pub down: u64,
    /// How many kept their rank, or are still not ranked.
    pub same: u64,
    /// How many were not ranked and are.
    pub entered_count: u64,
    /// How many were ranked and are not.
    pub left_count: u64,
    /// How many cannot be compared: one of the two did not look deep enough.
    pub unknown: u64,
    /// How many came into the first three places.
    pub into_top3: u64,
    /// How many fell out of the first three places.
    pub out_of_top3: u64,
    /// How many came into the first ten places.
    pub into_top10: u64,
    /// How many fell out of the first ten places.
    pub out_of_top10: u64,
    /// Sum of the clicks per month that all moves brought, less what they took; null unless every
    /// keyword that moved has a search volume, and where none that is compared has one.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub clicks_change: Option<f64>,
    /// Those that moved up, the largest gain first, at most fifty.
    pub winners: Vec<Moved>,
    /// Those that moved down, the largest loss first, at most fifty.
    pub losers: Vec<Moved>,
    /// Those that entered, the largest gain first, at most fifty.
    pub entered: Vec<Moved>,
    /// Those that left, the largest loss first, at most fifty.
    pub left: Vec<Moved>,
    /// Keywords that were measured now alone.
    pub added: u64,
    /// Keywords that were measured before alone, failures of now included.
    pub dropped: u64,
}

/// A keyword that moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The keyword.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// Its rank; null when it left.
    pub position: Option<u32>,
    /// Its previous rank; null when it entered.
    pub previous_position: Option<u32>,
    /// What kind of move it was.
    pub change_kind: ChangeKind,
    /// What the move is worth as a share of searches, by the published curve without layouts.
    #[serde(serialize_with = "rounded::fraction")]
    pub ctr_change: f64,
    /// The same in clicks per month; null without a search volume.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub clicks_change: Option<f64>,
}

/// Compares measurements of one market. A keyword's last entry counts; failures count as not measured.
pub fn changes_between(before: &[KeywordRank], now: &[KeywordRank]) -> RankChanges {
    let (before, now) = (measured(before), measured(now));
    let mut changes = RankChanges::default();
    let mut moves = Moves::default();
    for (id, standing) in &now {
        match before.get(id) {
            Some(earlier) => changes.compare(earlier, standing, &mut moves),
            None => changes.added += 1,
        }
    }
    let seen: BTreeSet<&i64> = now.keys().collect();
    changes.dropped = before.keys().filter(|id| !seen.contains(id)).count() as u64;
    moves.finish(&mut changes);
    changes
}

fn measured(standings: &[KeywordRank]) -> BTreeMap<i64, &KeywordRank> {
    standings
        .iter()
        .filter(|it| it.point.state != RankState::Error)
        .map(|it| (it.keyword_id, it))
        .collect()
}

#[derive(Debug, Default)]
struct Moves {
    up: Vec<Moved>,
    down: Vec<Moved>,
    new: Vec<Moved>,
    lost: Vec<Moved>,
    /// Comparable keywords with a volume.
    with_volume: u64,
}

impl RankChanges {
    fn compare(&mut self, before: &KeywordRank, now: &KeywordRank, moves: &mut Moves) {
        self.compared += 1;
        self.since = self.since.max(Some(before.point.measured_at));
        let kind = change::between(Some(&before.point), &now.point).kind;
        if now.search_volume.is_some()
            && !matches!(kind, ChangeKind::FirstSeen | ChangeKind::Unknown)
        {
            moves.with_volume += 1;
        }
        let list = match kind {
            ChangeKind::Up => &mut moves.up,
            ChangeKind::Down => &mut moves.down,
            ChangeKind::New => &mut moves.new,
            ChangeKind::Lost => &mut moves.lost,
            ChangeKind::Same => {
                self.same += 1;
                return;
            }
            ChangeKind::FirstSeen | ChangeKind::Unknown => {
                self.unknown += 1;
                return;
            }
        };
        list.push(moved(before, now, kind));
        self.count_crossings(before.point.position, now.point.position);
    }

    fn count_crossings(&mut self, before: Option<u32>, now: Option<u32>) {
        let within = |position: Option<u32>, top| position.is_some_and(|it| it <= top);
        for (top, into, out) in [
            (3, &mut self.into_top3, &mut self.out_of_top3),
            (10, &mut self.into_top10, &mut self.out_of_top10),
        ] {
            *into += u64::from(!within(before, top) && within(now, top));
            *out += u64::from(within(before, top) && !within(now, top));
        }
    }
}

impl Moves {
    fn finish(self, changes: &mut RankChanges) {
        let all = || {
            [&self.up, &self.down, &self.new, &self.lost]
                .into_iter()
                .flatten()
        };
        changes.clicks_change = all()
            .map(|it| it.clicks_change)
            .try_fold(0.0, |sum, clicks| Some(sum + clicks?))
            .filter(|_| self.with_volume > 0);
        changes.up = self.up.len() as u64;
        changes.down = self.down.len() as u64;
        changes.entered_count = self.new.len() as u64;
        changes.left_count = self.lost.len() as u64;
        // All lists use the same weight: clicks if every move has them, else shares.
        let by_clicks = changes.clicks_change.is_some();
        changes.winners = largest(self.up, by_clicks);
        changes.losers = largest(self.down, by_clicks);
        changes.entered = largest(self.new, by_clicks);
        changes.left = largest(self.lost, by_clicks);
    }
}

fn moved(before: &KeywordRank, now: &KeywordRank, kind: ChangeKind) -> Moved {
    let worth = |position: Option<u32>| position.map_or(0.0, ctr);
    let ctr_change = worth(now.point.position) - worth(before.point.position);
    #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
    let clicks = |volume: u64| volume as f64 * ctr_change;
    Moved {
        keyword_id: now.keyword_id,
        keyword: now.keyword.clone(),
        position: now.point.position,
        previous_position: before.point.position,
        change_kind: kind,
        ctr_change,
        clicks_change: now.search_volume.map(clicks),
    }
}

/// The largest moves: by weight, positions moved, then id.
fn largest(mut moves: Vec<Moved>, by_clicks: bool) -> Vec<Moved> {
    // Values that differ by rounding errors are equal.
    let rounded = |weight: f64| (weight.abs() * 1e9).round();
    let weight = |it: &Moved| match it.clicks_change {
        Some(clicks) if by_clicks => rounded(clicks),
        _ => rounded(it.ctr_change),
    };
    let places = |it: &Moved| {
        it.position
            .unwrap_or(0)
            .abs_diff(it.previous_position.unwrap_or(0))
    };
    moves.sort_by(|one, other| {
        weight(other)
            .total_cmp(&weight(one))
            .then(places(other).cmp(&places(one)))
            .then(one.keyword_id.cmp(&other.keyword_id))
    });
    moves.truncate(MAX_LISTED);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use proptest::prelude::*;

    fn standing(id: i64, volume: Option<u64>, position: Option<u32>, depth: u32) -> KeywordRank {
        KeywordRank {
            keyword_id: id,
            keyword: format!("keyword {id}"),
            search_volume: volume,
            point: RankPoint {
                measured_at: DateTime::UNIX_EPOCH,
                state: match (position, depth) {
                    (_, 0) => RankState::Error,
                    (Some(_), _) => RankState::Ranked,
                    (None, _) => RankState::NotRanked,
                },
                position,
                absolute_position: None,
                depth_checked: depth,
                url: None,
            },
        }
    }

    #[test]
    fn winners_losers_entered_and_left_are_separate() {
        let rows = |positions: [(Option<u32>, u32); 8]| -> Vec<KeywordRank> {
            (1..)
                .zip(positions)
                .map(|(id, (position, depth))| standing(id, Some(100), position, depth))
                .collect()
        };
        let before = rows([
            (Some(9), 100),
            (Some(2), 100),
            (None, 100),
            (Some(40), 100),
            (Some(40), 100),
            (Some(7), 100),
            (Some(5), 100),
            (None, 0),
        ]);
        let now = rows([
            (Some(3), 100),
            (Some(12), 100),
            (Some(8), 100),
            (None, 100),
            (None, 10),
            (Some(7), 100),
            (None, 0),
            (Some(1), 100),
        ]);
        let changes = changes_between(&before, &now);
        let ids = |moves: &[Moved]| moves.iter().map(|it| it.keyword_id).collect::<Vec<_>>();
        assert_eq!(
            (ids(&changes.winners), ids(&changes.losers)),
            (vec![1], vec![2])
        );
        assert_eq!(
            (ids(&changes.entered), ids(&changes.left)),
            (vec![3], vec![4])
        );
        assert_eq!((changes.unknown, changes.same, changes.compared), (1, 1, 6));
        // A failure counts as not measured, never as a loss.
        assert_eq!((changes.added, changes.dropped), (1, 1));
        assert_eq!((changes.into_top3, changes.out_of_top3), (1, 1));
        assert_eq!((changes.into_top10, changes.out_of_top10), (1, 1));
        let worth = 100.0 * (ctr(3) - ctr(9) + ctr(12) - ctr(2) + ctr(8) - ctr(40));
        assert!((changes.clicks_change.unwrap() - worth).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn winners_and_losers_swap_with_the_direction(
            rows in proptest::collection::vec((proptest::option::of(1_u32..100), proptest::option::of(1_u32..100)), 0..40)
        ) {
            let (earlier, later): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            let standings = |positions: Vec<Option<u32>>| -> Vec<KeywordRank> {
                (1..).zip(positions).map(|(id, it)| standing(id, Some(10), it, 100)).collect()
            };
            let (before, now) = (standings(earlier), standings(later));
            let (there, back) = (changes_between(&before, &now), changes_between(&now, &before));
            prop_assert_eq!((there.up, there.down), (back.down, back.up));
            prop_assert_eq!((there.entered_count, there.left_count), (back.left_count, back.entered_count));
            prop_assert_eq!(there.compared, there.up + there.down + there.same + there.entered_count + there.left_count + there.unknown);
            let (one, other) = (there.clicks_change.unwrap_or(0.0), back.clicks_change.unwrap_or(0.0));
            prop_assert!((one + other).abs() < 1e-9);
        }
    }
}
