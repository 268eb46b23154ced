//! Seasonality of demand over the last year. Definitions are ours.

use crate::{ToSchema, observation::keyword_research::MonthlyVolume, statistics::describe::mean};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texts::findings::envelope::rounded;

const YEAR: i64 = 12;
/// Minimum of a peak, as a share of the largest month.
const PEAK_SHARE_OF_MAX: f64 = 0.9;
/// Minimum of a peak, as a multiple of the mean.
const PEAK_MULTIPLE_OF_MEAN: f64 = 1.1;

/// How searches changed, as fractions: 0.25 is a quarter more, −0.5 half as many. Null where a month
/// is unknown, or where there was nothing before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VolumeChange {
    /// The last month against the one before.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub month: Option<f64>,
    /// The mean of the last three months against that of the three before.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub quarter: Option<f64>,
    /// The last month against the same month a year before.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub year: Option<f64>,
}

/// Twelve calendar months up to the newest known, oldest first, with gaps unknown. `None` if no month is known.
pub fn last_year(months: &[MonthlyVolume]) -> Option<Vec<MonthlyVolume>> {
    let known = by_month(months);
    let (newest, _) = known.last_key_value()?;
    let year = (newest - YEAR + 1..=*newest).map(|at| MonthlyVolume {
        year: i32::try_from(at.div_euclid(YEAR)).unwrap_or(i32::MAX),
        month: u32::try_from(at.rem_euclid(YEAR) + 1).unwrap_or(1),
        volume: known.get(&at).copied(),
    });
    Some(year.collect())
}

/// Up to the newest known month.
pub fn volume_change(months: &[MonthlyVolume]) -> VolumeChange {
    let known = by_month(months);
    let Some((&newest, _)) = known.last_key_value() else {
        return VolumeChange::default();
    };
    let at = |back: i64| known.get(&(newest - back)).copied().map(counted);
    let quarter = |back: i64| {
        let three: Option<Vec<f64>> = (back..back + 3).map(at).collect();
        three.and_then(|it| mean(&it))
    };
    VolumeChange {
        month: change(at(0), at(1)),
        quarter: change(quarter(0), quarter(3)),
        year: change(at(0), at(YEAR)),
    }
}

/// Months 1 to 12, ascending, at least 90 % of the largest and 110 % of the mean. Empty without peaks; `None` unless
/// all of the last twelve are known.
pub fn peak_months(months: &[MonthlyVolume]) -> Option<Vec<u32>> {
    let year = last_year(months)?;
    let volumes: Option<Vec<f64>> = year.iter().map(|it| it.volume.map(counted)).collect();
    let volumes = volumes?;
    let mean = mean(&volumes)?;
    let peak_volume = volumes.iter().copied().fold(0.0, f64::max);
    let is_peak = |it: f64| {
        it >= PEAK_SHARE_OF_MAX * peak_volume
            && it >= PEAK_MULTIPLE_OF_MEAN * mean
            && peak_volume > 0.0
    };
    let peaks = year.iter().zip(&volumes).filter(|(_, it)| is_peak(**it));
    let mut peaks: Vec<u32> = peaks.map(|(month, _)| month.month).collect();
    peaks.sort_unstable();
    Some(peaks)
}

fn change(now: Option<f64>, before: Option<f64>) -> Option<f64> {
    let before = before.filter(|it| *it > 0.0)?;
    Some((now? - before) / before)
}

/// By number of months since year 0; of duplicates the last counts.
fn by_month(months: &[MonthlyVolume]) -> BTreeMap<i64, u64> {
    let known = months
        .iter()
        .filter(|it| (1..=12).contains(&it.month))
        .filter_map(|it| {
            let number = i64::from(it.year) * YEAR + i64::from(it.month) - 1;
            Some((number, it.volume?))
        });
    known.collect()
}

#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
fn counted(volume: u64) -> f64 {
    volume as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Months from November 2024 on.
    fn months(volumes: &[u64]) -> Vec<MonthlyVolume> {
        let at = |number: i64| MonthlyVolume {
            year: i32::try_from(number.div_euclid(YEAR)).unwrap(),
            month: u32::try_from(number.rem_euclid(YEAR) + 1).unwrap(),
            volume: None,
        };
        (2024 * YEAR + 10..)
            .zip(volumes)
            .map(|(number, volume)| MonthlyVolume {
                volume: Some(*volume),
                ..at(number)
            })
            .collect()
    }

    #[test]
    fn changes_are_fractions_of_what_was_before() {
        let mut known = months(&[80, 1, 1, 1, 1, 1, 1, 90, 110, 100, 150, 150, 120]);
        let found = volume_change(&known);
        assert!((found.month.unwrap() + 0.2).abs() < 1e-12);
        // 140 against 100.
        assert!((found.quarter.unwrap() - 0.4).abs() < 1e-12);
        assert!((found.year.unwrap() - 0.5).abs() < 1e-12);
        // The order does not matter, and twelve months have no earlier year.
        known.reverse();
        assert_eq!(volume_change(&known), found);
        known.pop();
        assert_eq!(volume_change(&known).year, None);
    }

    #[test]
    fn unknown_or_zero_earlier_volume_has_no_change() {
        assert_eq!(volume_change(&[]), VolumeChange::default());
        let found = volume_change(&months(&[0, 10]));
        assert_eq!((found.month, found.quarter), (None, None));
        let found = volume_change(&months(&[10, 0]));
        assert_eq!(found.month, Some(-1.0));
    }

    #[test]
    fn a_year_has_twelve_months_with_gaps() {
        let mut known = months(&[5, 6, 7]);
        known.remove(1);
        let year = last_year(&known).unwrap();
        assert_eq!(year.len(), 12);
        let first = year.first().unwrap();
        assert_eq!((first.year, first.month, first.volume), (2024, 2, None));
        let last: Vec<_> = year[9..]
            .iter()
            .map(|it| (it.year, it.month, it.volume))
            .collect();
        assert_eq!(
            last,
            [(2024, 11, Some(5)), (2024, 12, None), (2025, 1, Some(7))]
        );
        assert_eq!(last_year(&[]), None);
    }

    #[test]
    fn peaks_are_the_months_near_the_top_and_above_the_mean() {
        let gifts = months(&[95, 100, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20]);
        assert_eq!(peak_months(&gifts), Some(vec![11, 12]));
        assert_eq!(peak_months(&months(&[50; 12])), Some(vec![]));
        assert_eq!(peak_months(&months(&[0; 12])), Some(vec![]));
        assert_eq!(peak_months(&months(&[50; 11])), None);
    }

    proptest! {
        #[test]
        fn any_volumes_give_valid_changes(
            volumes in proptest::collection::vec(proptest::option::of(0_u64..10_000_000), 0..40)
        ) {
            let mut known = months(&vec![0; volumes.len()]);
            known.iter_mut().zip(&volumes).for_each(|(month, it)| month.volume = *it);
            let found = volume_change(&known);
            for change in [found.month, found.quarter, found.year].into_iter().flatten() {
                prop_assert!(change.is_finite() && change >= -1.0);
            }
            prop_assert!(last_year(&known).is_none_or(|it| it.len() == 12));
            prop_assert!(peak_months(&known).is_none_or(|it| it.len() <= 10));
        }
    }
}
