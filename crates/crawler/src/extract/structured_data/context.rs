use super::super::json::{Json, Object};
use super::names::{property_name, strip_schema_org, type_name};
use analysis::observation::structured_data::SCHEMA_ORG;
use std::{collections::HashMap, rc::Rc};

/// Terms per context; nested contexts copy them.
const MAX_TERMS: usize = 200;

#[derive(Clone, Default)]
pub struct Context {
    vocabulary: Vocabulary,
    terms: Rc<HashMap<String, String>>,
    /// Whether it names contexts other than schema.org's.
    pub has_unknown: bool,
}

#[derive(Clone, Default, PartialEq)]
enum Vocabulary {
    #[default]
    None,
    SchemaOrg,
    Other(String),
}

impl Context {
    /// Whether plain names have no meaning.
    pub fn is_missing(&self) -> bool {
        self.vocabulary == Vocabulary::None && self.terms.is_empty() && !self.has_unknown
    }

    /// Whether plain names are schema.org's.
    pub fn is_schema_org(&self) -> bool {
        self.vocabulary == Vocabulary::SchemaOrg
    }

    pub fn inside(&self, object: &Object) -> Self {
        let mut context = self.clone();
        if let Some(json) = object.get("@context") {
            context.apply(json);
        }
        context
    }

    fn apply(&mut self, json: &Json) {
        match json {
            Json::Null => *self = Self::default(),
            Json::Text(address) if is_schema_org(address) => {
                self.vocabulary = Vocabulary::SchemaOrg;
            }
            Json::List(all) => all.iter().for_each(|it| self.apply(it)),
            Json::Object(object) => self.define(object),
            _ => self.has_unknown = true,
        }
    }

    fn define(&mut self, object: &Object) {
        let mut terms = self.terms.as_ref().clone();
        for (key, value) in &object.entries {
            match (key.as_str(), value) {
                ("@vocab", Json::Null) => self.vocabulary = Vocabulary::None,
                ("@vocab", Json::Text(address)) if is_schema_org(address) => {
                    self.vocabulary = Vocabulary::SchemaOrg;
                }
                ("@vocab", Json::Text(address)) => {
                    self.vocabulary = Vocabulary::Other(address.clone());
                }
                (key, value) if !key.starts_with('@') && terms.len() < MAX_TERMS => {
                    if let Some(meaning) = meaning(value) {
                        terms.insert(key.to_owned(), meaning.to_owned());
                    }
                }
                _ => {}
            }
        }
        self.terms = Rc::new(terms);
    }

    /// The keyword of which a key is an alias (`@type`), if any.
    pub fn keyword<'a>(&'a self, key: &'a str) -> Option<&'a str> {
        let meant = self.terms.get(key).map_or(key, String::as_str);
        match meant {
            // Aliases of schema.org's own context.
            "type" if self.is_schema_org() => Some("@type"),
            "id" if self.is_schema_org() => Some("@id"),
            _ => meant.starts_with('@').then_some(meant),
        }
    }

    pub fn type_name(&self, written: &str) -> String {
        type_name(&self.expanded(written)).into_owned()
    }

    pub fn property_name(&self, written: &str) -> String {
        property_name(&self.expanded(written)).to_owned()
    }

    pub fn is_schema_property(&self, written: &str) -> bool {
        strip_schema_org(&self.expanded(written)).is_some()
    }

    fn expanded(&self, written: &str) -> String {
        if let Some(meaning) = self.terms.get(written) {
            return self.with_prefix(meaning).unwrap_or_else(|| meaning.clone());
        }
        if written.contains(':') {
            return self
                .with_prefix(written)
                .unwrap_or_else(|| written.to_owned());
        }
        match &self.vocabulary {
            Vocabulary::None => written.to_owned(),
            Vocabulary::SchemaOrg => format!("{SCHEMA_ORG}{written}"),
            Vocabulary::Other(address) => format!("{address}{written}"),
        }
    }

    fn with_prefix(&self, name: &str) -> Option<String> {
        let (prefix, local) = name.split_once(':')?;
        if local.starts_with("//") {
            return None;
        }
        match self.terms.get(prefix) {
            Some(address) => Some(format!("{address}{local}")),
            None if prefix == "schema" && self.is_schema_org() => {
                Some(format!("{SCHEMA_ORG}{local}"))
            }
            None => None,
        }
    }
}

fn meaning(definition: &Json) -> Option<&str> {
    match definition {
        Json::Text(address) => Some(address),
        Json::Object(object) => match object.get("@id")? {
            Json::Text(address) => Some(address),
            _ => None,
        },
        _ => None,
    }
}

/// schema.org's URL, or that of its context document.
fn is_schema_org(address: &str) -> bool {
    strip_schema_org(address.trim()).is_some_and(|it| {
        matches!(
            it,
            "" | "#" | "docs/jsonldcontext.json" | "docs/jsonldcontext.jsonld"
        )
    })
}
