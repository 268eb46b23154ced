//! The property `addresses` (`tests/properties/src/addresses.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("addresses", bytes));
