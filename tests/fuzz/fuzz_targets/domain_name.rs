//! The property `domain_name` (`tests/properties/src/domain_name.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("domain_name", bytes));
