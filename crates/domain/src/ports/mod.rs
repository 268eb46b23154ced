//! What the domain asks of the world. Adapters implement these; none of them names another.

pub mod accounts;
pub mod audit;
pub mod call_journal;
pub mod clock;
pub mod console_bindings;
pub mod console_rows;
pub mod idempotency;
pub mod jobs;
pub mod kept_pages;
pub mod keywords;
pub mod measurements;
pub mod owners_words;
pub mod page_speed;
pub mod paid_calls;
pub mod projects;
pub mod randomness;
pub mod results;
pub mod schedules;
pub mod search_console;
pub mod search_results;
pub mod secrets;
pub mod site_door;
pub mod site_reader;
pub mod spending;
pub mod storage;
pub mod tokens;
