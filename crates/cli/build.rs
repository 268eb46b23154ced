//! Linker arguments for production. `--icf=all` (LLD, this target only) merges functions with the same instructions, a
//! twentieth of the program. `--strip-all`: Cargo 1.95 ignores a profile's `strip` for a package with its own
//! `opt-level`.
#![expect(
    clippy::disallowed_methods,
    reason = "Cargo passes to a build script what is built in its environment"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(optimized)");
    // Only the profile `dist` optimizes cli.
    if env::var("OPT_LEVEL").is_ok_and(|it| it != "0") {
        println!("cargo::rustc-cfg=optimized");
    }
    let is_for_production = env::var("CARGO_FEATURE_DIST").is_ok();
    let target = env::var("TARGET").unwrap_or_default();
    if is_for_production && target.contains("-linux-") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
    if is_for_production && target == "x86_64-unknown-linux-gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    }
}
