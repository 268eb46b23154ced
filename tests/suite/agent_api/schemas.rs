//! The served schemas equal those derived from the types.

use std::path::Path;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/web/src/contract/schemas.json"
);

#[test]
fn the_schema_file_matches_the_derived_schemas() {
    let derived = web::openapi::derived();
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas.json");
    std::fs::write(&fresh, &derived).unwrap();
    let served = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        served == derived,
        "a type has changed, and its schema has not: cp {} {FILE}",
        fresh.display()
    );
}
