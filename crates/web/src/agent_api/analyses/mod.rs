mod list;
mod start;
mod view;

pub use list::{LIST_LIMITS, list};
pub use start::{FIELDS as START_FIELDS, start};
pub use view::{JobErrorView, JobView, MoneyView, ProgressView, QueueView, StageView};

/// Seconds after which an unfinished analysis is worth another look.
pub const LOOK_AGAIN: &str = "2";
pub const KINDS: [&str; 5] = [
    "rankCheck",
    "aiVisibility",
    "siteAudit",
    "webVitals",
    "full",
];
pub const JOB_PRIORITIES: [&str; 3] = ["low", "normal", "high"];
pub const JOB_STATUSES: [&str; 7] = [
    "queued",
    "running",
    "retrying",
    "succeeded",
    "partial",
    "failed",
    "canceled",
];
