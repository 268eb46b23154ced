use crate::ctr::{PageClicks, Placement};

pub const STRIKING_DISTANCE: std::ops::RangeInclusive<u32> = 4..=20;

pub const TARGET: u32 = 3;
pub const BRANDED_TARGET: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opportunity {
    pub target: u32,
    /// Added share of searches; 0 if the target is reached.
    pub ctr_gain: f64,
}

pub fn opportunity(
    position: Option<u32>,
    current: f64,
    clicks: &PageClicks<'_>,
    is_branded: bool,
) -> Opportunity {
    let target = if is_branded { BRANDED_TARGET } else { TARGET };
    let reached = position.is_some_and(|position| position <= target);
    let gain = clicks.at(Placement::plain(target)) - current;
    Opportunity {
        target,
        ctr_gain: if reached { 0.0 } else { gain.max(0.0) },
    }
}

impl Opportunity {
    /// Per month: volume · gain · √(1 − difficulty/100). `None` without difficulty or volume.
    pub fn clicks(ctr_gain: f64, volume: Option<u64>, difficulty: Option<f64>) -> Option<f64> {
        let ease = (1.0 - difficulty?.clamp(0.0, 100.0) / 100.0).sqrt();
        #[expect(clippy::cast_precision_loss, reason = "volumes are far below 2^52")]
        let volume = volume? as f64;
        Some(volume * ctr_gain * ease)
    }
}

pub fn in_striking_distance(position: Option<u32>) -> bool {
    position.is_some_and(|position| STRIKING_DISTANCE.contains(&position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctr::{ClickCurve, SerpLayout};
    use crate::observation::search_page::FeatureCoverage;

    #[test]
    fn the_gain_is_that_of_the_target_on_the_same_page() {
        let layout = SerpLayout::new(Vec::new(), FeatureCoverage::Partial, None);
        let clicks = PageClicks::new(ClickCurve::published(), &layout);
        let found = opportunity(Some(8), 0.032, &clicks, false);
        assert_eq!(found.target, 3);
        assert!((found.ctr_gain - 0.078).abs() < 1e-12);
        let branded = opportunity(Some(2), 0.157, &clicks, true);
        assert!((branded.ctr_gain - 0.128).abs() < 1e-12);
        assert!(opportunity(Some(2), 0.157, &clicks, false).ctr_gain.abs() < 1e-12);
        let clicks = Opportunity::clicks(0.078, Some(1000), Some(36.0)).unwrap();
        assert!((clicks - 62.4).abs() < 1e-9);
        assert_eq!(Opportunity::clicks(0.078, Some(1000), None), None);
        assert_eq!(Opportunity::clicks(0.078, None, Some(1.0)), None);
    }

    #[test]
    fn striking_distance_is_four_to_twenty() {
        let within = |position| in_striking_distance(Some(position));
        assert!(within(4) && within(20) && !within(3) && !within(21));
        assert!(!in_striking_distance(None));
    }
}
