//! A measured series on a calendar: one point a day or week, small gaps filled.

use super::transform::Scale;
use chrono::{Days, NaiveDate};

/// Days or weeks; older ones are ignored.
const MOST_PLACES: usize = 400;
/// In points; wider gaps end the history.
const WIDEST_GAP: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    pub date: NaiveDate,
    pub seen: Seen,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    Value(f64),
    /// Not ranked within the checked depth.
    BelowDepth,
    /// Failed, or not measured.
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    Daily,
    Weekly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// In points.
    pub period: usize,
    pub from: usize,
}

/// On the scale of the forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub frequency: Frequency,
    pub end: NaiveDate,
    /// Oldest first; gaps are filled linearly.
    pub places: Vec<Place>,
    pub rhythm: Rhythm,
    /// Older values before a wide gap were dropped.
    pub cut_at_gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
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
            .filter(|it| it.seen.is_something())
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

    pub const fn least(self) -> usize {
        match self {
            Self::Daily => 14,
            Self::Weekly => 8,
        }
    }

    /// Period 7 days from four weeks on, 52 weeks from two years on.
    const fn rhythm(self) -> Rhythm {
        match self {
            Self::Daily => Rhythm {
                period: 7,
                from: 28,
            },
            Self::Weekly => Rhythm {
                period: 52,
                from: 104,
            },
        }
    }

    /// At most 90 days or 12 weeks, and half of the history.
    pub fn farthest(self, places: usize) -> usize {
        let most = match self {
            Self::Daily => 90,
            Self::Weekly => 12,
        };
        most.min(places / 2)
    }
}

impl Seen {
    fn is_something(self) -> bool {
        match self {
            Self::Value(value) => value.is_finite(),
            Self::BelowDepth => true,
            Self::Nothing => false,
        }
    }
}

impl History {
    /// `observations` in any order; of several on a day or week the last given counts. Gaps of up to two points are
    /// filled linearly; values before a wider gap are dropped. `None` without a value.
    pub fn of(observations: &[Observation], frequency: Frequency, scale: Scale) -> Option<Self> {
        let seen = || observations.iter().filter(|it| it.seen.is_something());
        let end = seen().map(|it| it.date).max()?;
        let mut slots: Vec<Option<Place>> = vec![None; MOST_PLACES];
        for observation in seen() {
            let days = (end - observation.date).num_days();
            // A weekly measurement counts for its week also if a few days early or late.
            let length = i64::from(frequency.days());
            let slot = usize::try_from((days + length / 2) / length).unwrap_or(MOST_PLACES);
            if let Some(slot) = slots.get_mut(slot) {
                *slot = Some(observation.place(scale));
            }
        }
        let (mut places, cut_at_gap) = bridge(&slots);
        places.reverse();
        Some(Self {
            frequency,
            end,
            places,
            rhythm: frequency.rhythm(),
            cut_at_gap,
        })
    }

    /// 1: no season.
    pub const fn period(&self, places: usize) -> usize {
        if places >= self.rhythm.from {
            self.rhythm.period
        } else {
            1
        }
    }

    pub fn values(&self) -> Vec<f64> {
        self.places.iter().map(|it| it.z).collect()
    }

    pub fn measured(&self) -> usize {
        self.places.iter().filter(|it| it.measured).count()
    }

    pub fn below_depth(&self) -> usize {
        self.places.iter().filter(|it| it.below_depth).count()
    }

    /// Later indices are in the future.
    pub fn date(&self, place: usize) -> NaiveDate {
        let length = u64::from(self.frequency.days());
        let last = self.places.len().saturating_sub(1);
        let moved = if place >= last {
            self.end
                .checked_add_days(Days::new((place - last) as u64 * length))
        } else {
            self.end
                .checked_sub_days(Days::new((last - place) as u64 * length))
        };
        moved.unwrap_or(self.end)
    }

    pub fn begin_at(&mut self, place: usize) {
        self.places.drain(..place.min(self.places.len()));
    }
}

impl Observation {
    fn place(&self, scale: Scale) -> Place {
        let value = match self.seen {
            Seen::Value(value) => value,
            // The scale clamps it to the deepest position.
            _ => f64::MAX,
        };
        Place {
            z: scale.forward(value),
            measured: true,
            below_depth: self.seen == Seen::BelowDepth,
        }
    }
}

/// Newest first, and whether values before a wide gap were dropped.
fn bridge(slots: &[Option<Place>]) -> (Vec<Place>, bool) {
    let mut places: Vec<Place> = Vec::new();
    let mut empty = 0;
    for slot in slots {
        let Some(place) = slot else {
            empty += 1;
            continue;
        };
        if empty > WIDEST_GAP {
            return (places, true);
        }
        if let Some(newer) = places.last().copied() {
            let parts = f64::from(u8::try_from(empty + 1).unwrap_or(u8::MAX));
            for part in 1..=empty {
                let share = f64::from(u8::try_from(part).unwrap_or(u8::MAX)) / parts;
                places.push(Place {
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
