//! A real browser, driven like a person does: open, click by name, type, press keys, read.
//!
//! Debian's Chromium, one process for all tests of a test program, with a context (cookies, cache, storage) for each
//! test. Process and protocol are the crawler's (`crates/crawler/src/browser`, decision 0026).
//!
//! There are no fixed pauses: every step waits for its condition, up to [`TIMEOUT`].

mod accessibility;
mod axe;
mod browser;
mod events;
mod keys;
mod tab;

pub use events::SentRequest;
pub use tab::{TIMEOUT, Tab};
