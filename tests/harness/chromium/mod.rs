//! A real browser, driven in the words of a person: open, click what is called so, type, press, read.
//!
//! Debian's Chromium, one process for all tests of a process, a context of its own (cookies, cache,
//! storage) for each test. The process and the protocol are the crawler's (`crates/crawler/src/browser`,
//! decision 0026); what tests add is JSON, and only what is asked for is read.
//!
//! `browser.rs` starts the browser and shares it, `heard.rs` keeps what it complains about, `tab.rs` is what a
//! person does, `finding.rs` finds things by role and name as a screen reader tells them, `keys.rs` presses
//! keys, `axe.rs` holds pages to the rules of accessibility.
//!
//! Deliberately absent: fixed pauses. Everything waits for what it needs, up to [`PATIENCE`].

mod axe;
mod browser;
mod finding;
mod heard;
mod keys;
mod tab;

pub use heard::Sent;
pub use tab::{PATIENCE, Tab};
