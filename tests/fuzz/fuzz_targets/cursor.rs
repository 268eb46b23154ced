//! The property `cursor` (`tests/properties/src/cursor.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("cursor", bytes));
