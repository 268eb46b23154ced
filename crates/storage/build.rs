//! Migrations are compiled in: a new one is a reason to build anew.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
