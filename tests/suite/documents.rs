//! The documents match the code: paths exist, tables are complete.

use crate::layers::layers;
use crate::rust_sources::rust_files;
use crawler::{CrawlerSettings, RobotsRules};
use domain::rights::{Right, Role};
use domain::scope::Scope;
use harness::{assert_documented, processes::process::command, recorded::table};
use providers::{ai, search};
use regex::Regex;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub fn documents() -> Vec<String> {
    let mut found: Vec<String> = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "migrations/README.md",
    ]
    .map(str::to_owned)
    .to_vec();
    add_pages(&root().join("docs"), "docs", &mut found);
    found
}

fn add_pages(folder: &Path, name: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{name}/{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            add_pages(&entry.path(), &name, found);
        } else if Path::new(&name).extension().is_some_and(|it| it == "md") {
            found.push(name);
        }
    }
}

/// The text outside of fenced code blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Inline code outside code blocks.
fn quoted(text: &str) -> Vec<String> {
    prose(text)
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_path_in_the_documents_exists() {
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

/// The anchors of a page: its headings, as GitHub and mdBook make them, and `<a id="…">`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = { text.split("<a id=\"").skip(1) }
        .filter_map(|part| part.split('"').next().map(str::to_owned))
        .collect();
    for heading in prose(text).lines().filter(|line| line.starts_with('#')) {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter_map(|it| match it {
            ' ' => Some('-'),
            '-' | '_' => Some(it),
            _ => it.is_alphanumeric().then_some(it),
        });
        let anchor: String = kept.collect();
        let repeated = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone())
            .chain(repeated)
            .find(|it| !found.contains(it));
        found.extend(free);
    }
    found
}

/// Files and anchors that the links of a page lead to.
fn links(text: &str) -> Vec<(String, Option<String>)> {
    let prose = prose(text);
    { prose.split("](").skip(1) }
        .map(|part| part.split(')').next().unwrap())
        .filter(|target| !target.starts_with("http"))
        .map(|target| match target.split_once('#') {
            Some((file, anchor)) => (file.to_owned(), Some(anchor.to_owned())),
            None => (target.to_owned(), None),
        })
        .collect()
}

#[test]
fn links_and_anchors_exist() {
    let mut missing = Vec::new();
    for document in documents() {
        let text = read(&document);
        let path = root().join(&document);
        for (file, anchor) in links(&text) {
            let target = match file.as_str() {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let exists = match &anchor {
                None => target.exists(),
                Some(anchor) => {
                    fs::read_to_string(&target).is_ok_and(|it| anchors(&it).contains(anchor))
                }
            };
            if !exists {
                missing.push(format!("{document}: {file}#{}", anchor.unwrap_or_default()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_summary_lists_every_page_once() {
    let mut listed: Vec<String> = links(&read("docs/SUMMARY.md"))
        .into_iter()
        .map(|(file, _)| format!("docs/{file}"))
        .collect();
    listed.sort();
    let mut pages: Vec<String> = documents()
        .into_iter()
        .filter(|it| it.starts_with("docs/") && it != "docs/SUMMARY.md")
        .collect();
    pages.sort();
    assert_eq!(listed, pages);
}

/// Characters; longer texts belong below the table.
const MAX_CELL: usize = 200;

/// Its cells are lists of test names.
const PROOFS: &str = "docs/contribute/proofs.md";

#[test]
fn table_cells_are_short() {
    let mut long = Vec::new();
    for document in documents().iter().filter(|it| *it != PROOFS) {
        for line in prose(&read(document)).lines() {
            let is_long = |cell: &str| cell.trim().chars().count() > MAX_CELL;
            if line.starts_with('|') && line.replace("\\|", "¦").split('|').any(is_long) {
                long.push(format!("{document}: {line}"));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_test_named_in_the_documents_exists() {
    let mut missing = Vec::new();
    for document in documents() {
        for name in quoted(&read(&document)) {
            let Some((file, tests)) = name.split_once("::") else {
                continue;
            };
            // `DATABASES.md` names modules of the contract suite: `transactions::{one, another}`.
            let module = format!("tests/suite/storage_contract/{file}.rs");
            let file = [file.to_owned(), module]
                .into_iter()
                .find(|it| root().join(it).is_file());
            let Some(source) = file.as_deref().map(read) else {
                continue;
            };
            for test in tests.trim_matches(['{', '}']).split(',').map(str::trim) {
                if !source.contains(&format!("fn {test}(")) {
                    missing.push(format!("{document}: {name}: {test}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn robots_txt_example_forbids_and_allows_the_agent() {
    let product = CrawlerSettings::default().product;
    for document in ["README.md", "docs/operate/configure.md"] {
        assert!(quoted(&read(document)).contains(&product), "{document}");
    }
    let text = read("docs/operate/configure.md");
    let example = text.split("```txt\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let rules = RobotsRules::parse(example, &product);
    assert!(!rules.allow_path("/private/x") && rules.allow_path("/x"));
    assert_eq!(rules.delay, Some(Duration::from_secs(5)));
    for (rule, allowed) in [("Disallow: /", false), ("Disallow:", true)] {
        assert!(text.contains(&format!("`{rule}`")));
        let robots = format!("User-agent: *\nDisallow: /\n\nUser-agent: {product}\n{rule}\n");
        assert_eq!(
            RobotsRules::parse(&robots, &product).allow_path("/x"),
            allowed
        );
    }
}

#[test]
fn every_invariant_names_its_proof() {
    let invariants = table(&read("docs/contribute/proofs.md"), "invariant");
    assert!(invariants.len() >= 20);
    for row in invariants {
        let proof = row[1].split(['`', ':']).next().unwrap();
        assert!(root().join(proof).is_file(), "{row:?}");
    }
}

/// The sources of the crates, each with its path.
fn sources() -> Vec<(String, String)> {
    let paths = rust_files("crates").into_iter();
    paths.map(|path| (path.clone(), read(&path))).collect()
}

#[test]
fn every_name_in_the_walkthroughs_exists() {
    let sources = sources();
    let is_type = |name: &str| name.starts_with(|it: char| it.is_ascii_uppercase());
    let (mut functions, mut types) = (0, 0);
    for name in quoted(&read("docs/contribute/architecture.md")) {
        if let Some((owner, function)) = name.split_once("::").filter(|(owner, _)| is_type(owner)) {
            let function = format!("fn {function}");
            let mut texts = sources.iter().map(|(_, text)| text);
            let is_there = |it: &String| it.contains(owner) && it.contains(&function);
            assert!(texts.any(is_there), "{name}");
            functions += 1;
        } else if is_type(&name)
            && name.contains(|it: char| it.is_ascii_lowercase())
            && name.chars().all(char::is_alphanumeric)
        {
            let kinds = ["struct", "enum", "trait", "type"].map(|kind| format!("{kind} {name}"));
            let mut texts = sources.iter().map(|(_, text)| text);
            assert!(
                texts.any(|it| kinds.iter().any(|kind| it.contains(kind))),
                "{name}"
            );
            types += 1;
        } else if name.strip_suffix(".rs").is_some_and(|it| !it.contains('/')) {
            let file = format!("/{name}");
            assert!(
                sources.iter().any(|(path, _)| path.ends_with(&file)),
                "{name}"
            );
        }
    }
    assert!(functions >= 10 && types >= 5, "{functions} {types}");
}

/// Names of types of two words or more, and of macros, in the inline code of the pages for contributors.
#[test]
fn every_type_and_macro_named_for_contributors_exists() {
    let name = Regex::new(r"\b(?:(?:[A-Z][a-z0-9]+){2,}\b|[a-z_]+!)").unwrap();
    let paths = ["crates", "tests"].into_iter().flat_map(rust_files);
    let sources: String = paths.map(|it| read(&it)).collect();
    let known: BTreeSet<&str> = name.find_iter(&sources).map(|it| it.as_str()).collect();
    let mut unknown = Vec::new();
    for document in documents() {
        if document.starts_with("docs/contribute/") && document != PROOFS {
            for code in quoted(&read(&document)) {
                let names = name.find_iter(&code).map(|it| it.as_str());
                let missing = names.filter(|it| !known.contains(it));
                unknown.extend(missing.map(|it| format!("{document}: {it}")));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

#[test]
fn documented_layers_match_the_enforced_ones() {
    let layers = layers();
    let documented = table(&read("docs/contribute/architecture.md"), "crate");
    assert_eq!(documented.len(), layers.len());
    for row in documented {
        let layer = &layers[row[0].as_str()];
        let words = |text: &str| -> BTreeSet<String> {
            text.split(',').map(|it| it.trim().to_owned()).collect()
        };
        let ours = match row[2].as_str() {
            "nothing" => BTreeSet::new(),
            "all" => layers
                .keys()
                .filter(|it| **it != row[0])
                .map(ToString::to_string)
                .collect(),
            some => words(some),
        };
        let absent = words(row[3].split_once(": no ").unwrap().1);
        assert_eq!(ours, words_of(&layer.ours), "{}", row[0]);
        assert_eq!(absent, words_of(&layer.absent), "{}", row[0]);
    }
}

fn words_of(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn documented_endpoints_match_the_served_ones() {
    let endpoints = web::endpoints::agent_api();
    let rows: Vec<Vec<String>> = { endpoints.iter() }
        .map(|it| {
            let scope = it.access.scope().map_or("–", Scope::name);
            let row = [it.verb.name(), it.path, scope, it.summary];
            row.map(str::to_owned).to_vec()
        })
        .collect();
    let columns = ["method", "path", "scope", "what it does"];
    assert_documented!("docs/reference/endpoints.md", columns, rows);
}

#[test]
fn documented_session_endpoints_match_the_served_ones() {
    use web::endpoint::Access;
    let endpoints = web::session_endpoints::session_api();
    let rows: Vec<Vec<String>> = { endpoints.iter() }
        .map(|it| {
            let access = match it.access {
                Access::Operator(_) => "operator",
                ref access => access.right().map_or("none", Right::name),
            };
            let row = [it.verb.name(), it.path, access, it.summary];
            row.map(str::to_owned).to_vec()
        })
        .collect();
    let columns = ["method", "path", "needs", "what it does"];
    assert_documented!("docs/reference/session-endpoints.md", columns, rows);
}

#[test]
fn documented_rights_match_the_code() {
    let rows: Vec<Vec<String>> = { Right::ALL.iter() }
        .map(|right| {
            let mut row = vec![right.name().to_owned(), right.meaning().to_owned()];
            row.extend(Role::ALL.map(|it| it.grant(*right).symbol().to_owned()));
            row
        })
        .collect();
    let mut columns = vec!["Right", "Allows"];
    columns.extend(Role::NAMES);
    assert_documented!("docs/reference/rights.md", columns, rows);
}

#[test]
fn documented_rights_of_pages_match_the_code() {
    let rows: Vec<Vec<String>> = { web::pages::rights().into_iter() }
        .map(|(path, right)| vec![path, right.name().to_owned()])
        .collect();
    assert_documented!("docs/reference/rights.md", ["Page", "Needs"], rows);
}

#[test]
fn documented_problem_codes_match_the_code() {
    let rows: Vec<Vec<String>> = { web::problem::Code::ALL.iter() }
        .map(|it| {
            let retry = if it.is_retryable() { "yes" } else { "no" };
            let status = it.status().to_string();
            [it.name(), &status, retry, it.meaning()]
                .map(str::to_owned)
                .to_vec()
        })
        .collect();
    let columns = ["code", "status", "retry", "meaning"];
    assert_documented!("docs/reference/problem-codes.md", columns, rows);
}

#[test]
fn documented_page_sizes_match_the_code() {
    use web::agent_api::{analyses, keywords, projects, results};
    let served = [
        ("projects", projects::LIST_LIMITS),
        ("keywords", keywords::LIST_LIMITS),
        ("analyses", analyses::LIST_LIMITS),
        ("results", results::LIST_LIMITS),
    ]
    .map(|(list, limits)| {
        vec![
            list.to_owned(),
            limits.default.to_string(),
            limits.max.to_string(),
        ]
    });
    let documented: Vec<Vec<String>> = table(&read("docs/integrate/http-api.md"), "list")
        .into_iter()
        .map(|row| row[..3].to_vec())
        .collect();
    assert_eq!(documented, served);
}

/// Defaults that depend on the machine or on other settings.
const DESCRIBED_DEFAULTS: [(&str, &str); 3] = [
    (
        "data_dir",
        "`$XDG_DATA_HOME/sightline`, else `~/.local/share/sightline`",
    ),
    ("database_url", "the file `sightline.db` in `data_dir`"),
    ("public_base_url", "`http://` and `listen`"),
];

#[test]
fn documented_settings_match_the_code() {
    let shown = run_program(&["config", "show", "--json"]);
    let settings: Vec<Value> = serde_json::from_str(&shown).unwrap();
    let row = |it: &Value| {
        let [key, value, meaning] = ["key", "value", "meaning"].map(|it_is| it[it_is].as_str());
        let (key, meaning) = (key.unwrap(), meaning.unwrap().trim_end_matches('.'));
        assert!(!meaning.is_empty(), "{key} lacks a documentation comment");
        let described = DESCRIBED_DEFAULTS.iter().find(|it| it.0 == key);
        let default = match (described, value.unwrap()) {
            (Some((_, words)), _) => (*words).to_owned(),
            (None, "not set") => "–".to_owned(),
            (None, "[]") => "none".to_owned(),
            (None, value) if value.starts_with('"') => format!("`{}`", value.trim_matches('"')),
            (None, value) => value.trim_end_matches(".0").to_owned(),
        };
        vec![format!("`{key}`"), default, meaning.to_owned()]
    };
    let rows: Vec<Vec<String>> = settings.iter().map(row).collect();
    assert_documented!(
        "docs/reference/settings.md",
        ["key", "default", "meaning"],
        rows
    );
}

#[test]
fn suppliers_and_engines_are_documented() {
    let keys: Vec<String> = table(&read("docs/reference/settings.md"), "key")
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    let readme = read("README.md");
    for supplier in search::SUPPLIERS {
        let is_of = |key: &&String| key.starts_with(&format!("{}.", supplier.section));
        assert!(keys.iter().any(|key| is_of(&key)), "{}", supplier.section);
        assert!(readme.contains(supplier.name), "{}", supplier.name);
    }
    let engines = table(&read("docs/operate/configure.md"), "engine");
    let documented: Vec<&str> = { engines.iter() }
        .flat_map(|row| row[0].split("`, `"))
        .collect();
    assert_eq!(documented, ai::suppliers().map(|it| it.name));
}

/// The program's output with an empty home folder.
fn run_program(arguments: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let output = command(home.path(), &[], arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn getting_started_calls_only_served_endpoints() {
    let served: BTreeSet<(&str, &str)> = web::endpoints::agent_api()
        .iter()
        .map(|it| (it.verb.name(), it.path.trim_start_matches("/api/agent/v1")))
        .collect();
    let page = read("docs/use/getting-started.md");
    let mut called = BTreeSet::new();
    for line in page.lines().filter(|line| line.contains("$API/")) {
        let (call, path) = line.split_once("$API").unwrap();
        let verb = call
            .split("-X ")
            .nth(1)
            .map(|it| it.split(' ').next().unwrap());
        let verb = verb.unwrap_or(if call.contains("-d ") { "POST" } else { "GET" });
        let path = path.split([' ', '"', '?', '|', ')']).next().unwrap();
        let path = path.replace("$PROJECT", "{id}");
        assert!(served.contains(&(verb, path.as_str())), "{line}");
        called.insert((verb.to_owned(), path));
    }
    assert!(called.len() >= 7, "{called:?}");
}

#[test]
fn agent_snippets_parse_and_contain_no_token() {
    let text = read("docs/integrate/connect-an-agent.md");
    let blocks = |kind: &str| -> Vec<String> {
        let fence = format!("```{kind}\n");
        let parts = text.split(&fence).skip(1);
        parts
            .map(|it| it.split("```").next().unwrap().to_owned())
            .collect()
    };
    let all: Vec<String> = ["json", "toml"].into_iter().flat_map(blocks).collect();
    assert!(all.len() >= 8);
    for block in &all {
        let leads_here =
            block.contains("http://127.0.0.1:8080/mcp") || block.contains("\"mcp\", \"--url\"");
        assert!(leads_here && !block.contains("sightline_agt_"), "{block}");
    }
    for block in blocks("json") {
        let parsed: Result<serde_json::Value, _> = serde_json::from_str(&block);
        assert!(parsed.is_ok(), "{block}");
    }
}
