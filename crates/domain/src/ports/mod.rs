//! What the domain asks of the world. Adapters implement these; none of them names another.

pub mod clock;
pub mod randomness;
pub mod search_results;
pub mod site_reader;
