mod clusters;
mod links;
mod opportunity;
mod priority;
mod seasons;
mod trend;

pub use clusters::{Clusters, LEAST_SHARED, TopPage, clusters, likeness};
pub use links::{difficulty_from_links, difficulty_from_mean};
pub use opportunity::{Opportunity, STRIKING_DISTANCE, in_striking_distance, opportunity};
pub use priority::{MissingPart, Priority, PriorityInput, priorities};
pub use seasons::{VolumeChange, last_year, peak_months, volume_change};
pub use trend::{Demand, demand};
