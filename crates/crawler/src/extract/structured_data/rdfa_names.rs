//! Meaning of names and references of `RDFa` in their context.

use super::super::dom::{Dom, Kind, NodeId};
use super::names::{resolve_url, strip_schema_org};
use super::rdfa_prefixes::INITIAL_PREFIXES;
use super::social::is_social;
use analysis::findings::schema::vocabulary::property_named;
use std::{collections::HashMap, rc::Rc};
use url::Url;

/// Declared prefixes; each declaration copies them.
const MAX_PREFIXES: usize = 100;

/// Terms of the initial context without a vocabulary.
const TERMS: [&str; 3] = ["describedby", "license", "role"];

#[derive(Clone, Default)]
pub struct Names {
    vocabulary: Option<Rc<str>>,
    prefixes: Rc<HashMap<String, String>>,
}

impl Names {
    pub fn inside(&self, dom: &Dom, node: NodeId, base: &Url) -> Self {
        let mut inside = self.clone();
        if let Some(address) = dom.attribute(node, "vocab").map(str::trim) {
            let known = (!address.is_empty()).then(|| resolve_url(address, base));
            inside.vocabulary = known.map(|it| it.unwrap_or_else(|| address.to_owned()).into());
        }
        let declared = declared(dom, node);
        if !declared.is_empty() {
            let mut prefixes = self.prefixes.as_ref().clone();
            for (prefix, address) in declared {
                if prefixes.len() < MAX_PREFIXES {
                    prefixes.insert(prefix.to_ascii_lowercase(), address.to_owned());
                }
            }
            inside.prefixes = Rc::new(prefixes);
        }
        inside
    }

    pub fn shares_prefixes(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.prefixes, &other.prefixes)
    }

    /// Expands a term, a prefixed name or a full URL; `None` if it has no meaning.
    pub fn expand(&self, written: &str) -> Option<String> {
        if let Some((scheme, _)) = written.split_once(':') {
            let in_full = || is_scheme(scheme).then(|| written.to_owned());
            return self.with_prefix(written).or_else(in_full);
        }
        let Some(vocabulary) = &self.vocabulary else {
            let term = TERMS.iter().find(|it| it.eq_ignore_ascii_case(written))?;
            return Some(format!("http://www.w3.org/1999/xhtml/vocab#{term}"));
        };
        Some(format!("{vocabulary}{written}"))
    }

    /// Expands a word of `rel` or `rev` that is a prefixed name or a property of schema.org. Other words and URLs are
    /// link types of HTML (`nofollow`, `license`) or RFC 8288 (`https://api.w.org/`, on every page of `WordPress`).
    pub fn link_property(&self, written: &str) -> Option<String> {
        if is_social(written) {
            return None;
        }
        let is_property =
            |it: &str| strip_schema_org(it).is_some_and(|it| property_named(it).is_some());
        self.with_prefix(written)
            .or_else(|| self.expand(written).filter(|it| is_property(it)))
    }

    /// Resolves `about` and `resource`: `[prefix:name]`, `prefix:name`, or a URL.
    pub fn resolve_reference(&self, written: &str, base: &Url) -> Option<String> {
        let written = written.trim();
        if let Some(safe) = written.strip_prefix('[') {
            let name = safe.strip_suffix(']')?;
            return if name.starts_with("_:") {
                Some(name.to_owned())
            } else {
                self.with_prefix(name)
            };
        }
        if written.starts_with("_:") {
            return Some(written.to_owned());
        }
        self.with_prefix(written)
            .or_else(|| resolve_url(written, base))
    }

    fn with_prefix(&self, name: &str) -> Option<String> {
        let (prefix, local) = name.split_once(':')?;
        if local.starts_with("//") {
            return None;
        }
        let prefix = prefix.to_ascii_lowercase();
        let initial = || INITIAL_PREFIXES.get(prefix.as_str()).copied();
        let address = self.prefixes.get(&prefix).map(String::as_str);
        Some(format!("{}{local}", address.or_else(initial)?))
    }
}

/// Whether it is a URL scheme (RFC 3986 §3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.'))
}

/// Cost of an element in visits: declarations copy inherited prefixes.
pub fn visit_cost(dom: &Dom, node: NodeId) -> usize {
    if declared(dom, node).is_empty() {
        1
    } else {
        MAX_PREFIXES
    }
}

fn declared(dom: &Dom, node: NodeId) -> Vec<(&str, &str)> {
    let Kind::Element { attributes, .. } = &dom.nodes[node].kind else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for it in attributes {
        if let Some(prefix) = it.name.local.strip_prefix("xmlns:") {
            all.push((prefix, it.value.trim()));
        }
    }
    let mut words = dom
        .attribute(node, "prefix")
        .unwrap_or_default()
        .split_ascii_whitespace();
    while let Some(word) = words.next() {
        if let Some(prefix) = word.strip_suffix(':')
            && let Some(address) = words.next()
        {
            all.push((prefix, address));
        }
    }
    all
}
