mod ai;
mod matching;
mod rules;

pub use ai::AiRobots;
pub use rules::{MOST_BYTES, RobotsRules};
