//! The reference of the tools matches the server.

use std::fs;

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

#[test]
fn the_documented_tool_table_matches_the_server() {
    let text = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/integrate/mcp.md"
    ))
    .unwrap();
    let documented: Vec<&str> = text
        .lines()
        .filter(|it| it.starts_with("| service_"))
        .collect();
    let served: Vec<String> = web::mcp::tools()
        .iter()
        .map(|tool| {
            let it = tool.hints;
            let hints = [
                it.reads_only,
                it.is_destructive,
                it.is_idempotent,
                it.is_open_world,
            ];
            let hints: Vec<&str> = hints.into_iter().map(yes).collect();
            format!(
                "| {} | {} | {} |",
                tool.name,
                tool.operations.join(", "),
                hints.join(" | ")
            )
        })
        .collect();
    assert_eq!(documented, served);
    for tool in web::mcp::tools() {
        for name in (tool.own_arguments)().keys() {
            let is_documented = ["fields", "sort", "from", "to"].contains(&name.as_str())
                || text.contains(&format!("| `{name}` |"));
            assert!(is_documented, "`{name}` of {}", tool.name);
        }
    }
}

fn how_to() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/integrate/connect-an-agent.md"
    );
    fs::read_to_string(path).unwrap()
}

#[test]
fn the_documented_tool_scopes_match_the_server() {
    let text = how_to();
    let rows = text.lines().filter(|it| it.starts_with("| service_"));
    let documented: Vec<(String, Vec<String>)> = rows
        .map(|row| {
            let mut cells = row.split('|').map(str::trim).skip(1);
            let (tool, scopes) = (cells.next().unwrap(), cells.next().unwrap());
            let mut scopes: Vec<String> = scopes.split(", ").map(str::to_owned).collect();
            scopes.sort();
            (tool.to_owned(), scopes)
        })
        .collect();
    let served: Vec<(String, Vec<String>)> = web::mcp::tools()
        .iter()
        .map(|tool| {
            let scopes = tool.scopes();
            let scopes = scopes.iter().map(|it| it.name().to_owned());
            let mut scopes: Vec<String> = scopes.collect();
            scopes.sort();
            (tool.name.to_owned(), scopes)
        })
        .collect();
    assert_eq!(documented, served);
}

/// A snippet with a token would be pasted into shared files.
#[test]
fn snippets_name_a_variable_and_contain_no_token() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let mut found = 0;
    for text in [how_to(), fs::read_to_string(readme).unwrap()] {
        for (at, _) in text.match_indices("Bearer ") {
            let behind = &text[at + "Bearer ".len()..];
            assert!(
                behind.starts_with('$'),
                "{}",
                &behind[..20.min(behind.len())]
            );
            found += 1;
        }
        assert!(!text.contains("sightline_agt_"));
    }
    assert!(found > 5, "{found}");
}
