//! Methods take a series without gaps or season, oldest first, and forecast in its unit.

mod damped;
mod naive;
mod ses;
mod theta;

pub use damped::Damped;
pub use naive::{naive, naive_deviations, random_walk_with_drift, seasonal_naive};
pub use ses::Ses;
pub use theta::{Theta, ThetaKind};
