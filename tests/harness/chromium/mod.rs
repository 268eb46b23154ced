//! A real browser, driven in the words of a person: open, click what is called so, type, press, read.
//!
//! Debian's Chromium, one process for all tests of a process, a context of its own (cookies, cache,
//! storage) for each test. The driver is ours, as the lab's of the crawler is: the crate
//! `chromiumoxide` (0.9) brings 222,000 generated lines of the protocol, which alone take a cold build on
//! two cores several minutes, and types of one fixed revision of it; a message of a newer Chromium that it
//! does not know is dropped (its issue 243), and Debian's Chromium is a newer one every few weeks. Here
//! messages are JSON, and only what is asked for is read.
//!
//! `wire.rs` speaks the protocol, `heard.rs` keeps what the browser complains about, `tab.rs` is what a
//! person does, `finding.rs` finds things by role and name as a screen reader tells them, `keys.rs` presses
//! keys, `axe.rs` holds pages to the rules of accessibility.
//!
//! Deliberately absent: fixed pauses. Everything waits for what it needs, up to [`PATIENCE`].

mod axe;
mod finding;
mod heard;
mod keys;
mod process;
mod tab;
mod wire;

pub use heard::Sent;
pub use tab::{PATIENCE, Tab};
