use super::super::graph::Graph;
use super::super::outcome::Outcome;
use super::super::paths::joined;
use super::super::record::IssueCode;
use super::super::values::{NumberFormat, parse_number};
use crate::{findings::broken_links::Severity, observation::structured_data::Value};

/// A list's elements with their paths.
fn elements<'a>(graph: &'a Graph<'_>, node: u32) -> Vec<(&'a Value, String)> {
    let values: Vec<&Value> = graph.values(node, "itemListElement").collect();
    let several = values.len() > 1;
    let numbered = values.into_iter().enumerate();
    numbered
        .map(|(at, it)| (it, joined("", "itemListElement", several.then_some(at))))
        .collect()
}

fn position(graph: &Graph<'_>, node: u32) -> Option<f64> {
    match parse_number(&graph.text(node, "position")?) {
        NumberFormat::Plain(value) => Some(value),
        _ => None,
    }
}

fn has_address(graph: &Graph<'_>, node: u32) -> bool {
    graph.values(node, "item").any(|it| match it {
        Value::Text(_) | Value::Url(_) | Value::Reference(_) => true,
        Value::Item(item) => {
            let inner = graph.node_of(*item);
            graph.first(inner).id.is_some() || graph.values(inner, "url").next().is_some()
        }
        _ => false,
    })
}

/// At least two elements, each with position, name and item; the last needs no item.
pub fn check_breadcrumb(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    let elements = elements(graph, node);
    if elements.len() == 1 {
        let message = "a breadcrumb has at least two elements".to_owned();
        let code = IssueCode::ValueNotAccepted;
        outcome.add(code, "itemListElement".to_owned(), message, Severity::Error);
    }
    let nodes = elements.iter().filter_map(|it| graph.target(it.0));
    let last = nodes
        .filter_map(|it| position(graph, it))
        .fold(None, |last, it| {
            last.filter(|known| *known >= it).or(Some(it))
        });
    for (value, path) in &elements {
        let Some(element) = graph.target(value) else {
            outcome.add_missing_required(&joined(path, "position", None));
            continue;
        };
        let at = |name: &str| joined(path, name, None);
        let position = position(graph, element);
        if position.is_none() {
            outcome.add_missing_required(&at("position"));
        }
        let inner = graph
            .values(element, "item")
            .filter_map(|it| graph.target(it));
        let is_named = std::iter::once(element)
            .chain(inner)
            .any(|it| graph.values(it, "name").next().is_some());
        if !is_named {
            outcome.add_missing_required(&at("name"));
        }
        let is_last = position.is_some() && position == last;
        if !is_last && !has_address(graph, element) {
            outcome.add_missing_required(&at("item"));
        }
    }
}

/// A summary page has elements with position and url; an all-in-one page, with position and an item with name and url.
pub fn check_carousel(graph: &Graph<'_>, node: u32, outcome: &mut Outcome) {
    for (value, path) in elements(graph, node) {
        let at = |name: &str| joined(&path, name, None);
        let Some(element) = graph.target(value) else {
            outcome.add_missing_required(&at("position"));
            continue;
        };
        if graph.values(element, "position").next().is_none() {
            outcome.add_missing_required(&at("position"));
        }
        let there = |node: u32, name: &str| graph.values(node, name).next().is_some();
        let item = graph
            .values(element, "item")
            .find_map(|it| graph.target(it));
        match item {
            Some(item) => {
                if !there(item, "name") {
                    outcome.add_missing_required(&at("item.name"));
                }
                let has_id = graph.first(item).id.is_some();
                if !there(item, "url") && !there(element, "url") && !has_id {
                    outcome.add_missing_required(&at("item.url"));
                }
            }
            None if !there(element, "url") && !there(element, "item") => {
                outcome.add_missing_required(&at("url"));
            }
            None => {}
        }
    }
}
