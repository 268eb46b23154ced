//! Which profile is built, and arguments of the linker for production. `--icf=all` keeps one of all functions with the same instructions, a
//! twentieth of the program; rustc links with LLD on this target, and other linkers do not know it. `--strip-all` is
//! here because Cargo 1.95 ignores a profile's `strip` for a package that has an `opt-level` of its own.
#![expect(
    clippy::disallowed_methods,
    reason = "Cargo tells a build script what is built in its environment"
)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(optimized)");
    // Of the profiles only `dist` optimises cli.
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
