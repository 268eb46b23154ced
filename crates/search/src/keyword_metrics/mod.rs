mod links;
mod opportunity;
mod priority;
mod seasonality;
mod trend;

pub use links::{difficulty_from_links, difficulty_from_mean};
pub use opportunity::{
    BRANDED_TARGET, Opportunity, STRIKING_DISTANCE, TARGET, in_striking_distance, opportunity,
};
pub use priority::{
    MissingPart, Priority, PriorityInput, WEIGHTS, Weights, intent_weight, priorities,
};
pub use seasonality::{VolumeChange, last_year, peak_months, volume_change};
pub use trend::{Demand, MIN_MONTHS, demand};
