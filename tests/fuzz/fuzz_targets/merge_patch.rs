//! The property `merge_patch` (`tests/properties/src/merge_patch.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("merge_patch", bytes));
