//! The property `html` (`tests/properties/src/html.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("html", bytes));
