//! robots.txt: whose rules hold, and what they allow.

mod cache;
mod matching;
mod rules;

pub use cache::{RobotsCache, fetch_robots};
pub use rules::RobotsRules;
