//! Rebuilds when a migration is added: migrations are compiled in.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
}
