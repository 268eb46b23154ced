//! Finds nodes by role and accessible name, like a screen reader.

use serde_json::Value;

/// A node of the accessibility tree.
#[derive(Debug, Clone)]
pub struct AxNode {
    /// The role, as Chromium names it.
    pub role: String,
    /// The accessible name.
    pub name: String,
    /// The protocol's node id.
    pub node: i64,
}

/// All nodes that are exposed to assistive technology.
pub fn ax_nodes(tree: &Value) -> Vec<AxNode> {
    let nodes = tree["nodes"].as_array().into_iter().flatten();
    let seen = nodes.filter(|it| it["ignored"] != true);
    seen.filter_map(|it| {
        Some(AxNode {
            role: it["role"]["value"].as_str()?.to_owned(),
            name: collapse_space(it["name"]["value"].as_str().unwrap_or_default()),
            node: it["backendDOMNodeId"].as_i64()?,
        })
    })
    .collect()
}

/// Whether Chromium's role matches the test's name of it.
fn is_role(role: &str, wanted: &str) -> bool {
    match wanted {
        // Any text input.
        "field" => ["textbox", "searchbox", "spinbutton", "combobox", "Date"].contains(&role),
        "summary" => role == "DisclosureTriangle",
        "choice" => ["combobox", "listbox"].contains(&role),
        _ => role == wanted,
    }
}

/// The nodes with this role and name. Full matches come before prefixes, and prefixes before substrings.
pub fn matching<'a>(all: &'a [AxNode], role: &str, name: &str) -> Vec<&'a AxNode> {
    let of_role = || all.iter().filter(|it| is_role(&it.role, role));
    let fits: [&dyn Fn(&AxNode) -> bool; 3] = [
        &|it| it.name == name,
        &|it| it.name.starts_with(name),
        &|it| it.name.contains(name),
    ];
    let found = fits
        .into_iter()
        .map(|fit| of_role().filter(|it| fit(it)).collect::<Vec<&AxNode>>());
    found
        .into_iter()
        .find(|it: &Vec<&AxNode>| !it.is_empty())
        .unwrap_or_default()
}

/// For messages: the names of that role.
pub fn describe_role(all: &[AxNode], role: &str) -> String {
    let of_role = all.iter().filter(|it| is_role(&it.role, role));
    let names: Vec<&str> = of_role.map(|it| it.name.as_str()).take(40).collect();
    format!("there are {names:?}")
}

/// Collapses white space.
fn collapse_space(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
