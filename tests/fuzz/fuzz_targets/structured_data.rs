//! The property `structured_data` (`tests/properties/src/structured_data.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("structured_data", bytes));
