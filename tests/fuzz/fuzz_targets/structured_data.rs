//! The property `structured_data` (`tests/properties/src/structured_data.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::hold("structured_data", bytes));
