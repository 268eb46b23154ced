//! Methods that continue a series, each on its own.
//!
//! All take a series without gaps in any unit, oldest value first, and answer with the next values
//! in that unit. They know no seasons: what repeats is taken out before and put back after.

mod damped;
mod naive;
mod ses;
mod theta;

pub use damped::Damped;
pub use naive::{naive, naive_deviations, random_walk_with_drift, seasonal_naive};
pub use ses::Ses;
pub use theta::{Theta, ThetaKind};
