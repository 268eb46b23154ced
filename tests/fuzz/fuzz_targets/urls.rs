//! The property `urls` (`tests/properties/src/urls.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("urls", bytes));
