//! The property `mcp` (`tests/properties/src/mcp.rs`).
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::check_named("mcp", bytes));
