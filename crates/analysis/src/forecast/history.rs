//! A series as it was measured, laid on a calendar: one place a day or a week, small gaps filled.

use super::transform::Scale;
use chrono::{Days, NaiveDate};

/// More than this is not looked at: 400 days or weeks.
const MOST_PLACES: usize = 400;
/// Longer gaps are not bridged.
const WIDEST_GAP: usize = 2;

/// What was seen on a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The day.
    pub date: NaiveDate,
    /// What was seen.
    pub seen: Seen,
}

/// What came of a measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    /// This value.
    Value(f64),
    /// Not ranked: somewhere below the depth that was looked at.
    BelowDepth,
    /// Nothing: the measurement failed or was not made.
    Nothing,
}

/// How far apart the places of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Frequency {
    /// A day.
    Daily,
    /// A week.
    Weekly,
}

/// With what period a series may repeat, and from what length on that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// Places after which it repeats.
    pub period: usize,
    /// The least number of places.
    pub from: usize,
}

/// A series on a calendar, on the scale on which it is forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// Days or weeks.
    pub frequency: Frequency,
    /// The day of the last value.
    pub end: NaiveDate,
    /// One for each place, oldest first; gaps are filled with straight lines.
    pub places: Vec<Place>,
    /// How it may repeat.
    pub rhythm: Rhythm,
    /// Whether older values lie beyond a gap that is too wide, and were left out.
    pub cut_at_gap: bool,
}

/// A day or a week of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// On the scale on which it is forecast.
    pub z: f64,
    /// Whether it was measured, or filled in.
    pub measured: bool,
    /// Whether all that is known is that it lay below the depth.
    pub below_depth: bool,
}

impl Frequency {
    /// How often a series was measured, by the median distance of its days; `None` when that is
    /// more than ten days, or there are no two days.
    #[must_use]
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

    /// How many days a place has.
    #[must_use]
    pub const fn days(self) -> u32 {
        match self {
            Self::Daily => 1,
            Self::Weekly => 7,
        }
    }

    /// The fewest measurements that a forecast is made of.
    #[must_use]
    pub const fn least(self) -> usize {
        match self {
            Self::Daily => 14,
            Self::Weekly => 8,
        }
    }

    /// A week of days from four weeks on, a year of weeks from two years on.
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

    /// The farthest a forecast reaches: 90 days, and no farther than half of the history is long.
    #[must_use]
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
    /// Lays observations, in any order, on a calendar that ends with the last of them.
    ///
    /// Of several on a place the last given counts. Up to two empty places in a row are filled with
    /// straight lines; what lies before a wider gap is left out. `None` when nothing was seen.
    #[must_use]
    pub fn of(observations: &[Observation], frequency: Frequency, scale: Scale) -> Option<Self> {
        let seen = || observations.iter().filter(|it| it.seen.is_something());
        let end = seen().map(|it| it.date).max()?;
        let mut slots: Vec<Option<Place>> = vec![None; MOST_PLACES];
        for observation in seen() {
            let days = (end - observation.date).num_days();
            // A weekly measurement that comes a few days early or late belongs to its week.
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

    /// With what period a series of so many places may repeat; 1 is none.
    #[must_use]
    pub const fn period(&self, places: usize) -> usize {
        if places >= self.rhythm.from {
            self.rhythm.period
        } else {
            1
        }
    }

    /// The values alone.
    #[must_use]
    pub fn values(&self) -> Vec<f64> {
        self.places.iter().map(|it| it.z).collect()
    }

    /// How many places were measured.
    #[must_use]
    pub fn measured(&self) -> usize {
        self.places.iter().filter(|it| it.measured).count()
    }

    /// How many of the measured places are below the depth.
    #[must_use]
    pub fn below_depth(&self) -> usize {
        self.places.iter().filter(|it| it.below_depth).count()
    }

    /// The day of a place; places after the last are those to come.
    #[must_use]
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

    /// Leaves out what lies before a place.
    pub fn begin_at(&mut self, place: usize) {
        self.places.drain(..place.min(self.places.len()));
    }
}

impl Observation {
    fn place(&self, scale: Scale) -> Place {
        let value = match self.seen {
            Seen::Value(value) => value,
            // The deepest possible position: the scale clamps it.
            _ => f64::MAX,
        };
        Place {
            z: scale.forward(value),
            measured: true,
            below_depth: self.seen == Seen::BelowDepth,
        }
    }
}

/// The newest places without gaps, newest first, and whether more lie beyond a wide gap.
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
