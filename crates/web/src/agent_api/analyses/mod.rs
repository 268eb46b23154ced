mod list;
mod start;
mod view;

pub use list::{LIST_LIMITS, list};
pub use start::{FIELDS as START_FIELDS, start};
pub use view::{JobErrorView, JobView, MoneyView, ProgressView, QueueView, StageView};

/// Seconds after which an unfinished analysis is worth another look.
pub const LOOK_AGAIN: &str = "2";
