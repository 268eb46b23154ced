//! What changed between two measurements of a project's keywords: winners, losers, who entered and who
//! left.

use super::{ChangeKind, RankPoint, RankState, change};
use crate::{ctr::ctr, findings::envelope::rounded};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// How many keywords each list names.
const KEPT: usize = 50;

/// A keyword at one of the two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The keyword.
    pub keyword_id: i64,
    /// Its text.
    pub keyword: String,
    /// Searches per month, when known.
    pub search_volume: Option<u64>,
    /// What was measured.
    pub point: RankPoint,
}

/// What changed between two measurements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankChanges {
    /// Keywords that were measured at both moments; all counts but the last two are among these.
    pub compared: u64,
    /// How many moved up.
    pub up: u64,
    /// How many moved down.
    pub down: u64,
    /// How many stand where they stood, or stand nowhere still.
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
    /// keyword that moved has a search volume.
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
    /// Where it stands; null when it left.
    pub position: Option<u32>,
    /// Where it stood; null when it entered.
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

/// Compares two measurements of the same market. A keyword that appears twice counts with its last
/// entry; what failed is as if it had not been measured.
#[must_use]
pub fn changes_between(before: &[Standing], now: &[Standing]) -> RankChanges {
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

fn measured(standings: &[Standing]) -> BTreeMap<i64, &Standing> {
    standings
        .iter()
        .filter(|it| it.point.state != RankState::Error)
        .map(|it| (it.keyword_id, it))
        .collect()
}

/// All moves, until the largest are picked.
#[derive(Debug, Default)]
struct Moves {
    up: Vec<Moved>,
    down: Vec<Moved>,
    new: Vec<Moved>,
    lost: Vec<Moved>,
}

impl RankChanges {
    fn compare(&mut self, before: &Standing, now: &Standing, moves: &mut Moves) {
        self.compared += 1;
        let kind = change::between(Some(&before.point), &now.point).kind;
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
        self.cross(before.point.position, now.point.position);
    }

    fn cross(&mut self, before: Option<u32>, now: Option<u32>) {
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
            .try_fold(0.0, |sum, clicks| Some(sum + clicks?));
        changes.up = self.up.len() as u64;
        changes.down = self.down.len() as u64;
        changes.entered_count = self.new.len() as u64;
        changes.left_count = self.lost.len() as u64;
        // One yardstick for all lists: clicks when every move has them, else shares.
        let by_clicks = changes.clicks_change.is_some();
        changes.winners = largest(self.up, by_clicks);
        changes.losers = largest(self.down, by_clicks);
        changes.entered = largest(self.new, by_clicks);
        changes.left = largest(self.lost, by_clicks);
    }
}

fn moved(before: &Standing, now: &Standing, kind: ChangeKind) -> Moved {
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

/// The moves of the largest weight, equal ones by more places, then by id.
fn largest(mut moves: Vec<Moved>, by_clicks: bool) -> Vec<Moved> {
    let weight = |it: &Moved| match it.clicks_change {
        Some(clicks) if by_clicks => clicks.abs(),
        _ => it.ctr_change.abs(),
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
    moves.truncate(KEPT);
    moves
}
