//! The documents say what is so: places they name exist, tables match the code.

use domain::scope::Scope;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn documents() -> Vec<String> {
    let mut found = vec!["README.md".to_owned(), "migrations/README.md".to_owned()];
    for folder in ["docs", "docs/decisions", "docs/how-to"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|it| it == "md") {
                found.push(format!("{folder}/{name}"));
            }
        }
    }
    found
}

/// What stands between backquotes, outside of code blocks.
fn quoted(text: &str) -> Vec<String> {
    let prose: String = text.split("```").step_by(2).collect();
    prose
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The cells of a table's rows that come after the header with this first cell.
fn table(text: &str, header: &str) -> Vec<Vec<String>> {
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {header} |")))
        .skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn every_place_that_a_document_names_exists() {
    let mut missing = Vec::new();
    for document in documents() {
        for name in quoted(&read(&document)) {
            let path = name.split("::").next().unwrap();
            let is_place = ["crates/", "tests/", "docs/", "migrations/"]
                .iter()
                .any(|it| path.starts_with(it));
            let is_pattern = path.contains(['<', '*', '{', ' ']);
            if is_place && !is_pattern && !root().join(path).exists() {
                missing.push(format!("{document}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_link_leads_somewhere() {
    let mut missing = Vec::new();
    for document in documents() {
        let folder = root().join(&document).parent().unwrap().to_path_buf();
        for part in read(&document).split("](").skip(1) {
            let target = part.split(')').next().unwrap();
            let is_local = !target.starts_with("http") && !target.starts_with('#');
            if is_local && !folder.join(target.split('#').next().unwrap()).exists() {
                missing.push(format!("{document}: {target}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_test_that_proves_an_invariant_exists() {
    let invariants = table(&read("docs/ARCHITECTURE.md"), "invariant");
    assert!(invariants.len() >= 10);
    for row in invariants {
        if let Some((file, test)) = row[1].split_once("::") {
            assert!(
                read(file).contains(&format!("fn {test}(")),
                "{file} has no {test}"
            );
        }
    }
}

#[test]
fn the_documented_endpoints_are_the_served_ones() {
    let served: Vec<Vec<String>> = web::endpoints::agent_api()
        .iter()
        .map(|it| {
            vec![
                it.verb.name().to_owned(),
                it.path.to_owned(),
                it.access.scope().map_or("–", Scope::name).to_owned(),
            ]
        })
        .collect();
    assert_eq!(table(&read("docs/HTTP.md"), "method"), served);
}

#[test]
fn the_documented_problems_are_those_there_are() {
    let known: Vec<Vec<String>> = web::problem::Code::ALL
        .iter()
        .map(|it| vec![it.name().to_owned(), it.status().to_string()])
        .collect();
    assert_eq!(table(&read("docs/HTTP.md"), "code"), known);
}

#[test]
fn every_setting_is_documented_and_no_other() {
    let documented: BTreeSet<String> = table(&read("docs/OPERATIONS.md"), "key")
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let source = read("crates/app/src/settings/mod.rs");
    assert_eq!(documented, settings(&source, "Settings", ""));
}

/// The dotted keys of a settings struct, read from its source.
fn settings(source: &str, name: &str, prefix: &str) -> BTreeSet<String> {
    let body = source
        .split(&format!("pub struct {name} {{"))
        .nth(1)
        .unwrap()
        .split("\n}")
        .next()
        .unwrap();
    let mut keys = BTreeSet::new();
    for field in body
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub "))
    {
        let (field, kind) = field.split_once(": ").unwrap();
        let kind = kind.trim_end_matches(',');
        if kind.ends_with("Settings") {
            keys.extend(settings(source, kind, &format!("{prefix}{field}.")));
        } else {
            keys.insert(format!("{prefix}{field}"));
        }
    }
    keys
}

#[test]
fn the_readme_calls_only_paths_that_are_served() {
    let readme = read("README.md");
    let block = readme
        .split("# five minutes")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let served: Vec<String> = web::endpoints::agent_api()
        .iter()
        .map(|it| it.path.trim_start_matches("/api/agent/v1").to_owned())
        .collect();
    let mut called = 0;
    for part in block.split("$API").skip(1) {
        let path: String = part
            .chars()
            .take_while(|c| !" \"?|)\n".contains(*c))
            .collect();
        let template = path.replace("$PROJECT", "{id}");
        assert!(template.is_empty() || served.contains(&template), "{path}");
        called += usize::from(!template.is_empty());
    }
    assert!(called >= 10);
}
