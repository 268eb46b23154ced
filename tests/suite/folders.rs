//! No import cycle includes a folder of a crate.

use crate::rust_sources;
use ra_ap_rustc_lexer::TokenKind;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const MAX_IMPORTS_SHOWN: usize = 3;
/// Reexports that are followed to the definition of an item.
const MAX_HOPS: usize = 8;

/// The path of a module from the crate root.
type ModulePath = Vec<String>;
/// Segments between `::`.
type Names<'a> = Vec<&'a str>;

/// The imports of a module without its tests.
#[derive(Default)]
struct Module<'a> {
    /// Imported paths by their local name, in source order.
    imports: Vec<(&'a str, Names<'a>)>,
    /// Paths, each with the inline modules that contain it.
    paths: BTreeSet<(Names<'a>, Names<'a>)>,
    tests: Names<'a>,
}

/// Names and punctuation, `::` as one token.
fn tokens(text: &str) -> Names<'_> {
    let mut found = Vec::new();
    let mut after_colon = false;
    for (kind, token) in rust_sources::tokens(text) {
        let is_colon = kind == TokenKind::Colon;
        match kind {
            TokenKind::Whitespace
            | TokenKind::LineComment { .. }
            | TokenKind::BlockComment { .. }
            | TokenKind::Literal { .. } => {}
            TokenKind::Colon if after_colon => {
                found.pop();
                found.push("::");
            }
            _ => found.push(token),
        }
        after_colon = is_colon;
    }
    found
}

/// The length of the first item in tokens: up to its `;` or the end of its braces.
fn item_length(tokens: &[&str]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => return at,
            "}" | ")" | "]" => {
                depth -= 1;
                if depth == 0 && *token == "}" {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => (),
        }
    }
    tokens.len()
}

/// Parses a tree of a `use`; returns its length in tokens.
fn parse_use_tree<'a>(
    tokens: &[&'a str],
    before: &[&'a str],
    found: &mut Vec<(&'a str, Names<'a>)>,
) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match *token {
            "::" => at += 1,
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|it| *it != "}") {
                    at += parse_use_tree(&tokens[at..], &path, found);
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            "," | "}" | ";" => break,
            "as" => {
                found.push((tokens[at + 1], path));
                return at + 2;
            }
            "self" if !path.is_empty() => at += 1,
            name => {
                path.push(name);
                at += 1;
            }
        }
    }
    found.push((path.last().copied().unwrap_or_default(), path));
    at
}

fn parse_module(text: &str) -> Module<'_> {
    let tokens = tokens(text);
    let mut module = Module::default();
    // Inline modules and their brace depth.
    let mut within: Vec<(&str, usize)> = Vec::new();
    let (mut at, mut depth) = (0, 0);
    while at < tokens.len() {
        let ahead = &tokens[at..];
        match ahead {
            ["#", "[", "cfg", "(", "test", ")", "]", ..] => {
                let end = at + 7 + item_length(&ahead[7..]);
                let names = ahead[..end - at].windows(3);
                let declared = names.filter(|it| it[0] == "mod" && it[2] == ";");
                module.tests.extend(declared.map(|it| it[1]));
                at = end;
                continue;
            }
            ["mod", "tests", "{", ..] => {
                at += item_length(ahead);
                continue;
            }
            ["mod", name, "{", ..] => {
                within.push((name, depth));
                at += 1;
            }
            ["use", next, ..] if *next != "<" => {
                let mut found = Vec::new();
                at += 1 + parse_use_tree(&ahead[1..], &[], &mut found);
                let inside: Names = within.iter().map(|it| it.0).collect();
                for (name, path) in found {
                    module.paths.insert((inside.clone(), path.clone()));
                    if inside.is_empty() {
                        module.imports.push((name, path));
                    }
                }
                continue;
            }
            [first, "::", _, ..] if is_name(first) && (at == 0 || tokens[at - 1] != "::") => {
                let names = ahead.chunks(2).take_while(|it| is_name(it[0]));
                let more = names.clone().take_while(|it| it.get(1) == Some(&"::"));
                let length = more.count() + 1;
                let path = names.take(length).map(|it| it[0]).collect();
                let inside = within.iter().map(|it| it.0).collect();
                module.paths.insert((inside, path));
            }
            ["{", ..] => depth += 1,
            ["}", ..] => {
                depth -= 1;
                within.pop_if(|it| it.1 == depth);
            }
            _ => (),
        }
        at += 1;
    }
    module
}

fn is_name(token: &str) -> bool {
    token.starts_with(|it: char| it.is_alphanumeric() || it == '_')
}

/// The modules of a crate by path.
struct Tree<'a>(BTreeMap<&'a [String], Module<'a>>);

impl<'a> Tree<'a> {
    fn new(sources: &'a BTreeMap<ModulePath, String>) -> Self {
        let mut modules: BTreeMap<&[String], Module> = sources
            .iter()
            .filter(|(place, _)| !place.iter().any(|it| it == "tests"))
            .map(|(place, text)| (place.as_slice(), parse_module(text)))
            .collect();
        let tests: Vec<ModulePath> = modules
            .iter()
            .flat_map(|(place, module)| {
                let named = |name: &&str| [*place, &[(*name).to_owned()]].concat();
                module.tests.iter().map(named).collect::<Vec<_>>()
            })
            .collect();
        modules.retain(|place, _| !tests.iter().any(|it| place.starts_with(it)));
        Self(modules)
    }

    /// The modules that a path names: as written, and the targets of reexports on the way.
    fn resolve(&self, from: &[String], path: &[&str], hops: usize, found: &mut Vec<ModulePath>) {
        let mut at = from.to_vec();
        let mut names = path.iter().enumerate().peekable();
        let is_absolute = ["crate", "super", "self"].contains(&path[0]);
        while let Some((_, name)) = names.next_if(|it| ["crate", "super", "self"].contains(it.1)) {
            match *name {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                _ => (),
            }
        }
        let mut is_ours = is_absolute;
        for (index, name) in names {
            at.push((*name).to_owned());
            if self.0.contains_key(at.as_slice()) {
                is_ours = true;
                continue;
            }
            at.pop();
            let imports = self.0.get(at.as_slice()).map(|it| it.imports.iter());
            let import = imports.into_iter().flatten().find(|it| it.0 == *name);
            if let Some((_, target)) = import
                && hops > 0
                && target != path
            {
                let further = [target.as_slice(), &path[index + 1..]].concat();
                self.resolve(&at, &further, hops - 1, found);
            }
            break;
        }
        if is_ours {
            found.push(at);
        }
    }

    fn is_folder(&self, place: &[String]) -> bool {
        let mut places = self.0.keys();
        places.any(|it| it.len() > place.len() && it.starts_with(place))
    }
}

/// Edges between siblings, with their imports.
type Edges = BTreeMap<(String, String), BTreeSet<String>>;

/// The edges between the children of each module.
fn edges(tree: &Tree) -> BTreeMap<ModulePath, Edges> {
    let mut levels: BTreeMap<ModulePath, Edges> = BTreeMap::new();
    for (place, module) in &tree.0 {
        for (inside, path) in &module.paths {
            let inside: ModulePath = inside.iter().map(|it| (*it).to_owned()).collect();
            let mut found = Vec::new();
            tree.resolve(&[*place, &inside].concat(), path, MAX_HOPS, &mut found);
            for to in found {
                let both = place.iter().zip(to.iter());
                let common = both.take_while(|it| it.0 == it.1).count();
                if let (Some(here), Some(there)) = (place.get(common), to.get(common)) {
                    let level = levels.entry(place[..common].to_vec()).or_default();
                    let edge = level.entry((here.clone(), there.clone())).or_default();
                    edge.insert(format!("{}: {}", place.join("/"), path.join("::")));
                }
            }
        }
    }
    levels
}

fn reached<'a>(from: &'a str, edges: &'a Edges) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(here) = open.pop() {
        let next = edges.keys().filter(|it| it.0 == here);
        open.extend(next.map(|it| it.1.as_str()).filter(|it| found.insert(*it)));
    }
    found
}

/// Each cycle with a folder, and its imports.
fn cycles(sources: &BTreeMap<ModulePath, String>) -> Vec<String> {
    let tree = Tree::new(sources);
    let mut report = Vec::new();
    for (level, edges) in &edges(&tree) {
        let from: BTreeSet<&str> = edges.keys().map(|it| it.0.as_str()).collect();
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            from.iter().map(|it| (*it, reached(it, edges))).collect();
        let circles: BTreeSet<BTreeSet<&str>> = reach
            .iter()
            .map(|(name, others)| {
                let back = |it: &&&str| reach.get(**it).is_some_and(|it| it.contains(name));
                others.iter().filter(back).copied().collect()
            })
            .collect();
        for circle in circles.iter().filter(|it| it.len() > 1) {
            let folder =
                |name: &&str| tree.is_folder(&[level.as_slice(), &[(*name).to_owned()]].concat());
            if !circle.iter().any(folder) {
                continue;
            }
            let names: Vec<String> = circle
                .iter()
                .map(|it| format!("{it}{}", if folder(it) { "/" } else { "" }))
                .collect();
            report.push(format!("{} [{}]", level.join("/"), names.join(", ")));
            for ((here, there), imports) in edges {
                if circle.contains(here.as_str()) && circle.contains(there.as_str()) {
                    let some: Vec<&str> = imports
                        .iter()
                        .take(MAX_IMPORTS_SHOWN)
                        .map(String::as_str)
                        .collect();
                    report.push(format!("    {here} -> {there}: {}", some.join(", ")));
                }
            }
        }
    }
    report
}

fn add_sources(folder: &Path, place: &[String], sources: &mut BTreeMap<ModulePath, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inside = [place, std::slice::from_ref(&stem)].concat();
        if path.is_dir() {
            add_sources(&path, &inside, sources);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let is_root = ["lib", "main", "mod"].contains(&stem.as_str());
            let place = if is_root { place.to_vec() } else { inside };
            let text = fs::read_to_string(&path).unwrap();
            sources.entry(place).or_default().push_str(&text);
        }
    }
}

#[test]
fn no_module_folder_is_part_of_an_import_cycle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut report = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let mut sources = BTreeMap::new();
        add_sources(&crates.join(&name).join("src"), &[], &mut sources);
        assert!(!sources.is_empty(), "{name} has no source");
        let found = cycles(&sources);
        if !found.is_empty() {
            report.push(format!("crates/{name}/src/{}", found.join("\n")));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

fn cycles_of(files: &[(&str, &str)]) -> Vec<String> {
    let place = |path: &str| path.split('/').map(str::to_owned).collect();
    let sources = files
        .iter()
        .map(|(path, text)| (place(path), (*text).to_owned()));
    cycles(&sources.collect())
}

#[test]
fn cycle_report_names_the_folder_and_its_imports() {
    let report = cycles_of(&[
        ("fetch", "mod hop;"),
        ("fetch/hop", "use crate::guard::vet_url;"),
        (
            "guard",
            "use crate::{settings::Settings, fetch::{hop::Hop, Body as Read}};",
        ),
        ("settings", ""),
    ]);
    assert_eq!(
        report,
        [
            " [fetch/, guard]",
            "    fetch -> guard: fetch/hop: crate::guard::vet_url",
            "    guard -> fetch: guard: crate::fetch::Body, guard: crate::fetch::hop::Hop"
        ]
    );
}

#[test]
fn files_in_one_folder_may_import_each_other() {
    let files = [
        ("fetch", "mod hop; mod retry; pub use hop::Hop;"),
        ("fetch/hop", "use super::retry::Retry;"),
        ("fetch/retry", "use super::Hop;"),
    ];
    assert!(cycles_of(&files).is_empty());
}

#[test]
fn imports_in_tests_comments_and_strings_are_ignored() {
    let guard = r##"
        use crate::settings::Settings;
        //! As [`crate::fetch`] has it.
        /* use crate::fetch::Body; */
        const SAID: &str = r#"use crate::fetch::Body; "#;
        #[cfg(test)]
        use crate::fetch::{hop::Hop, Body};
        #[cfg(test)]
        mod helpers;
        #[cfg(test)]
        mod tests { use super::*; use crate::fetch::Body; fn f<'a>(it: &'a str) { '{'; } }
        fn g() { ::std::process::exit(0) }
    "##;
    let files = [
        ("fetch", "mod hop;"),
        ("fetch/hop", "use crate::guard::vet_url;"),
        ("guard", guard),
        ("guard/helpers", "use crate::fetch::Body;"),
        ("guard/tests", "use crate::fetch::Body;"),
    ];
    assert!(cycles_of(&files).is_empty(), "{:?}", cycles_of(&files));
    let after = [guard, "fn ask() { crate::fetch::ask() }"].concat();
    let files = [("fetch", "mod hop;"), files[1], ("guard", &after)];
    assert_eq!(cycles_of(&files).len(), 3);
}

#[test]
fn paths_are_resolved_through_parents_and_reexports() {
    let shared = [
        ("lab", "mod tab; pub use tab::Shown;"),
        ("lab/tab", ""),
        ("lab/run", ""),
    ];
    for tab_wire in [
        "use super::super::run::Run;",
        "use crate::lab; fn f() { lab::run::run() }",
        "fn f() { super::super::run::run() }",
        "mod inner { use super::super::super::run::Run; }",
    ] {
        let files = [
            shared[0],
            shared[1],
            ("lab/tab/wire", tab_wire),
            // The item's definition is in `lab/mod.rs`.
            ("lab/run", "use super::Shown;"),
        ];
        let report = cycles_of(&files);
        assert_eq!(report.first().map(String::as_str), Some("lab [run, tab/]"));
    }
    let files = [
        shared[0],
        shared[1],
        ("lab/tab/wire", "use super::run::Run;"),
        ("lab/run", "use super::Shown;"),
    ];
    assert!(cycles_of(&files).is_empty());
}
