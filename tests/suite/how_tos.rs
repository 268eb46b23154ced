//! What is there stands in the places that the how-tos name: whoever adds another one misses none.

use analysis::result_type::ResultType;
use providers::{ai, search};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// The paths of each row of its table, of which one is there for each thing.
fn places(how_to: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/how-to").join(how_to)).unwrap();
    let rows = text.lines().filter(|it| it.starts_with("| `"));
    let cells = rows.map(|it| it.split('|').nth(1).unwrap());
    let paths = cells.map(|it| it.split('`').skip(1).step_by(2).map(str::to_owned));
    paths.map(Iterator::collect).collect()
}

/// The first that is there, as a file or a folder.
fn found(paths: &[String], name: &str, value: &str) -> PathBuf {
    let filled = paths.iter().map(|it| root().join(it.replace(name, value)));
    let mut all = filled.flat_map(|it| [it.clone(), it.with_extension("")]);
    let found = all.find(|it| it.exists());
    found.unwrap_or_else(|| panic!("{value} is in none of {paths:?}"))
}

fn text_of(places: &[Vec<String>], number: usize) -> String {
    fs::read_to_string(root().join(&places[number][0])).unwrap()
}

#[test]
fn every_result_type_is_in_the_places_of_its_how_to() {
    let places = places("add-a-result-type.md");
    assert_eq!(places.len(), 5);
    let (names, pages) = (text_of(&places, 0), text_of(&places, 3));
    for of in ResultType::ALL {
        let module = of.name().replace('-', "_");
        assert!(names.contains(&format!(" = \"{of}\",")), "{of}");
        assert!(names.contains(&format!("(ResultType::{of:?}, ")), "{of}");
        let finding = found(&places[1], "<type>", &module);
        let beside = fs::read_to_string(finding.with_file_name("mod.rs")).unwrap();
        assert!(beside.contains(&format!("pub mod {module};")), "{of}");
        for row in [format!("mod {module};"), format!("{of:?}: {module}[")] {
            assert!(pages.contains(&row), "{of}");
        }
        found(&places[4], "<type>", &module);
    }
}

#[test]
fn every_page_is_in_the_places_of_its_how_to() {
    let places = places("add-a-page.md");
    assert_eq!(places.len(), 4);
    let table = text_of(&places, 1);
    let rows = table.split("\nstatic PAGES").nth(1).unwrap();
    let rows = rows.split("\n};").next().unwrap();
    let modules: Vec<&str> = { rows.split("members!(|visit, ").skip(1) }
        .map(|it| it.split("| ").nth(1).unwrap().split("::").next().unwrap())
        .collect();
    assert!(modules.len() > 10, "{modules:?}");
    for module in modules {
        found(&places[0], "<page>", module);
        assert!(table.contains(&format!("mod {module};")), "{module}");
    }
}

#[test]
fn every_supplier_is_in_the_places_of_its_how_to() {
    let places = places("add-a-provider.md");
    assert_eq!(places.len(), 6);
    let table = text_of(&places, 1);
    for supplier in &search::SUPPLIERS {
        let module = supplier.section.strip_prefix("search.").unwrap();
        let file = found(&places[0], "<vendor>", module);
        let file = if file.is_dir() {
            file.join("mod.rs")
        } else {
            file
        };
        let file = fs::read_to_string(file).unwrap();
        assert!(file.contains("settings! {") && file.contains("const SUPPLIER:"));
        for row in [
            format!("mod {module};"),
            format!("pub use {module}::"),
            format!("pub {module}: "),
            format!(" {module}::SUPPLIER,"),
        ] {
            assert!(table.contains(&row), "{row}");
        }
    }
    let (settings, names) = (text_of(&places, 4), text_of(&places, 5));
    for engine in ai::suppliers() {
        let field = engine.section.strip_prefix("ai.").unwrap();
        assert!(settings.contains(&format!("pub {field}: ")), "{field}");
        let name = engine.name;
        assert!(names.contains(&format!("\"{name}\"")), "{name}");
    }
}
