//! The property `robots` (`tests/properties/src/robots.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::hold("robots", bytes));
