mod ai;
mod matching;
mod rules;

pub use ai::AiRobots;
pub use rules::{MAX_BYTES, RobotsRules};
