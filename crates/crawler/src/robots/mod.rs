mod ai;
mod cache;
mod matching;
mod rules;

pub use ai::AiRobots;
pub use cache::{Permission, RobotsCache, fetch_robots};
pub use rules::RobotsRules;
