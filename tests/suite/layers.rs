//! The allowed dependencies between crates, as in the documentation.

use serde_json::Value;
use std::{collections::BTreeMap, process::Command};

/// Workspace crates that a crate may depend on, and other crates that it must not.
pub struct Layer {
    pub ours: Vec<&'static str>,
    pub absent: Vec<&'static str>,
}

const IMPURE: &str = "tokio async-trait diesel actix-web reqwest rand metrics";

pub fn layers() -> BTreeMap<&'static str, Layer> {
    let rows = [
        ("no-schema", "", "utoipa serde"),
        ("texts", "no-schema", IMPURE),
        ("site", "no-schema texts", IMPURE),
        ("search", "no-schema texts", IMPURE),
        ("analysis", "no-schema search site texts", IMPURE),
        ("setting", "", "tokio diesel actix-web reqwest rand"),
        (
            "domain",
            "analysis",
            "serde serde_json tokio diesel actix-web reqwest rand metrics",
        ),
        ("storage", "analysis domain", "actix-web reqwest rand"),
        (
            "providers",
            "analysis domain setting",
            "diesel actix-web rand",
        ),
        ("crawler", "analysis domain", "diesel actix-web rand"),
        ("mail", "domain setting", "diesel actix-web reqwest rand"),
        ("passwords", "domain", "diesel actix-web reqwest rand"),
        ("secrets", "domain", "tokio diesel actix-web reqwest rand"),
        (
            "web",
            "analysis domain no-schema",
            "diesel reqwest rand diesel_migrations r2d2",
        ),
        ("bridge", "", "diesel actix-web rand"),
        (
            "worker",
            "analysis crawler domain",
            "diesel actix-web reqwest rand",
        ),
        (
            "app",
            "analysis crawler domain mail passwords providers secrets setting storage web worker",
            "diesel reqwest",
        ),
        (
            "cli",
            "analysis app bridge crawler domain mail no-schema passwords providers search secrets setting site storage texts web worker",
            "diesel reqwest",
        ),
    ];
    let words = |text: &'static str| text.split_whitespace().collect();
    rows.map(|(name, ours, absent)| {
        let layer = Layer {
            ours: words(ours),
            absent: words(absent),
        };
        (name, layer)
    })
    .into()
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

/// The dependencies of a package, without those of tests.
fn dependencies(package: &Value) -> Vec<String> {
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    let ordinary = dependencies.iter().filter(|it| it["kind"].is_null());
    ordinary
        .filter_map(|it| it["name"].as_str().map(str::to_owned))
        .collect()
}

fn violations(crate_name: &str, layer: &Layer, ours: &[String], named: &[String]) -> Vec<String> {
    let allowed = |name: &String| !ours.contains(name) || layer.ours.contains(&name.as_str());
    let absent = |name: &String| layer.absent.contains(&name.as_str());
    let is_offence = |name: &&String| !allowed(name) || absent(name);
    let describe = |name: &String| format!("`{crate_name}` must not depend on `{name}`");
    named.iter().filter(is_offence).map(describe).collect()
}

#[test]
fn crates_depend_only_on_allowed_layers() {
    let packages = packages();
    let layers = layers();
    let ours: Vec<String> = layers.keys().map(ToString::to_string).collect();
    let mut found = Vec::new();
    for (name, layer) in &layers {
        let package = packages
            .iter()
            .find(|it| it["name"] == *name)
            .expect("a crate of the table");
        found.extend(violations(name, layer, &ours, &dependencies(package)));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_workspace_crate_has_a_layer() {
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
fn forbidden_dependency_is_named() {
    let layers = layers();
    let ours: Vec<String> = layers.keys().map(ToString::to_string).collect();
    let found = violations(
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
        found,
        [
            "`web` must not depend on `diesel`",
            "`web` must not depend on `storage`"
        ]
    );
}
