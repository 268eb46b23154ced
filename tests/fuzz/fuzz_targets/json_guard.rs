//! The property `json_guard` (`tests/properties/src/json_guard.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("json_guard", bytes));
