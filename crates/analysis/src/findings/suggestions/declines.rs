use super::inputs::DayClicks;
use crate::{
    findings::rankings::{RankPoint, RankState},
    statistics::{describe::mean, mann_kendall::mann_kendall, theil_sen::slope},
};
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::BTreeMap;

/// Weeks of positions.
const RANK_WEEKS: i64 = 13;
/// Weeks of clicks.
const CLICK_WEEKS: i64 = 26;
/// Significance level.
pub(super) const SIGNIFICANT: f64 = 0.05;
/// Positions lost; our choice.
const MIN_PLACES: f64 = 1.0;
/// Share of clicks lost; our choice.
const MIN_SHARE: f64 = 0.2;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decline {
    /// The mean of the first weeks.
    pub from: f64,
    /// The mean of the last weeks.
    pub to: f64,
    /// Of the Mann–Kendall test.
    pub p: f64,
    pub weeks: usize,
}

/// Weekly means of a page's best positions over 13 weeks: Mann–Kendall test, Theil–Sen slope. Unranked is
/// depth plus one.
pub(super) fn rank_decline(points: &[RankPoint], at: DateTime<Utc>) -> Option<Decline> {
    let mut days: BTreeMap<NaiveDate, (DateTime<Utc>, f64)> = BTreeMap::new();
    for point in points.iter().filter(|it| it.state != RankState::Error) {
        let position = point.position.unwrap_or(point.depth_checked + 1);
        let day = days.entry(point.measured_at.date_naive());
        let value = (point.measured_at, f64::from(position));
        let kept = day.or_insert(value);
        if value.0 > kept.0 {
            *kept = value;
        }
    }
    let days = days.into_iter().map(|(day, (_, position))| (day, position));
    let weeks = by_week(days, at.date_naive(), RANK_WEEKS);
    let means: Vec<f64> = weeks.values().filter_map(|it| mean(it)).collect();
    let fall = significant_decline(&means, 1.0)?;
    (change(&means)? >= MIN_PLACES).then_some(fall)
}

/// A page's clicks, as sums of complete weeks up to the last known day.
pub(super) fn click_decline(days: &[DayClicks], at: DateTime<Utc>) -> Option<Decline> {
    let last = days.iter().map(|it| it.day).max()?.min(at.date_naive());
    let first = days.iter().map(|it| it.day).min()?;
    #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
    let counts = days.iter().map(|it| (it.day, it.clicks as f64));
    let weeks = by_week(counts, last, CLICK_WEEKS);
    let whole = ((last - first).num_days() + 1) / 7;
    // A week without rows had no clicks; incomplete weeks are dropped.
    let sums: Vec<f64> = (0..whole.min(CLICK_WEEKS))
        .rev()
        .map(|week| weeks.get(&-week).map_or(0.0, |it| it.iter().sum()))
        .collect();
    let fall = significant_decline(&sums, -1.0)?;
    (-change(&sums)? >= MIN_SHARE * fall.from.max(1.0)).then_some(fall)
}

/// Values by week relative to `last`: the last week is 0, the one before −1.
fn by_week(
    days: impl Iterator<Item = (NaiveDate, f64)>,
    last: NaiveDate,
    max_weeks: i64,
) -> BTreeMap<i64, Vec<f64>> {
    let mut weeks: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for (day, value) in days {
        let before = (last - day).num_days();
        if (0..7 * max_weeks).contains(&before) {
            weeks.entry(-(before / 7)).or_default().push(value);
        }
    }
    weeks
}

/// Change of the trend over the whole series.
#[expect(clippy::cast_precision_loss, reason = "at most 26 weeks")]
fn change(values: &[f64]) -> Option<f64> {
    let all: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
    Some(slope(&all)? * (values.len() as f64 - 1.0))
}

fn significant_decline(values: &[f64], worse: f64) -> Option<Decline> {
    let trend = mann_kendall(values)?;
    let quarter = (values.len() / 4).max(2);
    let is_fall = trend.z * worse > 0.0 && trend.p < SIGNIFICANT;
    is_fall.then_some(Decline {
        from: mean(&values[..quarter])?,
        to: mean(&values[values.len() - quarter..])?,
        p: trend.p,
        weeks: values.len(),
    })
}
