//! Microdata, by the algorithm of the HTML standard (§5.2, "Microdata").

use super::super::dom::{Dom, Kind, NodeId, SourcePosition};
use super::collector::Collector;
use super::names::{property_name, resolve_url, type_name};
use super::text::text_content;
use analysis::observation::structured_data::{Format, SCHEMA_ORG, SyntaxNoteKind, Value};
use std::collections::{HashMap, HashSet};
use url::Url;

const MAX_TOKENS: usize = 1_000;

pub fn read(dom: &Dom, base: &Url, found: &mut Collector) {
    let has = |it: NodeId, name: &str| dom.attribute(it, name).is_some();
    let nodes = || dom.order.iter().copied();
    if !nodes().any(|it| has(it, "itemscope") || has(it, "itemprop")) {
        return;
    }
    let tops = nodes().filter(|it| is_item(dom, *it) && !has(*it, "itemprop"));
    let mut reader = Reader {
        dom,
        base,
        ids: HashMap::new(),
        ranks: vec![0; dom.nodes.len()],
        elements: HashMap::new(),
        read: HashSet::new(),
        found,
    };
    for (rank, node) in dom.order.iter().copied().enumerate() {
        reader.ranks[node] = rank;
        if let Some(id) = dom.attribute(node, "id") {
            reader.ids.entry(id).or_insert(node);
        }
    }
    for top in tops {
        reader.read_top(top);
    }
    reader.find_outside();
}

fn is_item(dom: &Dom, id: NodeId) -> bool {
    dom.attribute(id, "itemscope").is_some()
}

struct Reader<'a> {
    dom: &'a Dom,
    base: &'a Url,
    ids: HashMap<&'a str, NodeId>,
    /// By node: its index in tree order.
    ranks: Vec<usize>,
    elements: HashMap<u32, NodeId>,
    read: HashSet<NodeId>,
    found: &'a mut Collector,
}

impl<'a> Reader<'a> {
    /// Reads an item and all nested ones. An item that `itemref` adds to several is read for each of them.
    fn read_top(&mut self, element: NodeId) {
        let mut open: Vec<u32> = self.begin(element, None).into_iter().collect();
        while let Some(item) = open.pop() {
            let mut inner = self.read_properties(item);
            inner.reverse();
            open.append(&mut inner);
        }
    }

    fn begin(&mut self, element: NodeId, parent: Option<u32>) -> Option<u32> {
        let place = self.position(element);
        let item = self.found.open(Format::Microdata, place, parent)?;
        self.elements.insert(item, element);
        for name in tokens(self.dom, element, "itemtype") {
            self.found.add_type(item, &type_name(name));
        }
        if let Some(id) = self.dom.attribute(element, "itemid") {
            let id = resolve_url(id, self.base).unwrap_or_else(|| id.to_owned());
            self.found.set_id(item, &id);
        }
        Some(item)
    }

    /// Elements that the parser implied have the position of the nearest written ancestor.
    fn position(&self, element: NodeId) -> SourcePosition {
        let mut nodes = std::iter::once(element).chain(self.dom.ancestors(element));
        let place = nodes.find_map(|it| self.dom.position(it));
        place.unwrap_or(SourcePosition { line: 1, column: 1 })
    }

    /// Adds an item's properties; returns the items among them.
    fn read_properties(&mut self, item: u32) -> Vec<u32> {
        let Some(&root) = self.elements.get(&item) else {
            return Vec::new();
        };
        let mut inner = Vec::new();
        for element in self.property_elements(item, root) {
            let mut names: Vec<&'a str> = Vec::new();
            for name in tokens(self.dom, element, "itemprop").map(property_name) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            for name in names {
                if !is_item(self.dom, element) {
                    let value = self.value(element);
                    self.found.add(item, name, value);
                } else if self.is_inside(item, element) {
                    let kind = SyntaxNoteKind::ItemrefCycle;
                    self.found.note(kind, self.position(element), Some(item));
                } else if let Some(number) = self.begin(element, Some(item)) {
                    self.found.add(item, name, Value::Item(number));
                    inner.push(number);
                }
            }
        }
        inner
    }

    /// Whether the element is the item's own or that of an enclosing item.
    fn is_inside(&mut self, item: u32, element: NodeId) -> bool {
        let mut at = Some(item);
        while let Some(it) = at {
            if self.elements.get(&it) == Some(&element) {
                return true;
            }
            if !self.found.may_visit(1) {
                return true;
            }
            at = self.found.parent(it);
        }
        false
    }

    /// The elements that add properties to an item, in tree order.
    fn property_elements(&mut self, item: u32, root: NodeId) -> Vec<NodeId> {
        let (mut seen, mut all) = (HashSet::from([root]), Vec::new());
        let mut open = self.elements_below(root);
        for id in tokens(self.dom, root, "itemref") {
            if let Some(node) = self.ids.get(id) {
                open.push(*node);
                continue;
            }
            let kind = SyntaxNoteKind::ItemrefMissing;
            self.found.note(kind, self.position(root), Some(item));
        }
        while let Some(node) = open.pop() {
            if !self.found.may_visit(1) {
                break;
            }
            if !seen.insert(node) {
                if node == root {
                    let kind = SyntaxNoteKind::ItemrefCycle;
                    self.found.note(kind, self.position(root), Some(item));
                }
                continue;
            }
            if !is_item(self.dom, node) {
                open.extend(self.elements_below(node));
            }
            if tokens(self.dom, node, "itemprop").next().is_some() {
                self.read.insert(node);
                all.push(node);
            }
        }
        all.sort_unstable_by_key(|it| self.ranks[*it]);
        all
    }

    /// Reports the outermost elements with `itemprop` outside of items, unless something was left out.
    fn find_outside(&mut self) {
        let dom = self.dom;
        let mut inside_from = HashSet::new();
        for node in dom.order.iter().copied() {
            let parent = dom.nodes[node].parent;
            let is_inside = parent.is_some_and(|it| inside_from.contains(&it));
            let names: Vec<String> = tokens(dom, node, "itemprop").map(str::to_owned).collect();
            let is_outside = !is_inside && !names.is_empty() && !self.read.contains(&node);
            if is_inside || is_outside && is_item(dom, node) {
                inside_from.insert(node);
            }
            if is_outside && self.found.is_complete() {
                let types = tokens(dom, node, "itemtype").map(|it| {
                    let name = type_name(it);
                    name.strip_prefix(SCHEMA_ORG).unwrap_or(&name).to_owned()
                });
                let (types, place) = (types.collect(), self.position(node));
                self.found.add_outside(names, types, place);
            }
        }
    }

    fn elements_below(&self, node: NodeId) -> Vec<NodeId> {
        let children = self.dom.nodes[node].children.iter().copied();
        children
            .filter(|it| matches!(self.dom.nodes[*it].kind, Kind::Element { .. }))
            .collect()
    }

    fn value(&mut self, element: NodeId) -> Value {
        let dom = self.dom;
        let of = |name: &str| dom.attribute(element, name);
        let text = |it: Option<&str>| Value::Text(it.unwrap_or_default().to_owned());
        match dom.name(element).unwrap_or_default() {
            "meta" => text(of("content")),
            "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => {
                self.address(of("src"))
            }
            "a" | "area" | "link" => self.address(of("href")),
            "object" => self.address(of("data")),
            "data" | "meter" => text(of("value")),
            "time" if of("datetime").is_some() => text(of("datetime")),
            // The standard allows `content` on `meta` only, but examples of schema.org and Google use it elsewhere
            // (`<span itemprop="price" content="1000.00">`), and consumers accept it.
            _ if of("content").is_some_and(|it| !it.is_empty()) => text(of("content")),
            _ => Value::Text(text_content(dom, element, self.found)),
        }
    }

    fn address(&self, written: Option<&str>) -> Value {
        let Some(written) = written else {
            return Value::Text(String::new());
        };
        match resolve_url(written, self.base) {
            Some(address) => Value::Url(address),
            None => Value::Text(written.to_owned()),
        }
    }
}

fn tokens<'a>(dom: &'a Dom, id: NodeId, attribute: &str) -> impl Iterator<Item = &'a str> {
    let value = dom.attribute(id, attribute).unwrap_or_default();
    value.split_ascii_whitespace().take(MAX_TOKENS)
}
