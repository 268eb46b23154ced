//! The property `owners_texts` (`tests/properties/src/owners_texts.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("owners_texts", bytes));
