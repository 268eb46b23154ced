use domain::ports::randomness::Randomness;
use std::{sync::Arc, time::Duration};

/// Draws random durations, so that callers who failed together do not come back together.
#[derive(Clone)]
pub(super) struct Jitter(pub Arc<dyn Randomness>);

impl Jitter {
    /// Anything from nothing to the whole.
    pub(super) fn up_to(&self, longest: Duration) -> Duration {
        longest.mul_f64(self.share())
    }

    /// The duration, give or take a fifth.
    pub(super) fn around(&self, middle: Duration) -> Duration {
        middle.mul_f64(0.8 + 0.4 * self.share())
    }

    fn share(&self) -> f64 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}
