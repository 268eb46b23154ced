//! Paths through a graph such as `offers.price`, and their values.

use super::graph::{Graph, is_empty};
use crate::observation::structured_data::{SCHEMA_ORG, Value};
use std::collections::BTreeSet;

/// Paths are cut to this: property names may be of any length.
const MAX_CHARACTERS: usize = 300;
/// Nested nodes that are visited.
const MAX_VISITS: usize = 2_000;
/// Nodes that one step of a path may lead to.
const MAX_TARGETS: usize = 500;

/// Appends a step: `offers`, or `offers[2]` if there are several.
pub fn joined(path: &str, name: &str, index: Option<usize>) -> String {
    let dot = if path.is_empty() { "" } else { "." };
    let number = index.map(|it| format!("[{it}]")).unwrap_or_default();
    let whole = format!("{path}{dot}{name}{number}");
    crate::text::words::shortened(&whole, MAX_CHARACTERS).to_owned()
}

pub fn without_indices(path: &str) -> String {
    let (mut general, mut in_number) = (String::new(), false);
    for it in path.chars() {
        match it {
            '[' => in_number = true,
            ']' => in_number = false,
            it if !in_number => general.push(it),
            _ => {}
        }
    }
    general
}

/// Whether a path has a value: the last step must have one at every node that the earlier steps lead to; `None` if
/// there is no such node. Text in place of a node has a `name`, a URL has a `url`.
pub fn has_value_at(graph: &Graph<'_>, node: u32, path: &str) -> Option<bool> {
    let (mut at, mut name) = (vec![node], path);
    while let Some((step, rest)) = name.split_once('.') {
        let values: Vec<&Value> = at.iter().flat_map(|it| graph.values(*it, step)).collect();
        if values.is_empty() {
            return None;
        }
        let targets = values.iter().filter_map(|it| graph.target(it));
        let targets: Vec<u32> = targets.take(MAX_TARGETS).collect();
        if targets.is_empty() {
            let address = values
                .iter()
                .all(|it| matches!(it, Value::Url(_) | Value::Reference(_)));
            return Some(match rest {
                "name" => !address,
                "url" => address,
                _ => return unresolved(&values),
            });
        }
        (at, name) = (targets, rest);
    }
    Some(at.iter().all(|it| has_value(graph, *it, name)))
}

/// Unknown for references to other pages; text and URLs have no properties.
fn unresolved(values: &[&Value]) -> Option<bool> {
    let refers = values.iter().any(|it| matches!(it, Value::Reference(_)));
    if refers { None } else { Some(false) }
}

/// An id that is a URL counts as `url`.
fn has_value(graph: &Graph<'_>, node: u32, name: &str) -> bool {
    let id = graph.first(node).id.as_deref();
    let has_address = id.is_some_and(|it| it.starts_with("http"));
    graph.values(node, name).next().is_some() || name == "url" && has_address
}

pub struct VisitedNode {
    pub number: u32,
    /// The property that it is the value of; `None` for the entity itself.
    pub property: Option<String>,
    /// Empty for the entity itself.
    pub path: String,
}

/// The entity and its nested items, without those that are entities themselves.
pub fn owned(graph: &Graph<'_>, node: u32, entities: &BTreeSet<u32>) -> Vec<VisitedNode> {
    walk(node, MAX_VISITS, |number, visit| {
        let item = graph.first(number);
        each_value(
            item.properties
                .iter()
                .map(|it| (it.name.as_str(), &it.value)),
            |name, index, value| {
                if let Value::Item(inner) = value
                    && !entities.contains(&graph.node_of(*inner))
                {
                    visit(*inner, name, index);
                }
            },
        );
    })
}

/// The entity, its nested nodes, and those it refers to if `follow` accepts them.
pub fn reachable(
    graph: &Graph<'_>,
    node: u32,
    entities: &BTreeSet<u32>,
    limit: usize,
    follow: impl Fn(u32) -> bool,
) -> Vec<VisitedNode> {
    walk(node, limit.min(MAX_VISITS), |number, visit| {
        let values = graph
            .properties(number)
            .map(|it| (it.name.as_str(), &it.value));
        each_value(values, |name, index, value| {
            let Some(target) = graph.target(value) else {
                return;
            };
            let is_held = matches!(value, Value::Item(_)) && !entities.contains(&target);
            if is_held || matches!(value, Value::Reference(_)) && follow(target) {
                visit(target, name, index);
            }
        });
    })
}

/// Numbers the values of each property that has several.
fn each_value<'a>(
    values: impl Iterator<Item = (&'a str, &'a Value)>,
    mut each: impl FnMut(&'a str, Option<usize>, &'a Value),
) {
    let values: Vec<(&str, &Value)> = values.filter(|it| !is_empty(it.1)).collect();
    let mut counts = std::collections::BTreeMap::new();
    for (name, _) in &values {
        *counts.entry(*name).or_insert(0_usize) += 1;
    }
    let mut seen = std::collections::BTreeMap::new();
    for (name, value) in values {
        let index = seen.entry(name).or_insert(0_usize);
        each(name, (counts[name] > 1).then_some(*index), value);
        *index += 1;
    }
}

/// Depth first, each number once.
fn walk<'a>(
    from: u32,
    limit: usize,
    inner: impl Fn(u32, &mut dyn FnMut(u32, &'a str, Option<usize>)),
) -> Vec<VisitedNode> {
    let mut seen = BTreeSet::from([from]);
    let mut all = Vec::new();
    let mut open = vec![VisitedNode {
        number: from,
        property: None,
        path: String::new(),
    }];
    while let Some(visit) = open.pop() {
        let begin = open.len();
        inner(visit.number, &mut |number, name, index| {
            if seen.len() < limit && seen.insert(number) {
                open.push(VisitedNode {
                    number,
                    property: Some(name.to_owned()),
                    path: joined(&visit.path, name, index),
                });
            }
        });
        open[begin..].reverse();
        all.push(visit);
    }
    all
}

/// A schema.org name without its prefix, in any notation.
pub fn local_name(name: &str) -> &str {
    let rest = name
        .strip_prefix(SCHEMA_ORG)
        .or_else(|| name.strip_prefix("http://schema.org/"))
        .or_else(|| name.strip_prefix("https://www.schema.org/"))
        .or_else(|| name.strip_prefix("http://www.schema.org/"))
        .or_else(|| name.strip_prefix("schema:"));
    rest.unwrap_or(name)
}
