use crate::ToSchema;
use crate::statistics::describe::mean;
use crate::statistics::theil_sen::slope;
use serde::{Deserialize, Serialize};
use texts::findings::envelope::rounded;

/// Searches over the last twelve months.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Demand {
    /// Growth per year as a share of the mean, −1 to 1: the median slope (Theil–Sen) times twelve.
    #[serde(serialize_with = "rounded::fraction")]
    pub trend: f64,
    /// The month of the year with the most searches, 1 to 12; null when all are alike.
    pub peak_month: Option<u32>,
}

pub const MIN_MONTHS: usize = 6;

/// From (month, searches), oldest first; the last twelve count. `None` without searches or below [`MIN_MONTHS`].
#[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
pub fn demand(months: &[(u32, Option<u64>)]) -> Option<Demand> {
    let year = &months[months.len().saturating_sub(12)..];
    let volumes: Vec<Option<f64>> = year.iter().map(|(_, it)| it.map(|it| it as f64)).collect();
    let known: Vec<f64> = volumes.iter().flatten().copied().collect();
    let mean = mean(&known).filter(|mean| known.len() >= MIN_MONTHS && *mean > 0.0)?;
    let peak_volume = year.iter().filter_map(|(_, it)| *it).max()?;
    let is_flat = year
        .iter()
        .filter_map(|(_, it)| *it)
        .all(|it| it == peak_volume);
    let peak = year.iter().find(|(_, it)| *it == Some(peak_volume));
    Some(Demand {
        trend: (12.0 * slope(&volumes)? / mean).clamp(-1.0, 1.0),
        peak_month: peak.filter(|_| !is_flat).map(|(month, _)| *month),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn months(volumes: &[u64]) -> Vec<(u32, Option<u64>)> {
        (1..).zip(volumes.iter().map(|it| Some(*it))).collect()
    }

    #[test]
    fn growth_is_relative_and_robust_to_one_peak() {
        let mut volumes: Vec<u64> = (0..12).map(|month| 100 + 2 * month).collect();
        let growing = demand(&months(&volumes)).unwrap();
        assert!((growing.trend - 24.0 / 111.0).abs() < 1e-12);
        volumes[10] = 900;
        let peaked = demand(&months(&volumes)).unwrap();
        assert_eq!(peaked.peak_month, Some(11));
        assert!(peaked.trend > 0.0 && peaked.trend < 0.25);
    }

    #[test]
    fn short_series_have_no_trend_and_flat_ones_no_peak() {
        assert_eq!(demand(&months(&[5, 5, 5, 5, 5])), None);
        assert_eq!(demand(&months(&[0; 12])), None);
        let flat = demand(&months(&[7; 12])).unwrap();
        assert_eq!((flat.peak_month, flat.trend.to_bits()), (None, 0));
        assert_eq!(
            demand(&months(&[1, 9, 90, 900, 1, 9, 90, 900])).map(|it| it.peak_month),
            Some(Some(4))
        );
    }
}
