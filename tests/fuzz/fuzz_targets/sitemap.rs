//! The property `sitemap` (`tests/properties/src/sitemap.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("sitemap", bytes));
