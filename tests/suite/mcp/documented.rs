//! The reference of the tools says what is served.

use std::fs;

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

#[test]
fn the_table_of_tools_is_the_one_that_is_served() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/MCP.md")).unwrap();
    let told: Vec<&str> = text
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
    assert_eq!(told, served);
    for tool in web::mcp::tools() {
        for name in (tool.own)().keys() {
            let is_told = ["fields", "sort", "from", "to"].contains(&name.as_str())
                || text.contains(&format!("| `{name}` |"));
            assert!(is_told, "`{name}` of {}", tool.name);
        }
    }
}
