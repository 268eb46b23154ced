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

/// The one thing of that role and name. Names count in full before their beginnings, and those before
/// names that hold the words.
pub fn the_one<'a>(all: &'a [Thing], role: &str, name: &str) -> Result<&'a Thing, String> {
    let of_role: Vec<&Thing> = all.iter().filter(|it| is_role(&it.role, role)).collect();
    let fits: [&dyn Fn(&Thing) -> bool; 3] = [
        &|it| it.name == name,
        &|it| it.name.starts_with(name),
        &|it| it.name.contains(name),
    ];
    for fit in fits {
        let found: Vec<&&Thing> = of_role.iter().filter(|it| fit(it)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok(one),
            many => return Err(format!("{} are called “{name}”", many.len())),
        }
    }
    let names: Vec<&str> = of_role.iter().map(|it| it.name.as_str()).take(40).collect();
    Err(format!("no {role} is called “{name}”; there are {names:?}"))
}

/// White space as it is heard.
fn folded(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}
