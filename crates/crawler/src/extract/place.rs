//! Where an element stands: its CSS path and the part of the page it belongs to.

use super::dom::{Dom, Kind, NodeId};
use analysis::observation::web_site::Placement;
use std::collections::HashMap;

/// Answers for one page.
pub struct Places<'a> {
    dom: &'a Dom,
    /// How often an id occurs; only one that occurs once says where to begin.
    ids: HashMap<&'a str, u32>,
    /// The number of each element among its siblings of the same name.
    numbers: HashMap<NodeId, u32>,
}

impl<'a> Places<'a> {
    pub fn of(dom: &'a Dom) -> Self {
        let mut ids = HashMap::new();
        for id in 0..dom.nodes.len() {
            if let Some(name) = dom.attribute(id, "id") {
                *ids.entry(name).or_insert(0) += 1;
            }
        }
        Self {
            dom,
            ids,
            numbers: numbers(dom),
        }
    }

    /// A selector that finds the element: from the nearest id that is unique, else from the root.
    pub fn css_path(&self, id: NodeId) -> String {
        let mut steps = Vec::new();
        for node in std::iter::once(id).chain(self.dom.ancestors(id)) {
            let Some(name) = self.dom.name(node) else {
                break;
            };
            if let Some(anchor) = self.unique_id(node) {
                steps.push(format!("#{anchor}"));
                break;
            }
            steps.push(match self.numbers.get(&node) {
                Some(number) => format!("{name}:nth-of-type({number})"),
                None => name.to_owned(),
            });
        }
        steps.reverse();
        steps.join(" > ")
    }

    fn unique_id(&self, node: NodeId) -> Option<&str> {
        let id = self.dom.attribute(node, "id")?;
        let plain = id.starts_with(|it: char| it.is_ascii_alphabetic())
            && id.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_');
        (plain && self.ids.get(id) == Some(&1)).then_some(id)
    }

    /// The part of the page, by the nearest ancestor that says so.
    pub fn placement(&self, id: NodeId) -> Placement {
        std::iter::once(id)
            .chain(self.dom.ancestors(id))
            .find_map(|it| self.placement_of(it))
            .unwrap_or(Placement::Content)
    }

    fn placement_of(&self, id: NodeId) -> Option<Placement> {
        let role = self.dom.attribute(id, "role").unwrap_or_default();
        match (self.dom.name(id)?, role) {
            (_, "navigation" | "banner" | "complementary" | "menu" | "menubar")
            | ("nav" | "aside" | "head", _) => Some(Placement::Navigation),
            (_, "contentinfo") => Some(Placement::Footer),
            ("main" | "article", _) | (_, "main" | "article") => Some(Placement::Content),
            ("header", _) => Some(Placement::Navigation),
            ("footer", _) => Some(Placement::Footer),
            _ => self.placement_by_class(id),
        }
    }

    fn placement_by_class(&self, id: NodeId) -> Option<Placement> {
        let of = |name| self.dom.attribute(id, name).unwrap_or_default();
        let said = format!("{} {}", of("class"), of("id")).to_ascii_lowercase();
        let says = |words: &[&str]| said.split_ascii_whitespace().any(|it| words.contains(&it));
        if says(&["footer", "navfooter", "page-footer", "site-footer"]) {
            Some(Placement::Footer)
        } else if says(&[
            "nav", "navbar", "navigation", "navheader", "menu", "menubar", "sidebar", "breadcrumb",
            "breadcrumbs", "header", "related", "sphinxsidebar", "toplang", "bottomlang",
        ]) {
            Some(Placement::Navigation)
        } else {
            None
        }
    }
}

/// Numbers elements that have siblings of their name.
fn numbers(dom: &Dom) -> HashMap<NodeId, u32> {
    let mut all = HashMap::new();
    for node in &dom.nodes {
        let mut seen: HashMap<&str, (u32, NodeId)> = HashMap::new();
        for &child in &node.children {
            let Kind::Element { name, .. } = &dom.nodes[child].kind else {
                continue;
            };
            let (count, first) = seen.entry(&name.local).or_insert((0, child));
            *count += 1;
            if *count == 2 {
                all.insert(*first, 1);
            }
            if *count >= 2 {
                all.insert(child, *count);
            }
        }
    }
    all
}
