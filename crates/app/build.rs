//! Lets the linker keep one of all functions with the same instructions, where it can: a twentieth of the program.
//! rustc links with LLD on this target; other linkers do not know the option.
#![expect(
    clippy::disallowed_methods,
    reason = "Cargo tells a build script what is built in its environment"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_for_production = env::var("CARGO_FEATURE_DIST").is_ok();
    let is_linked_by_lld = env::var("TARGET").as_deref() == Ok("x86_64-unknown-linux-gnu");
    if is_for_production && is_linked_by_lld {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}
