//! The property `retry_after` (`tests/properties/src/retry_after.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("retry_after", bytes));
