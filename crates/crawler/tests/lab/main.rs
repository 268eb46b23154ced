//! Page speed measurement with a real browser, on well-behaved, slow and hostile pages.
//!
//! Needs Chromium, which `tests/run` installs (Debian's package `chromium`); without it each test prints a
//! message and is skipped.

#[cfg(test)]
#[path = "../sites/fault_server.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod fault_server;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod left_behind;
#[cfg(test)]
mod support;
#[cfg(test)]
mod without_browser;
