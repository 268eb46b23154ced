use super::record::{ForecastTarget, ForecastUnit};
use crate::forecast::{project::Projection, transform::Scale};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Position {
        depth: u32,
    },
    VisibilityIndex {
        /// Keywords behind each value.
        keywords: u32,
    },
    /// Expected clicks per month.
    EstimatedTraffic,
    MentionRate {
        /// Answers behind each value.
        answers: u32,
    },
    /// Clicks in Search Console.
    Clicks,
}

impl Quantity {
    pub(super) const fn scale(self) -> Scale {
        match self {
            Self::Position { depth } => Scale::Position { depth },
            Self::VisibilityIndex { keywords } => Scale::Index { trials: keywords },
            Self::EstimatedTraffic | Self::Clicks => Scale::Count,
            Self::MentionRate { answers } => Scale::Share { trials: answers },
        }
    }

    pub(super) const fn target(self) -> (ForecastTarget, ForecastUnit) {
        match self {
            Self::Position { .. } => (ForecastTarget::Position, ForecastUnit::Position),
            Self::VisibilityIndex { .. } => (ForecastTarget::VisibilityIndex, ForecastUnit::Index),
            Self::EstimatedTraffic => (
                ForecastTarget::EstimatedTraffic,
                ForecastUnit::ClicksPerMonth,
            ),
            Self::MentionRate { .. } => (ForecastTarget::MentionRate, ForecastUnit::Share),
            Self::Clicks => (ForecastTarget::Clicks, ForecastUnit::Clicks),
        }
    }

    /// The probability to reach `threshold` at the horizon; `None` if unknown. Position k means values that round to k.
    /// Positions are censored at the depth, so the probability to rank within the depth is unknown.
    pub(super) fn probability(self, projection: &Projection, threshold: f64) -> Option<f64> {
        match self {
            Self::Position { depth } => (1.0..f64::from(depth))
                .contains(&threshold)
                .then(|| projection.cumulative_probability(threshold + 0.5)),
            _ => threshold
                .is_finite()
                .then(|| 1.0 - projection.cumulative_probability(threshold)),
        }
    }
}
