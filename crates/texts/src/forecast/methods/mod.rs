//! Each method takes a series without gaps, oldest first, and forecasts in its unit.
//! Methods ignore seasons, which are removed before and restored after.

mod damped;
mod naive;
mod ses;
mod theta;

pub use damped::Damped;
pub use naive::{naive, naive_deviations, random_walk_with_drift, seasonal_naive};
pub use ses::Ses;
pub use theta::{Theta, ThetaKind};
