//! `RDFa` 1.1 by the processing sequence of `RDFa` Core 1.1 (§7.5) and HTML+RDFa 1.1, without `inlist` and XML
//! literals. Words in `rel` and `rev` that are link types of HTML or RFC 8288 are not properties
//! ([`Names::link_property`]).

use super::super::dom::{Dom, NodeId, SourcePosition};
use super::collector::Collector;
use super::names::{property_name, resolve_url, type_name};
use super::rdfa_links::{IncompleteTriples, LinkNames};
use super::rdfa_names::{Names, visit_cost};
use super::social::is_social;
use super::text::text_content;
use analysis::observation::structured_data::{Format, Value};
use std::{collections::HashMap, rc::Rc};
use url::Url;

const ATTRIBUTES: [&str; 11] = [
    "vocab", "prefix", "typeof", "property", "rel", "rev", "about", "resource", "href", "src",
    "datatype",
];

const MAX_TOKENS: usize = 100;

pub fn read(dom: &Dom, base: &Url, found: &mut Collector) {
    let mut reader = Reader {
        dom,
        base,
        items: HashMap::new(),
        found,
    };
    let document = Rc::new(Scope {
        subject: Subject::Address(base.as_str().into()),
        incomplete: None,
        names: Names::default(),
    });
    let mut open = vec![(0, document)];
    while let Some((node, outer)) = open.pop() {
        if !reader.found.may_visit(visit_cost(dom, node)) {
            break;
        }
        let inner = match reader.read_element(node, &outer) {
            Some(inner) => Rc::new(inner),
            None => outer,
        };
        let children = dom.nodes[node].children.iter().rev();
        open.extend(children.map(|it| (*it, Rc::clone(&inner))));
    }
}

/// Evaluation context of an element's children.
struct Scope {
    /// "parent object" in `RDFa` Core.
    subject: Subject,
    /// "incomplete triples" of the surrounding element.
    incomplete: Option<Rc<IncompleteTriples>>,
    names: Names,
}

#[derive(Clone)]
pub enum Subject {
    Address(Rc<str>),
    /// An item without a URL.
    Blank(u32),
    /// The object of links that is not described yet.
    End(Rc<IncompleteTriples>),
}

struct Element<'a> {
    node: NodeId,
    position: SourcePosition,
    names: Names,
    typed: Option<&'a str>,
    about: Option<Subject>,
    /// `resource`, `href` or `src`, as subject and as value.
    link: Option<(Subject, Value)>,
    properties: Vec<String>,
    /// Properties of `rel` and `rev`; `None` without them.
    links: Option<LinkNames>,
    has_property: bool,
    /// Whether the linked resource is the value, not the subject of nested properties.
    is_value: bool,
    /// Whether it represents the document.
    is_structure: bool,
}

impl Element<'_> {
    /// "skip element" in `RDFa` Core.
    const fn is_skipped(&self) -> bool {
        !self.has_property
            && !self.is_structure
            && self.links.is_none()
            && self.typed.is_none()
            && self.about.is_none()
            && self.link.is_none()
    }
}

struct Reader<'a> {
    dom: &'a Dom,
    base: &'a Url,
    items: HashMap<Rc<str>, u32>,
    found: &'a mut Collector,
}

impl<'a> Reader<'a> {
    /// The children's scope, if it differs from `outer` (§7.5, steps 5 to 13).
    fn read_element(&mut self, node: NodeId, outer: &Scope) -> Option<Scope> {
        let mut element = self.element(node, &outer.names)?;
        if element.is_skipped() {
            return Some(Scope {
                subject: outer.subject.clone(),
                incomplete: outer.incomplete.clone(),
                names: element.names,
            });
        }
        let (subject, incomplete) = match element.links.take() {
            Some(links) => self.read_links(&element, links, outer),
            None if element.is_value => (self.read_value(&element, outer), None),
            None => (self.read_subject(&element, outer), None),
        };
        Some(Scope {
            subject,
            incomplete,
            names: element.names,
        })
    }

    /// An element with a link or item as the value (step 5.1).
    fn read_value(&mut self, element: &Element<'_>, outer: &Scope) -> Subject {
        let about = element.about.clone();
        let owner = about.clone().unwrap_or_else(|| outer.subject.clone());
        let owner = self.complete_outer_links(outer, owner, element);
        let item = if element.typed.is_some() {
            let fallback = element.is_structure.then(|| outer.subject.clone());
            let link = element.link.as_ref().map(|it| it.0.clone());
            let is_held = about.is_none() && !element.properties.is_empty();
            let holder = is_held.then_some(&owner);
            self.typed_item(element, about.or(fallback).or(link), holder)
        } else {
            None
        };
        self.add_properties(element, &owner, item);
        item.map_or(owner, |it| self.subject_of(it))
    }

    /// An element that sets the subject of nested properties (step 5.2).
    fn read_subject(&mut self, element: &Element<'_>, outer: &Scope) -> Subject {
        let fallback = element.is_structure.then(|| outer.subject.clone());
        let link = element.link.as_ref().map(|it| it.0.clone());
        let known = element.about.clone().or(link).or(fallback);
        let subject = if element.typed.is_some() {
            let holder = outer.incomplete.as_ref().and_then(|it| it.holder());
            let item = self.typed_item(element, known, holder);
            item.map(|it| self.subject_of(it))
        } else {
            known
        };
        let subject = subject.unwrap_or_else(|| outer.subject.clone());
        let subject = self.complete_outer_links(outer, subject, element);
        self.add_properties(element, &subject, None);
        subject
    }

    /// An element with `rel` or `rev` (steps 6, 9 and 10): completes its links or leaves them to its children.
    fn read_links(
        &mut self,
        element: &Element<'_>,
        links: LinkNames,
        outer: &Scope,
    ) -> (Subject, Option<Rc<IncompleteTriples>>) {
        let about = element.about.clone();
        let subject = match (&about, element.typed) {
            (Some(about), Some(_)) => {
                let holder = outer.incomplete.as_ref().and_then(|it| it.holder());
                let item = self.typed_item(element, Some(about.clone()), holder);
                item.map_or_else(|| about.clone(), |it| self.subject_of(it))
            }
            _ => about.clone().unwrap_or_else(|| outer.subject.clone()),
        };
        let subject = self.complete_outer_links(outer, subject, element);
        let item = if about.is_none() && element.typed.is_some() {
            let link = element.link.as_ref().map(|it| it.0.clone());
            let holder = (!links.forward.is_empty()).then_some(&subject);
            self.typed_item(element, link, holder)
        } else {
            None
        };
        let object = item
            .map(|it| self.subject_of(it))
            .or_else(|| element.link.as_ref().map(|it| it.0.clone()));
        let incomplete = Rc::new(IncompleteTriples::new(subject.clone(), links));
        let inner = match object {
            Some(object) => {
                let written = element.link.as_ref().map(|it| &it.1);
                self.complete_links(
                    &incomplete,
                    &object,
                    written.filter(|_| item.is_none()),
                    element.position,
                );
                (object, None)
            }
            None => (Subject::End(Rc::clone(&incomplete)), Some(incomplete)),
        };
        self.add_properties(element, &subject, item);
        inner
    }

    /// Completes the surrounding links with the element's subject (step 12).
    fn complete_outer_links(
        &mut self,
        outer: &Scope,
        subject: Subject,
        element: &Element<'_>,
    ) -> Subject {
        let Some(incomplete) = &outer.incomplete else {
            return subject;
        };
        if let Subject::End(end) = &subject {
            let item = self.item_of(&Subject::End(Rc::clone(end)), element.position, None);
            return item.map_or_else(|| incomplete.subject.clone(), Subject::Blank);
        }
        let is_link = element.about.is_none() && !element.is_value && element.typed.is_none();
        let written = element.link.as_ref().map(|it| &it.1).filter(|_| is_link);
        self.complete_links(incomplete, &subject, written, element.position);
        subject
    }

    /// Adds the properties of links with a known object; `written` is the object as a URL.
    fn complete_links(
        &mut self,
        links: &IncompleteTriples,
        end: &Subject,
        written: Option<&Value>,
        place: SourcePosition,
    ) {
        let known = match end {
            Subject::Address(address) if links.is_new(address) => self.items.get(address).copied(),
            Subject::Blank(item) => Some(*item),
            Subject::Address(_) | Subject::End(_) => return,
        };
        if !links.names.forward.is_empty()
            && let Some(owner) = self.item_of(&links.subject, place, None)
        {
            let value = match (written, known, end) {
                (Some(written), _, _) => written.clone(),
                (None, Some(item), _) if self.found.parent(item) == Some(owner) => {
                    Value::Item(item)
                }
                (None, Some(item), _) => self.reference(item),
                (None, None, Subject::Address(address)) => Value::Reference(address.to_string()),
                (None, None, _) => return,
            };
            for name in &links.names.forward {
                self.found.add(owner, name, value.clone());
            }
        }
        if !links.names.backward.is_empty()
            && let Some(owner) = self.item_of(end, place, None)
            && let Some(item) = self.item_of(&links.subject, place, None)
        {
            let value = self.reference(item);
            for name in &links.names.backward {
                self.found.add(owner, name, value.clone());
            }
        }
    }

    /// A reference to an item, which gets an id if it has none.
    fn reference(&mut self, item: u32) -> Value {
        if let Some(id) = self.found.id(item) {
            return Value::Reference(id.to_owned());
        }
        let id = format!("_:#{item}");
        self.found.set_id(item, &id);
        self.items.insert(id.as_str().into(), item);
        Value::Reference(id)
    }

    fn element(&self, node: NodeId, outer: &Names) -> Option<Element<'a>> {
        let of = |name: &str| self.dom.attribute(node, name);
        let kind = self.dom.name(node)?;
        let names = outer.inside(self.dom, node, self.base);
        if ATTRIBUTES.iter().all(|it| of(it).is_none()) && names.shares_prefixes(outer) {
            return None;
        }
        let property = of("property");
        let tokens = property.unwrap_or_default().split_ascii_whitespace();
        let tokens = tokens.filter(|it| !is_social(it));
        let properties = unique_names(tokens.filter_map(|it| names.expand(it)));
        let links_of = |name: &str| {
            let words = of(name).unwrap_or_default().split_ascii_whitespace();
            let words = words.filter(|it| property.is_none() || it.contains(':'));
            unique_names(words.filter_map(|it| names.link_property(it)))
        };
        let links = LinkNames {
            forward: links_of("rel"),
            backward: links_of("rev"),
        };
        let links = (!links.forward.is_empty() || !links.backward.is_empty()).then_some(links);
        let refers = |it: &str| names.resolve_reference(it, self.base);
        let resource = of("resource").and_then(refers);
        let address = |name| of(name).and_then(|it| resolve_url(it, self.base));
        let link = match resource {
            Some(it) => Some((it.as_str().into(), Value::Reference(it))),
            None => address("href")
                .or_else(|| address("src"))
                .map(|it| (it.as_str().into(), Value::Url(it))),
        };
        Some(Element {
            node,
            position: self.position(node),
            typed: of("typeof"),
            about: of("about")
                .and_then(refers)
                .map(|it| Subject::Address(it.into())),
            link: link.map(|(it, value): (Rc<str>, Value)| (Subject::Address(it), value)),
            properties,
            has_property: property.is_some(),
            is_value: property.is_some()
                && links.is_none()
                && of("content").is_none()
                && of("datatype").is_none(),
            links,
            is_structure: matches!(kind, "html" | "head" | "body"),
            names,
        })
    }

    /// The item with the element's types. A new item is nested in `holder`.
    fn typed_item(
        &mut self,
        element: &Element<'_>,
        known: Option<Subject>,
        holder: Option<&Subject>,
    ) -> Option<u32> {
        let is_new = match &known {
            None => true,
            Some(Subject::Address(address)) => !self.items.contains_key(address),
            Some(Subject::Blank(_) | Subject::End(_)) => false,
        };
        let holder = match holder.filter(|_| is_new) {
            Some(subject) => Some(self.item_of(subject, element.position, None)?),
            None => None,
        };
        let item = match known {
            Some(subject) => self.item_of(&subject, element.position, holder)?,
            None => self.found.open(Format::Rdfa, element.position, holder)?,
        };
        let types = element.typed.unwrap_or_default();
        for it in types.split_ascii_whitespace().take(MAX_TOKENS) {
            if let Some(address) = element.names.expand(it) {
                self.found.add_type(item, &type_name(&address));
            }
        }
        Some(item)
    }

    /// Adds the element's value; `typed` is the item that the element describes.
    fn add_properties(&mut self, element: &Element<'_>, owner: &Subject, typed: Option<u32>) {
        if element.properties.is_empty() {
            return;
        }
        if let Some(owner) = self.item_of(owner, element.position, None) {
            let value = self.value(element, owner, typed);
            for name in &element.properties {
                self.found.add(owner, name, value.clone());
            }
        }
    }

    fn value(&mut self, element: &Element<'_>, owner: u32, typed: Option<u32>) -> Value {
        let of = |name: &str| self.dom.attribute(element.node, name);
        if let Some(text) = of("content").or(of("datetime")) {
            return Value::Text(text.to_owned());
        }
        let contained = typed.filter(|it| self.found.parent(*it) == Some(owner));
        let typed = typed.filter(|_| element.about.is_none());
        match (contained, &element.link, typed) {
            (Some(item), _, _) => Value::Item(item),
            (None, Some((_, value)), _) if element.is_value => value.clone(),
            (None, _, Some(item)) => match self.found.id(item) {
                Some(id) => Value::Reference(id.to_owned()),
                None => Value::Item(item),
            },
            _ => Value::Text(text_content(self.dom, element.node, self.found)),
        }
    }

    /// The item of a subject, created if missing.
    fn item_of(
        &mut self,
        subject: &Subject,
        place: SourcePosition,
        holder: Option<u32>,
    ) -> Option<u32> {
        let address = match subject {
            Subject::Blank(item) => return Some(*item),
            Subject::Address(address) => address,
            Subject::End(links) => return self.object_item(links, place),
        };
        if let Some(item) = self.items.get(address) {
            return Some(*item);
        }
        let item = self.found.open(Format::Rdfa, place, holder)?;
        self.found.set_id(item, address);
        self.items.insert(Rc::clone(address), item);
        Some(item)
    }

    /// The object of links that nothing names.
    fn object_item(&mut self, links: &IncompleteTriples, place: SourcePosition) -> Option<u32> {
        if let Some(item) = links.item.get() {
            return Some(item);
        }
        let holder = match links.holder() {
            Some(subject) => Some(self.item_of(subject, place, None)?),
            None => None,
        };
        let item = self.found.open(Format::Rdfa, place, holder)?;
        links.item.set(Some(item));
        self.complete_links(links, &Subject::Blank(item), None, place);
        Some(item)
    }

    fn subject_of(&self, item: u32) -> Subject {
        match self.found.id(item) {
            Some(id) => Subject::Address(id.into()),
            None => Subject::Blank(item),
        }
    }

    /// Elements that the parser implied have the position of the nearest written ancestor.
    fn position(&self, node: NodeId) -> SourcePosition {
        let mut nodes = std::iter::once(node).chain(self.dom.ancestors(node));
        let place = nodes.find_map(|it| self.dom.position(it));
        place.unwrap_or(SourcePosition { line: 1, column: 1 })
    }
}

/// Unique property names, at most [`MAX_TOKENS`].
fn unique_names(addresses: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for it in addresses.take(MAX_TOKENS) {
        let name = property_name(&it).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
