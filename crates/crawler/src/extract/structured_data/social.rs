//! Open Graph and related properties, and Twitter cards.

use super::{super::dom::Dom, collector::Collector};

/// Prefixes of `property` in Open Graph (ogp.me) and related protocols.
pub const PREFIXES: [&str; 11] = [
    "og", "fb", "al", "article", "product", "video", "music", "book", "profile", "business",
    "place",
];

pub fn read(dom: &Dom, found: &mut Collector) {
    for node in dom.elements("meta") {
        let Some(content) = dom.attribute(node, "content") else {
            continue;
        };
        let property = dom.attribute(node, "property").unwrap_or_default().trim();
        let name = dom.attribute(node, "name").unwrap_or_default().trim();
        if let Some(name) = [name, property].iter().find(|it| has_prefix(it, "twitter")) {
            found.add_meta(true, name, content);
        } else if is_open_graph(property) {
            found.add_meta(false, property, content);
        }
    }
}

pub fn is_open_graph(name: &str) -> bool {
    PREFIXES.iter().any(|it| has_prefix(name, it))
}

pub fn is_social(name: &str) -> bool {
    has_prefix(name, "twitter") || is_open_graph(name)
}

fn has_prefix(name: &str, prefix: &str) -> bool {
    name.split_once(':')
        .is_some_and(|(it, rest)| it.eq_ignore_ascii_case(prefix) && !rest.starts_with("//"))
}
