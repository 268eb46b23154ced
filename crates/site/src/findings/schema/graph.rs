//! The items of a page as one graph: items with one id are one node, and references point to nodes.

use super::vocabulary::is_a;
use crate::observation::structured_data::{Item, PageStructuredData, Property, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Items with one id that are merged into a node.
const MAX_MERGED: usize = 50;
const MAX_NAME: usize = 200;

pub struct Graph<'a> {
    data: &'a PageStructuredData,
    /// By item, its node: the first item of the same syntax and id.
    nodes: Vec<u32>,
    /// By node, its items if there are several.
    merged: BTreeMap<u32, Vec<u32>>,
    /// By id, the first node.
    by_id: BTreeMap<&'a str, u32>,
    /// By node, the properties and nodes that have it as a value.
    parents: BTreeMap<u32, BTreeSet<(&'a str, u32)>>,
}

impl<'a> Graph<'a> {
    pub fn of(data: &'a PageStructuredData) -> Self {
        let mut graph = Self {
            data,
            nodes: (0..).take(data.items.len()).collect(),
            merged: BTreeMap::new(),
            by_id: BTreeMap::new(),
            parents: BTreeMap::new(),
        };
        graph.merge();
        graph.index_parents();
        graph
    }

    fn merge(&mut self) {
        let mut firsts: BTreeMap<(&str, _), u32> = BTreeMap::new();
        for (number, item) in (0_u32..).zip(&self.data.items) {
            let Some(id) = item.id.as_deref() else {
                continue;
            };
            let first = *firsts.entry((id, item.format)).or_insert(number);
            self.nodes[number as usize] = first;
            self.by_id.entry(id).or_insert(first);
            if first != number {
                let all = self.merged.entry(first).or_insert_with(|| vec![first]);
                if all.len() < MAX_MERGED {
                    all.push(number);
                }
            }
        }
    }

    fn index_parents(&mut self) {
        for (number, item) in (0_u32..).zip(&self.data.items) {
            for it in &item.properties {
                if let Some(target) = self.target(&it.value) {
                    let holder = (it.name.as_str(), self.node_of(number));
                    self.parents.entry(target).or_default().insert(holder);
                }
            }
        }
    }

    pub const fn data(&self) -> &'a PageStructuredData {
        self.data
    }

    /// All nodes that have a type.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        let numbered = (0_u32..).zip(&self.nodes);
        let firsts = numbered.filter(|(number, node)| *number == **node);
        firsts
            .map(|(number, _)| number)
            .filter(|it| self.types(*it).next().is_some())
    }

    pub fn node_of(&self, item: u32) -> u32 {
        self.nodes.get(item as usize).copied().unwrap_or(item)
    }

    pub fn target(&self, value: &Value) -> Option<u32> {
        match value {
            Value::Item(item) => Some(self.node_of(*item)),
            Value::Reference(id) => self.by_id.get(id.as_str()).copied(),
            _ => None,
        }
    }

    pub fn first(&self, node: u32) -> &'a Item {
        &self.data.items[node as usize]
    }

    fn items(&self, node: u32) -> impl Iterator<Item = &'a Item> {
        let merged = self.merged.get(&node);
        let one = merged.is_none().then_some(node);
        let numbers = merged.into_iter().flatten().copied().chain(one);
        numbers.map(|it| &self.data.items[it as usize])
    }

    pub fn properties(&self, node: u32) -> impl Iterator<Item = &'a Property> {
        self.items(node).flat_map(|it| &it.properties)
    }

    /// The values of a node's property, without empty text and `javascript:` URLs.
    pub fn values<'b>(&'b self, node: u32, name: &'b str) -> impl Iterator<Item = &'a Value> + 'b {
        let matching = self.properties(node).filter(move |it| it.name == name);
        matching
            .map(|it| &it.value)
            .filter(|it| !is_empty(it) && !is_script(it))
    }

    pub fn text(&self, node: u32, name: &str) -> Option<String> {
        self.values(node, name).find_map(Value::text)
    }

    pub fn types(&self, node: u32) -> impl Iterator<Item = &'a str> {
        let all = self.items(node).flat_map(|it| &it.types);
        all.map(String::as_str)
    }

    pub fn schema_types(&self, node: u32) -> impl Iterator<Item = &'a str> {
        self.items(node).flat_map(Item::schema_types)
    }

    /// Whether a node has a schema.org type, or a subtype of it.
    pub fn is_a(&self, node: u32, ancestor: &str) -> bool {
        self.schema_types(node).any(|it| is_a(it, ancestor))
    }

    pub fn is_value_of(&self, node: u32, properties: &[&str]) -> bool {
        let holders = self.parents.get(&node);
        holders.is_some_and(|it| it.iter().any(|(name, _)| properties.contains(name)))
    }

    pub fn parents(&self, node: u32) -> impl Iterator<Item = (&'a str, u32)> {
        self.parents.get(&node).into_iter().flatten().copied()
    }

    /// Whether one of the node's items is nested in no other.
    pub fn is_top(&self, node: u32) -> bool {
        self.items(node).any(|it| it.parent.is_none())
    }

    pub fn name(&self, node: u32) -> Option<String> {
        let names = ["name", "headline", "title"];
        let name = names.iter().find_map(|it| self.text(node, it))?;
        let name = crate::text::words::collapsed(&name);
        Some(crate::text::words::shortened(&name, MAX_NAME).to_owned())
    }

    pub fn neighbors(&self, node: u32) -> impl Iterator<Item = u32> {
        let values = self.properties(node).map(|it| &it.value);
        values.filter_map(|it| self.target(it))
    }
}

/// Blank text is empty.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Text(text) | Value::Url(text) | Value::Reference(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// Whether it is a `javascript:` URL.
pub fn is_script(value: &Value) -> bool {
    let scheme = "javascript:";
    let start = |it: &String| it.get(..scheme.len()).map(str::to_ascii_lowercase);
    matches!(value, Value::Url(text) if start(text).as_deref() == Some(scheme))
}
