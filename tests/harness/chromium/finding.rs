//! Finding things as a screen reader tells them: by role and name.

use serde_json::Value;

/// Something on the page.
#[derive(Debug, Clone)]
pub struct Thing {
    /// Its role, as Chromium calls it.
    pub role: String,
    /// Its accessible name.
    pub name: String,
    /// What the protocol knows it by.
    pub node: i64,
}

/// Everything that assistive technology is told of.
pub fn things(tree: &Value) -> Vec<Thing> {
    let nodes = tree["nodes"].as_array().into_iter().flatten();
    let seen = nodes.filter(|it| it["ignored"] != true);
    seen.filter_map(|it| {
        Some(Thing {
            role: it["role"]["value"].as_str()?.to_owned(),
            name: folded(it["name"]["value"].as_str().unwrap_or_default()),
            node: it["backendDOMNodeId"].as_i64()?,
        })
    })
    .collect()
}

/// Whether a role of Chromium's is what a person calls so.
fn is_role(role: &str, wanted: &str) -> bool {
    match wanted {
        // Whatever text is typed into.
        "field" => ["textbox", "searchbox", "spinbutton", "combobox", "Date"].contains(&role),
        "summary" => role == "DisclosureTriangle",
        "choice" => ["combobox", "listbox"].contains(&role),
        _ => role == wanted,
    }
}

/// The things of that role and name. Names count in full before their beginnings, and those before
/// names that hold the words.
pub fn called<'a>(all: &'a [Thing], role: &str, name: &str) -> Vec<&'a Thing> {
    let of_role = || all.iter().filter(|it| is_role(&it.role, role));
    let fits: [&dyn Fn(&Thing) -> bool; 3] = [
        &|it| it.name == name,
        &|it| it.name.starts_with(name),
        &|it| it.name.contains(name),
    ];
    let found = fits
        .into_iter()
        .map(|fit| of_role().filter(|it| fit(it)).collect::<Vec<&Thing>>());
    found
        .into_iter()
        .find(|it: &Vec<&Thing>| !it.is_empty())
        .unwrap_or_default()
}

/// What there is of that role instead.
pub fn others(all: &[Thing], role: &str) -> String {
    let of_role = all.iter().filter(|it| is_role(&it.role, role));
    let names: Vec<&str> = of_role.map(|it| it.name.as_str()).take(40).collect();
    format!("there are {names:?}")
}

/// White space as it is heard.
fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
