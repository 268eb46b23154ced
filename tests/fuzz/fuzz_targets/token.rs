//! The property `token` (`tests/properties/src/token.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("token", bytes));
