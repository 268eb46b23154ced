mod list;
mod start;
mod view;

pub(crate) use list::ListAnalyses;
pub use list::{LIST_LIMITS, list};
#[cfg(test)]
pub(crate) use start::StartAnalysis;
pub use start::{start, start_schema};
pub use view::{JobErrorView, JobView, MoneyView, ProgressView, QueueView, StageView};
