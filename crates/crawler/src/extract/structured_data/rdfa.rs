//! `RDFa` Lite 1.1 (`vocab`, `typeof`, `property`, `resource`, `prefix`) with `about`, `content`,
//! `datetime`, `href` and `src`, by the processing sequence of `RDFa` Core 1.1 (§7.5) and HTML+RDFa 1.1.
//! Not read: `rel` and `rev` as properties, `inlist`, literals of XML.

use super::{
    super::dom::{Dom, NodeId, TagPlace},
    collector::Collector,
    names::{property_name, resolved, type_name},
    rdfa_names::{Names, cost},
    social::is_social,
    text::text_content,
};
use analysis::observation::structured_data::{Format, Value};
use std::{collections::HashMap, rc::Rc};
use url::Url;

/// The attributes that change anything.
const ATTRIBUTES: [&str; 9] = [
    "vocab", "prefix", "typeof", "property", "about", "resource", "href", "src", "datatype",
];

/// Words of an attribute at the most.
const MOST_TOKENS: usize = 100;

/// Reads all items.
pub fn read(dom: &Dom, base: &Url, found: &mut Collector) {
    let mut reader = Reader {
        dom,
        base,
        items: HashMap::new(),
        found,
    };
    let document = Rc::new(Scope {
        subject: Subject::Address(base.as_str().into()),
        names: Names::default(),
    });
    let mut open = vec![(0, document)];
    while let Some((node, outer)) = open.pop() {
        if !reader.found.may_visit(cost(dom, node)) {
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

/// What an element says holds for what is in it.
struct Scope {
    /// Whose the properties are ("parent object").
    subject: Subject,
    names: Names,
}

#[derive(Clone)]
enum Subject {
    Address(Rc<str>),
    /// An item without an address.
    Blank(u32),
}

/// What an element says.
struct Element<'a> {
    node: NodeId,
    place: TagPlace,
    names: Names,
    typed: Option<&'a str>,
    about: Option<Subject>,
    /// `resource`, `href` or `src`, as a subject and as a value.
    link: Option<(Subject, Value)>,
    /// The properties that its value is for.
    properties: Vec<String>,
    /// Whether what it links to is the value, and not whose the properties inside are.
    is_value: bool,
    /// Whether it stands for the document.
    is_structure: bool,
}

struct Reader<'a> {
    dom: &'a Dom,
    base: &'a Url,
    /// The items that have an address.
    items: HashMap<Rc<str>, u32>,
    found: &'a mut Collector,
}

impl<'a> Reader<'a> {
    /// What holds inside an element, if that differs from what holds outside (§7.5, steps 5 to 13).
    fn read_element(&mut self, node: NodeId, outer: &Scope) -> Option<Scope> {
        let element = self.element(node, &outer.names)?;
        let fallback = element.is_structure.then(|| outer.subject.clone());
        let link = element.link.as_ref().map(|it| it.0.clone());
        let about = element.about.clone();
        let subject = if element.is_value {
            let owner = about.clone().unwrap_or_else(|| outer.subject.clone());
            let item = if element.typed.is_some() {
                let is_held = about.is_none() && !element.properties.is_empty();
                let holder = is_held.then_some(&owner);
                self.typed_item(&element, about.or(fallback).or(link), holder)
            } else {
                None
            };
            self.add_properties(&element, &owner, item);
            item.map_or(owner, |it| self.subject_of(it))
        } else {
            let known = about.or(link).or(fallback);
            let subject = if element.typed.is_some() {
                let item = self.typed_item(&element, known, None);
                item.map(|it| self.subject_of(it))
            } else {
                known
            };
            let subject = subject.unwrap_or_else(|| outer.subject.clone());
            self.add_properties(&element, &subject, None);
            subject
        };
        Some(Scope {
            subject,
            names: element.names,
        })
    }

    fn element(&self, node: NodeId, outer: &Names) -> Option<Element<'a>> {
        let of = |name: &str| self.dom.attribute(node, name);
        let kind = self.dom.name(node)?;
        let names = outer.inside(self.dom, node, self.base);
        if ATTRIBUTES.iter().all(|it| of(it).is_none()) && names.has_prefixes_of(outer) {
            return None;
        }
        let property = of("property");
        let tokens = property.unwrap_or_default().split_ascii_whitespace();
        let mut properties: Vec<String> = Vec::new();
        for it in tokens.take(MOST_TOKENS).filter(|it| !is_social(it)) {
            if let Some(address) = names.expanded(it) {
                let name = property_name(&address).to_owned();
                if !properties.contains(&name) {
                    properties.push(name);
                }
            }
        }
        let refers = |it: &str| names.referred(it, self.base);
        let resource = of("resource").and_then(refers);
        let address = |name| of(name).and_then(|it| resolved(it, self.base));
        let link = match resource {
            Some(it) => Some((it.as_str().into(), Value::Reference(it))),
            None => address("href")
                .or_else(|| address("src"))
                .map(|it| (it.as_str().into(), Value::Url(it))),
        };
        Some(Element {
            node,
            place: self.place(node),
            typed: of("typeof"),
            about: of("about")
                .and_then(refers)
                .map(|it| Subject::Address(it.into())),
            link: link.map(|(it, value): (Rc<str>, Value)| (Subject::Address(it), value)),
            properties,
            is_value: property.is_some() && of("content").is_none() && of("datatype").is_none(),
            is_structure: matches!(kind, "html" | "head" | "body"),
            names,
        })
    }

    /// The item that has the element's types. A new one is held by the item that has it as a value.
    fn typed_item(
        &mut self,
        element: &Element<'_>,
        known: Option<Subject>,
        holder: Option<&Subject>,
    ) -> Option<u32> {
        let is_new = match &known {
            None => true,
            Some(Subject::Address(address)) => !self.items.contains_key(address),
            Some(Subject::Blank(_)) => false,
        };
        let holder = match holder.filter(|_| is_new) {
            Some(subject) => Some(self.item_of(subject, element.place, None)?),
            None => None,
        };
        let item = match known {
            Some(subject) => self.item_of(&subject, element.place, holder)?,
            None => self.found.open(Format::Rdfa, element.place, holder)?,
        };
        let types = element.typed.unwrap_or_default();
        for it in types.split_ascii_whitespace().take(MOST_TOKENS) {
            if let Some(address) = element.names.expanded(it) {
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
        if let Some(owner) = self.item_of(owner, element.place, None) {
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
        let held = typed.filter(|it| self.found.parent(*it) == Some(owner));
        let typed = typed.filter(|_| element.about.is_none());
        match (held, &element.link, typed) {
            (Some(item), _, _) => Value::Item(item),
            (None, Some((_, value)), _) if element.is_value => value.clone(),
            (None, _, Some(item)) => match self.found.id(item) {
                Some(id) => Value::Reference(id.to_owned()),
                None => Value::Item(item),
            },
            _ => Value::Text(text_content(self.dom, element.node, self.found)),
        }
    }

    /// The item of a subject; a new one if it has none.
    fn item_of(&mut self, subject: &Subject, place: TagPlace, holder: Option<u32>) -> Option<u32> {
        let address = match subject {
            Subject::Blank(item) => return Some(*item),
            Subject::Address(address) => address,
        };
        if let Some(item) = self.items.get(address) {
            return Some(*item);
        }
        let item = self.found.open(Format::Rdfa, place, holder)?;
        self.found.set_id(item, address);
        self.items.insert(Rc::clone(address), item);
        Some(item)
    }

    fn subject_of(&self, item: u32) -> Subject {
        match self.found.id(item) {
            Some(id) => Subject::Address(id.into()),
            None => Subject::Blank(item),
        }
    }

    /// Elements that the parser made up stand where the nearest written one does.
    fn place(&self, node: NodeId) -> TagPlace {
        let mut nodes = std::iter::once(node).chain(self.dom.ancestors(node));
        let place = nodes.find_map(|it| self.dom.place(it));
        place.unwrap_or(TagPlace { line: 1, column: 1 })
    }
}
