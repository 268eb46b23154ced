//! A measured series on a calendar: one point a day or week, small gaps filled.

use super::transform::Scale;
use chrono::{Days, NaiveDate};

/// Days or weeks; older ones are ignored.
const MAX_POINTS: usize = 400;
/// In points; wider gaps end the history.
const MAX_GAP: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    pub date: NaiveDate,
    pub value: ObservedValue,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ObservedValue {
    Value(f64),
    /// Not ranked within the checked depth.
    BelowDepth,
    /// Failed, or not measured.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    Daily,
    Weekly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeasonalPeriod {
    /// In points.
    pub period: usize,
    pub min_points: usize,
}

/// On the scale of the forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub frequency: Frequency,
    pub end: NaiveDate,
    /// Oldest first; gaps are filled linearly.
    pub points: Vec<HistoryPoint>,
    pub seasonal_period: SeasonalPeriod,
    /// Older values before a wide gap were dropped.
    pub cut_at_gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryPoint {
    pub z: f64,
    /// False if filled in.
    pub measured: bool,
    /// Only known to be below the checked depth.
    pub below_depth: bool,
}

impl Frequency {
    /// By the median interval; `None` above ten days, or with fewer than two days.
    pub fn of(observations: &[Observation]) -> Option<Self> {
        let mut days: Vec<NaiveDate> = observations
            .iter()
            .filter(|it| it.value.is_known())
            .map(|it| it.date)
            .collect();
        days.sort_unstable();
        days.dedup();
        let mut distances: Vec<i64> = days
            .windows(2)
            .map(|it| (it[1] - it[0]).num_days())
            .collect();
        distances.sort_unstable();
        match distances.get(distances.len() / 2)? {
            ..=3 => Some(Self::Daily),
            4..=10 => Some(Self::Weekly),
            _ => None,
        }
    }

    pub const fn days(self) -> u32 {
        match self {
            Self::Daily => 1,
            Self::Weekly => 7,
        }
    }

    pub const fn min_points(self) -> usize {
        match self {
            Self::Daily => 14,
            Self::Weekly => 8,
        }
    }

    /// Period 7 days from four weeks on, 52 weeks from two years on.
    const fn seasonal_period(self) -> SeasonalPeriod {
        match self {
            Self::Daily => SeasonalPeriod {
                period: 7,
                min_points: 28,
            },
            Self::Weekly => SeasonalPeriod {
                period: 52,
                min_points: 104,
            },
        }
    }

    /// At most 90 days or 12 weeks, and half of the history.
    pub fn max_horizon(self, places: usize) -> usize {
        let max_steps = match self {
            Self::Daily => 90,
            Self::Weekly => 12,
        };
        max_steps.min(places / 2)
    }
}

impl ObservedValue {
    fn is_known(self) -> bool {
        match self {
            Self::Value(value) => value.is_finite(),
            Self::BelowDepth => true,
            Self::Missing => false,
        }
    }
}

impl History {
    /// `observations` in any order; of several on a day or week the last given counts. Gaps of up to two points are
    /// filled linearly; values before a wider gap are dropped. `None` without a value.
    pub fn of(observations: &[Observation], frequency: Frequency, scale: Scale) -> Option<Self> {
        let seen = || observations.iter().filter(|it| it.value.is_known());
        let end = seen().map(|it| it.date).max()?;
        let mut slots: Vec<Option<HistoryPoint>> = vec![None; MAX_POINTS];
        for observation in seen() {
            let days = (end - observation.date).num_days();
            // A weekly measurement counts for its week also if a few days early or late.
            let length = i64::from(frequency.days());
            let slot = usize::try_from((days + length / 2) / length).unwrap_or(MAX_POINTS);
            if let Some(slot) = slots.get_mut(slot) {
                *slot = Some(observation.at_scale(scale));
            }
        }
        let (mut places, cut_at_gap) = fill_gaps(&slots);
        places.reverse();
        Some(Self {
            frequency,
            end,
            points: places,
            seasonal_period: frequency.seasonal_period(),
            cut_at_gap,
        })
    }

    /// 1: no season.
    pub const fn period(&self, places: usize) -> usize {
        if places >= self.seasonal_period.min_points {
            self.seasonal_period.period
        } else {
            1
        }
    }

    pub fn values(&self) -> Vec<f64> {
        self.points.iter().map(|it| it.z).collect()
    }

    pub fn measured(&self) -> usize {
        self.points.iter().filter(|it| it.measured).count()
    }

    pub fn below_depth(&self) -> usize {
        self.points.iter().filter(|it| it.below_depth).count()
    }

    /// Later indices are in the future.
    pub fn date(&self, place: usize) -> NaiveDate {
        let length = u64::from(self.frequency.days());
        let last = self.points.len().saturating_sub(1);
        let moved = if place >= last {
            self.end
                .checked_add_days(Days::new((place - last) as u64 * length))
        } else {
            self.end
                .checked_sub_days(Days::new((last - place) as u64 * length))
        };
        moved.unwrap_or(self.end)
    }

    pub fn drop_before(&mut self, place: usize) {
        self.points.drain(..place.min(self.points.len()));
    }
}

impl Observation {
    fn at_scale(&self, scale: Scale) -> HistoryPoint {
        let value = match self.value {
            ObservedValue::Value(value) => value,
            // The scale clamps it to the deepest position.
            _ => f64::MAX,
        };
        HistoryPoint {
            z: scale.forward(value),
            measured: true,
            below_depth: self.value == ObservedValue::BelowDepth,
        }
    }
}

/// Newest first, and whether values before a wide gap were dropped.
fn fill_gaps(slots: &[Option<HistoryPoint>]) -> (Vec<HistoryPoint>, bool) {
    let mut places: Vec<HistoryPoint> = Vec::new();
    let mut empty = 0;
    for slot in slots {
        let Some(place) = slot else {
            empty += 1;
            continue;
        };
        if empty > MAX_GAP {
            return (places, true);
        }
        if let Some(newer) = places.last().copied() {
            let parts = f64::from(u8::try_from(empty + 1).unwrap_or(u8::MAX));
            for part in 1..=empty {
                let share = f64::from(u8::try_from(part).unwrap_or(u8::MAX)) / parts;
                places.push(HistoryPoint {
                    z: newer.z + share * (place.z - newer.z),
                    measured: false,
                    below_depth: false,
                });
            }
        }
        empty = 0;
        places.push(*place);
    }
    (places, false)
}
