//! Who may depend on whom: `docs/ARCHITECTURE.md` as a test.

use serde_json::Value;
use std::{collections::BTreeMap, process::Command};

/// Ours that each crate may name, and of the others those it must never name.
pub struct Layer {
    pub ours: &'static [&'static str],
    pub absent: &'static [&'static str],
}

const HTTP_SERVER: &str = "actix-web";
const IMPURE: &[&str] = &[
    "tokio",
    "async-trait",
    "diesel",
    HTTP_SERVER,
    "reqwest",
    "rand",
    "metrics",
];

/// The table of `docs/ARCHITECTURE.md`.
pub fn layers() -> BTreeMap<&'static str, Layer> {
    let layer = |ours, absent| Layer { ours, absent };
    BTreeMap::from([
        ("no-schema", layer(&[], &["utoipa", "serde"])),
        ("texts", layer(&["no-schema"], IMPURE)),
        ("site", layer(&["no-schema", "texts"], IMPURE)),
        ("search", layer(&["no-schema", "texts"], IMPURE)),
        (
            "setting",
            layer(&[], &["tokio", "diesel", HTTP_SERVER, "reqwest", "rand"]),
        ),
        (
            "analysis",
            layer(&["no-schema", "search", "site", "texts"], IMPURE),
        ),
        (
            "domain",
            layer(
                &["analysis"],
                &[
                    "serde",
                    "serde_json",
                    "tokio",
                    "diesel",
                    HTTP_SERVER,
                    "reqwest",
                    "rand",
                    "metrics",
                ],
            ),
        ),
        (
            "storage",
            layer(&["analysis", "domain"], &[HTTP_SERVER, "reqwest", "rand"]),
        ),
        (
            "providers",
            layer(
                &["analysis", "domain", "setting"],
                &["diesel", HTTP_SERVER, "rand"],
            ),
        ),
        (
            "crawler",
            layer(&["analysis", "domain"], &["diesel", HTTP_SERVER, "rand"]),
        ),
        (
            "passwords",
            layer(&["domain"], &["diesel", HTTP_SERVER, "reqwest", "rand"]),
        ),
        (
            "web",
            layer(
                &["analysis", "domain", "no-schema"],
                &["diesel", "reqwest", "rand", "diesel_migrations", "r2d2"],
            ),
        ),
        ("bridge", layer(&[], &["diesel", HTTP_SERVER, "rand"])),
        (
            "worker",
            layer(
                &["analysis", "crawler", "domain"],
                &["diesel", HTTP_SERVER, "reqwest", "rand"],
            ),
        ),
        (
            "app",
            layer(
                &[
                    "analysis",
                    "crawler",
                    "domain",
                    "passwords",
                    "providers",
                    "setting",
                    "storage",
                    "web",
                    "worker",
                ],
                &["diesel", "reqwest"],
            ),
        ),
        (
            "cli",
            layer(
                &[
                    "analysis",
                    "app",
                    "bridge",
                    "crawler",
                    "domain",
                    "no-schema",
                    "passwords",
                    "providers",
                    "search",
                    "site",
                    "setting",
                    "storage",
                    "texts",
                    "web",
                    "worker",
                ],
                &["diesel", "reqwest"],
            ),
        ),
    ])
}

fn packages() -> Vec<Value> {
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// What a package names in its manifest, tests apart.
fn named(package: &Value) -> Vec<String> {
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    let ordinary = dependencies.iter().filter(|it| it["kind"].is_null());
    ordinary
        .filter_map(|it| it["name"].as_str().map(str::to_owned))
        .collect()
}

fn offences(crate_name: &str, layer: &Layer, ours: &[String], named: &[String]) -> Vec<String> {
    let allowed = |name: &String| !ours.contains(name) || layer.ours.contains(&name.as_str());
    let absent = |name: &String| layer.absent.contains(&name.as_str());
    let is_offence = |name: &&String| !allowed(name) || absent(name);
    let told = |name: &String| format!("`{crate_name}` must not depend on `{name}`");
    named.iter().filter(is_offence).map(told).collect()
}

#[test]
fn every_crate_depends_only_on_what_its_layer_allows() {
    let packages = packages();
    let layers = layers();
    let ours: Vec<String> = layers.keys().map(ToString::to_string).collect();
    let mut found = Vec::new();
    for (name, layer) in &layers {
        let package = packages
            .iter()
            .find(|it| it["name"] == *name)
            .expect("a crate of the table");
        found.extend(offences(name, layer, &ours, &named(package)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_crate_of_the_workspace_stands_in_the_table() {
    let layers = layers();
    for package in packages() {
        let name = package["name"].as_str().expect("a name");
        assert!(
            ["tests", "programs", "properties"].contains(&name) || layers.contains_key(name),
            "`{name}` has no layer"
        );
    }
}

#[test]
fn an_offender_is_named() {
    let layers = layers();
    let ours: Vec<String> = layers.keys().map(ToString::to_string).collect();
    let told = offences(
        "web",
        &layers["web"],
        &ours,
        &[
            "diesel".to_owned(),
            "storage".to_owned(),
            "serde".to_owned(),
        ],
    );
    assert_eq!(
        told,
        [
            "`web` must not depend on `diesel`",
            "`web` must not depend on `storage`"
        ]
    );
}
