//! The property `search_console` (`tests/properties/src/search_console.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("search_console", bytes));
