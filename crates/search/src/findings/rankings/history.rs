use super::{ChangeKind, RankingRecord, change};
use crate::{ToSchema, provenance::RecordStatus, statistics::describe};
use chrono::{DateTime, Days, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// One measurement of a keyword, small enough to keep for years.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankPoint {
    /// When.
    pub measured_at: DateTime<Utc>,
    /// What came of it.
    pub state: RankState,
    /// Rank among organic results.
    pub position: Option<u32>,
    /// Rank among all blocks.
    pub absolute_position: Option<u32>,
    /// How many organic results were seen.
    pub depth_checked: u32,
    /// The best-ranked own URL.
    pub url: Option<String>,
}

crate::wire_enum! {
    /// What came of a measurement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum RankState {
        /// It has a position.
        Ranked = "ranked",
        /// It is not within the depth.
        NotRanked = "notRanked",
        /// It failed; nothing is known about the rank.
        Error = "error",
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub struct PastRanks<'a> {
    /// Earlier measurements, newest first; 37 days and 28 measurements suffice.
    pub points: &'a [RankPoint],
    /// The best position ever, carried over from record to record.
    pub best: Option<BestPosition>,
    /// The worst position ever, carried over from record to record.
    pub worst: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestPosition {
    pub position: u32,
    pub at: DateTime<Utc>,
}

impl RankPoint {
    pub fn of(record: &RankingRecord) -> Self {
        Self {
            measured_at: record.envelope.measured_at,
            state: match (record.envelope.status, record.position) {
                (RecordStatus::Error, _) => RankState::Error,
                (_, Some(_)) => RankState::Ranked,
                (_, None) => RankState::NotRanked,
            },
            position: record.position,
            absolute_position: record.absolute_position,
            depth_checked: record.depth_checked,
            url: record.envelope.url.clone(),
        }
    }

    /// The position for averages: unranked is depth plus one; `None` for failures.
    pub(super) fn effective_position(&self) -> Option<f64> {
        match (self.state, self.position) {
            (RankState::Error, _) => None,
            (_, Some(position)) => Some(f64::from(position)),
            (_, None) => Some(f64::from(self.depth_checked) + 1.0),
        }
    }
}

impl<'a> PastRanks<'a> {
    /// The last successful measurement.
    pub(super) fn last(&self) -> Option<&'a RankPoint> {
        self.points
            .iter()
            .find(|point| point.state != RankState::Error)
    }
}

/// What became of a rank since a day some time ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeOver {
    /// When the earlier measurement was.
    pub since: DateTime<Utc>,
    /// The position then; null when it was not ranked.
    pub position: Option<u32>,
    /// Places gained since; null unless both positions are known.
    pub change: Option<i64>,
    /// What kind of change that is.
    pub change_kind: ChangeKind,
}

/// The change since the newest successful measurement between `days` and `days + slack` calendar days old.
pub(super) fn change_over(
    now: &RankPoint,
    past: &[RankPoint],
    days: i64,
    slack: i64,
) -> Option<ChangeOver> {
    if now.state == RankState::Error {
        return None;
    }
    let today = now.measured_at.date_naive();
    let age = |point: &RankPoint| (today - point.measured_at.date_naive()).num_days();
    let before = past
        .iter()
        .filter(|point| point.state != RankState::Error)
        .find(|point| age(point) >= days)
        .filter(|point| age(point) <= days + slack)?;
    let change = change::between(Some(before), now);
    Some(ChangeOver {
        since: before.measured_at,
        position: before.position,
        change: change.places,
        change_kind: change.kind,
    })
}

/// Averages over a keyword's measurements up to the current one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trend {
    pub moving_average7: Option<f64>,
    pub median_position28: Option<f64>,
    pub volatility28: Option<f64>,
}

pub(super) fn trend(now: &RankPoint, past: &[RankPoint]) -> Trend {
    let all = || std::iter::once(now).chain(past);
    Trend {
        moving_average7: describe::mean(&daily(all(), now.measured_at, 7)),
        median_position28: describe::median(&daily(all(), now.measured_at, 28)),
        volatility28: volatility(all()),
    }
}

/// The last successful measurement of each day, over the days that end with `end`.
fn daily<'p>(
    points: impl Iterator<Item = &'p RankPoint>,
    end: DateTime<Utc>,
    days: u64,
) -> Vec<f64> {
    let first = end
        .date_naive()
        .checked_sub_days(Days::new(days - 1))
        .unwrap_or(NaiveDate::MIN);
    let mut last_day = None;
    points
        .filter(|point| point.measured_at.date_naive() >= first)
        .filter_map(|point| Some((point.measured_at.date_naive(), point.effective_position()?)))
        .filter(|(day, _)| last_day.replace(*day) != Some(*day))
        .map(|(_, position)| position)
        .collect()
}

fn volatility<'p>(points: impl Iterator<Item = &'p RankPoint>) -> Option<f64> {
    let logs: Vec<f64> = points
        .filter_map(RankPoint::effective_position)
        .map(f64::ln)
        .take(28)
        .collect();
    if logs.len() < 5 {
        None
    } else {
        describe::sample_standard_deviation(&logs)
    }
}
