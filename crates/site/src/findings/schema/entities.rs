use super::{feature::Feature, graph::Graph, rules::main_rules};
use std::collections::{BTreeMap, BTreeSet};

/// Properties by which a page or list holds its subject.
const SUBJECT_PROPERTIES: &[&str] = &[
    "about",
    "breadcrumb",
    "dataFeedElement",
    "hasPart",
    "hasVariant",
    "item",
    "itemListElement",
    "mainEntity",
    "mainEntityOfPage",
    "subjectOf",
    "video",
];

/// Features with items that are entities only at the top level.
const TOP_LEVEL_ONLY: &[Feature] = &[
    Feature::Carousel,
    Feature::ImageMetadata,
    Feature::Organization,
    Feature::ReviewSnippet,
];

/// The entities of a page, in the order of its items.
pub fn entities(graph: &Graph<'_>) -> Vec<u32> {
    graph.nodes().filter(|it| is_entity(graph, *it)).collect()
}

fn is_entity(graph: &Graph<'_>, node: u32) -> bool {
    if graph.is_top(node) {
        return true;
    }
    let mut rules = graph.schema_types(node).flat_map(main_rules);
    rules.any(|it| !TOP_LEVEL_ONLY.contains(&it.feature))
        && graph.is_value_of(node, SUBJECT_PROPERTIES)
}

/// Share of the typed nodes, copies left out, that can be reached from the page's node (a `WebPage` or subtype), or
/// else from the first entity, over properties in either direction.
pub fn connected(
    graph: &Graph<'_>,
    entities: &[u32],
    copies: &BTreeMap<u32, Vec<u32>>,
) -> Option<f64> {
    let mut left_out = descendants(graph, copies.values().flatten().copied());
    left_out.retain(|it| !entities.contains(it));
    let nodes: BTreeSet<u32> = graph.nodes().filter(|it| !left_out.contains(it)).collect();
    let page = entities
        .iter()
        .copied()
        .find(|it| graph.is_a(*it, "WebPage"));
    let root = page.or_else(|| entities.first().copied())?;
    let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for node in &nodes {
        for other in graph.neighbors(*node) {
            around.entry(*node).or_default().push(other);
            around.entry(other).or_default().push(*node);
        }
    }
    let (mut seen, mut open) = (BTreeSet::from([root]), vec![root]);
    while let Some(node) = open.pop() {
        for other in around.get(&node).into_iter().flatten() {
            if seen.insert(*other) {
                open.push(*other);
            }
        }
    }
    let reached = seen.intersection(&nodes).count();
    #[allow(clippy::cast_precision_loss)]
    (!nodes.is_empty()).then(|| reached as f64 / nodes.len() as f64)
}

/// Items and everything nested in them.
fn descendants(graph: &Graph<'_>, tops: impl Iterator<Item = u32>) -> BTreeSet<u32> {
    use crate::observation::structured_data::Value;
    let mut open: Vec<u32> = tops.collect();
    let mut all: BTreeSet<u32> = open.iter().copied().collect();
    while let Some(node) = open.pop() {
        for property in graph.properties(node) {
            if let Value::Item(inner) = &property.value
                && all.insert(*inner)
            {
                open.push(*inner);
            }
        }
    }
    all
}
