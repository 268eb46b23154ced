//! Existing items are in all places that the how-tos list, so the lists are complete.

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

/// The paths in each row of the how-to's table; one of them must exist for each item.
fn places(how_to: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/contribute").join(how_to)).unwrap();
    let rows = text.lines().filter(|it| it.starts_with("| `"));
    let cells = rows.map(|it| it.split('|').nth(1).unwrap());
    let paths = cells.map(|it| it.split('`').skip(1).step_by(2).map(str::to_owned));
    paths.map(Iterator::collect).collect()
}

/// The first path that exists as a file or a folder.
fn find_existing(paths: &[String], name: &str, value: &str) -> PathBuf {
    let filled = paths.iter().map(|it| root().join(it.replace(name, value)));
    let mut all = filled.flat_map(|it| [it.clone(), it.with_extension("")]);
    let found = all.find(|it| it.exists());
    found.unwrap_or_else(|| panic!("{value} is in none of {paths:?}"))
}

fn text_of(places: &[Vec<String>], number: usize) -> String {
    fs::read_to_string(root().join(&places[number][0])).unwrap()
}

#[test]
fn every_result_type_is_in_the_files_of_its_how_to() {
    let places = places("add-a-result-type.md");
    assert_eq!(places.len(), 5);
    let (names, pages) = (text_of(&places, 0), text_of(&places, 3));
    for of in ResultType::ALL {
        let module = of.name().replace('-', "_");
        assert!(names.contains(&format!(" = \"{of}\",")), "{of}");
        assert!(names.contains(&format!("(ResultType::{of:?}, ")), "{of}");
        let finding = find_existing(&places[1], "<type>", &module);
        let beside = fs::read_to_string(finding.with_file_name("mod.rs")).unwrap();
        for row in [format!("pub mod {module};"), format!("{of:?}: {module}[")] {
            assert!(beside.contains(&row), "{of}");
        }
        for row in [format!("mod {module};"), format!("{of:?}: {module} => ")] {
            assert!(pages.contains(&row), "{of}");
        }
        let page = fs::read_to_string(find_existing(&places[4], "<type>", &module)).unwrap();
        assert!(page.contains("pub const PAGE: ResultPage"), "{of}");
    }
}

#[test]
fn every_page_is_in_the_files_of_its_how_to() {
    let places = places("add-a-page.md");
    assert_eq!(places.len(), 4);
    let table = text_of(&places, 1);
    let rows = table.split("\nstatic PAGES").nth(1).unwrap();
    let rows = rows.split("\n};").next().unwrap();
    let modules: Vec<&str> = { rows.split("members!(").skip(1) }
        .map(|it| it.split("| ").nth(1).unwrap().split("::").next().unwrap())
        .collect();
    assert!(modules.len() > 10, "{modules:?}");
    for module in modules {
        find_existing(&places[0], "<page>", module);
        assert!(table.contains(&format!("mod {module};")), "{module}");
    }
}

#[test]
fn every_supplier_is_in_the_files_of_its_how_to() {
    let places = places("add-a-provider.md");
    assert_eq!(places.len(), 6);
    let table = text_of(&places, 1);
    for supplier in search::SUPPLIERS {
        let module = supplier.section.strip_prefix("search.").unwrap();
        let file = find_existing(&places[0], "<vendor>", module);
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

#[test]
fn every_project_field_is_in_the_files_of_its_how_to() {
    let places = places("add-a-project-field.md");
    assert_eq!(places.len(), 5);
    let [domain, schema, row, members, page] = [0, 1, 2, 3, 4].map(|it| text_of(&places, it));
    let meta = domain.split("pub struct ProjectMeta {").nth(1).unwrap();
    let meta = meta.split("\n}").next().unwrap();
    let fields: Vec<&str> = { meta.lines() }
        .filter_map(|it| it.trim().strip_prefix("pub ")?.split(": ").next())
        .collect();
    assert!(fields.len() > 8, "{fields:?}");
    for field in fields {
        assert!(domain.contains(&format!("pub {field}: Change<")), "{field}");
        assert!(domain.contains(&format!("&mut self.{field}")) || field == "report_settings");
        assert!(schema.contains(&format!(" {field} -> ")), "{field}");
        assert!(row.contains(&format!(" {field}: ")), "{field}");
        assert!(members.matches(field).count() >= 4, "{field}");
        let mut on_the_wire = String::new();
        for (number, part) in field.split('_').enumerate() {
            let (first, rest) = part.split_at(1);
            let first = match number {
                0 => first.to_owned(),
                _ => first.to_uppercase(),
            };
            on_the_wire += &(first + rest);
        }
        assert!(page.contains(&format!("\"{on_the_wire}")), "{field}");
    }
}

#[test]
fn every_endpoint_is_in_the_files_of_its_how_to() {
    let places = places("add-an-endpoint.md");
    assert_eq!(places.len(), 5);
    let rows = text_of(&places, 3);
    let handlers: Vec<(&str, &str)> = { rows.split(" agent(").skip(1) }
        .map(|it| it.split(", ").nth(1).unwrap().split(')').next().unwrap())
        .map(|it| it.split_once("::").unwrap())
        .collect();
    assert!(handlers.len() > 10, "{handlers:?}");
    for (resource, verb) in handlers {
        let file = root().join(places[1][0].replace("<resource>", resource));
        let file = file.with_file_name(format!("{verb}.rs"));
        let whole = file.parent().unwrap().with_extension("rs");
        if !whole.exists() {
            let beside = places[2][0].replace("<resource>", resource);
            let beside = fs::read_to_string(root().join(beside)).unwrap();
            assert!(beside.contains(&format!("mod {verb};")), "{verb}");
        }
        let place = if whole.exists() { whole } else { file };
        let text = fs::read_to_string(place).unwrap();
        assert!(text.contains(&format!("pub async fn {verb}(")), "{verb}");
    }
}
