use domain::ports::randomness::Randomness;
use std::{sync::Arc, time::Duration};

/// Random delays, so that callers that failed together do not retry together.
#[derive(Clone)]
pub(super) struct Jitter(pub Arc<dyn Randomness>);

impl Jitter {
    /// Uniform between 0 and `longest`.
    pub(super) fn up_to(&self, longest: Duration) -> Duration {
        longest.mul_f64(self.share())
    }

    /// Within 20 % of `middle`.
    pub(super) fn around(&self, middle: Duration) -> Duration {
        middle.mul_f64(0.8 + 0.4 * self.share())
    }

    fn share(&self) -> f64 {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}
