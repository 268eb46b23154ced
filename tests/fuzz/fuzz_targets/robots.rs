//! The property `robots` (`tests/properties/src/robots.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("robots", bytes));
