//! Crawls that render their pages in a real browser.
//!
//! They need Chromium, which `tests/run` installs (Debian's package `chromium`), and fail without it.

#[cfg(test)]
mod differences;
#[cfg(test)]
#[path = "../sites/fault_server.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod fault_server;
#[cfg(test)]
mod hostile;
#[cfg(test)]
#[path = "../lab/left_behind.rs"]
mod left_behind;
#[cfg(test)]
mod limits;
#[cfg(test)]
#[path = "../sites/support.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod sites;
#[cfg(test)]
mod support;
