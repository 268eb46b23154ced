//! Position of an element: its CSS path and its part of the page.

use super::dom::{Dom, Kind, NodeId};
use analysis::observation::web_site::Placement;
use html5ever::LocalName;
use std::{cell::RefCell, collections::HashMap, fmt::Write as _};

const MAX_DUPLICATES: usize = 50;
/// Longer ids and element names are not used in paths.
const MAX_ID: usize = 200;
/// Steps per path; for deeper elements, it starts from an ancestor.
const MAX_STEPS: usize = 100;

/// For one page; each value is computed on first use.
pub struct ElementLocator<'a> {
    dom: &'a Dom,
    /// Occurrences of each id; only unique ids begin a path.
    ids: HashMap<&'a str, u32>,
    /// By node: its index among siblings of the same name.
    numbers: RefCell<Vec<Number>>,
    placements: RefCell<Vec<KnownPlacement>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Unknown,
    Only,
    Index(u32),
}

/// `Some(None)`: neither the node nor an ancestor determines the placement.
type KnownPlacement = Option<Option<Placement>>;

impl<'a> ElementLocator<'a> {
    pub fn of(dom: &'a Dom) -> Self {
        let mut ids = HashMap::new();
        for &id in &dom.order {
            if dom.has_attributes(id)
                && let Some(name) = dom.attribute(id, "id")
            {
                *ids.entry(name).or_insert(0) += 1;
            }
        }
        Self {
            dom,
            ids,
            numbers: RefCell::new(vec![Number::Unknown; dom.nodes.len()]),
            placements: RefCell::new(vec![None; dom.nodes.len()]),
        }
    }

    /// Ids of several elements: some of them by name, and how many there are.
    pub fn duplicate_ids(&self) -> (Vec<String>, u32) {
        let repeated = self.ids.iter().filter(|it| *it.1 > 1 && !it.0.is_empty());
        let mut names: Vec<&str> = repeated.map(|it| *it.0).collect();
        names.sort_unstable();
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let short = names.into_iter().filter(|it| it.len() <= MAX_ID);
        (
            short.take(MAX_DUPLICATES).map(str::to_owned).collect(),
            count,
        )
    }

    /// From the nearest ancestor with a unique id, else from the root.
    pub fn css_path(&self, id: NodeId) -> String {
        let mut steps = Vec::with_capacity(16);
        let mut anchor = None;
        for node in std::iter::once(id).chain(self.dom.ancestors(id)) {
            if self.dom.name(node).is_none() {
                break;
            }
            anchor = self.unique_id(node);
            if anchor.is_some() || steps.len() == MAX_STEPS {
                break;
            }
            steps.push(node);
        }
        let mut path = String::with_capacity(16 * (steps.len() + 1));
        if let Some(anchor) = anchor {
            path.push('#');
            path.push_str(anchor);
        }
        for node in steps.into_iter().rev() {
            if !path.is_empty() {
                path.push_str(" > ");
            }
            let name = self.dom.name(node).unwrap_or_default();
            path.push_str(if name.len() > MAX_ID { "*" } else { name });
            if let Number::Index(number) = self.number(node) {
                // Writing to a string cannot fail.
                let _ = write!(path, ":nth-of-type({number})");
            }
        }
        path
    }

    fn unique_id(&self, node: NodeId) -> Option<&str> {
        let id = self.dom.attribute(node, "id")?;
        let plain = id.starts_with(|it: char| it.is_ascii_alphabetic())
            && id.len() <= MAX_ID
            && id
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_');
        (plain && self.ids.get(id) == Some(&1)).then_some(id)
    }

    fn number(&self, node: NodeId) -> Number {
        let known = self.numbers.borrow()[node];
        if known != Number::Unknown {
            return known;
        }
        let Some(parent) = self.dom.nodes[node].parent else {
            return Number::Only;
        };
        let mut numbers = self.numbers.borrow_mut();
        let mut seen: HashMap<&LocalName, (u32, NodeId)> = HashMap::new();
        for &child in &self.dom.nodes[parent].children {
            let Kind::Element { name, .. } = &self.dom.nodes[child].kind else {
                continue;
            };
            let (count, first) = seen.entry(&name.local).or_insert((0, child));
            *count += 1;
            if *count == 2 {
                numbers[*first] = Number::Index(1);
            }
            numbers[child] = if *count == 1 {
                Number::Only
            } else {
                Number::Index(*count)
            };
        }
        numbers[node]
    }

    /// By the nearest ancestor that determines it.
    pub fn placement(&self, id: NodeId) -> Placement {
        let mut known = self.placements.borrow_mut();
        let mut waiting = Vec::new();
        let mut node = Some(id);
        let mut found = None;
        while let Some(at) = node {
            if let Some(of_outer) = known[at] {
                found = of_outer;
                break;
            }
            waiting.push(at);
            found = self.placement_of(at);
            if found.is_some() {
                break;
            }
            node = self.dom.nodes[at].parent;
        }
        for at in waiting {
            known[at] = Some(found);
        }
        found.unwrap_or(Placement::Content)
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
        if !self.dom.has_attributes(id) {
            return None;
        }
        let names = ["class", "id"].map(|it| self.dom.short_attribute(id, it));
        let mut words = names.into_iter().flat_map(str::split_ascii_whitespace);
        let is_listed =
            |word: &str, list: &[&str]| list.iter().any(|it| it.eq_ignore_ascii_case(word));
        let mut navigation = false;
        for word in words.by_ref() {
            if is_listed(word, &FOOTER) {
                return Some(Placement::Footer);
            }
            navigation |= is_listed(word, &NAVIGATION);
        }
        navigation.then_some(Placement::Navigation)
    }
}

const FOOTER: [&str; 4] = ["footer", "navfooter", "page-footer", "site-footer"];
const NAVIGATION: [&str; 14] = [
    "nav",
    "navbar",
    "navigation",
    "navheader",
    "menu",
    "menubar",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "header",
    "related",
    "sphinxsidebar",
    "toplang",
    "bottomlang",
];
