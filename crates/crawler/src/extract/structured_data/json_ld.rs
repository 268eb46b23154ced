use super::super::dom::SourcePosition;
use super::super::json::{Json, Object};
use super::super::json_ld::{JsonLd, ParseOutcome};
use super::collector::Collector;
use super::context::Context;
use super::names::resolve_url;
use analysis::findings::schema::vocabulary::takes_addresses_only;
use analysis::observation::structured_data::{DataLimit, Format, SyntaxNoteKind, Value};
use url::Url;

pub fn read(json_ld: &JsonLd, base: &Url, found: &mut Collector) {
    for (number, block) in json_ld.blocks.iter().enumerate() {
        for &kind in &block.wrappers {
            found.note(kind, block.begins, None);
        }
        match &block.outcome {
            ParseOutcome::Empty => {}
            ParseOutcome::TooLarge => {
                found.limit(DataLimit::Block);
                found.note(SyntaxNoteKind::BlockTooLarge, block.begins, None);
            }
            ParseOutcome::TooDeep => {
                found.limit(DataLimit::Block);
                found.note(SyntaxNoteKind::BlockTooDeep, block.begins, None);
            }
            ParseOutcome::Invalid {
                message,
                position: place,
                ..
            } => found.error(message.clone(), *place),
            ParseOutcome::Json {
                json,
                positions: places,
            } => {
                let mut block = Block {
                    number,
                    base,
                    positions: places,
                    begins: block.begins,
                    found,
                };
                block.read_top(json, &Context::default());
            }
        }
    }
}

struct Block<'a> {
    number: usize,
    base: &'a Url,
    positions: &'a [SourcePosition],
    begins: SourcePosition,
    found: &'a mut Collector,
}

/// Recursion is bounded by the parser's 128 levels of nesting.
impl Block<'_> {
    fn read_top(&mut self, json: &Json, context: &Context) {
        match json {
            Json::List(all) => all.iter().for_each(|it| self.read_top(it, context)),
            Json::Object(object) => self.read_top_object(object, context),
            _ => {}
        }
    }

    fn read_top_object(&mut self, object: &Object, context: &Context) {
        let inside = context.inside(object);
        let describes = object.entries.iter().any(|(key, _)| {
            let keyword = inside.keyword(key);
            keyword.is_none_or(|it| it == "@type")
        });
        if describes {
            self.read_item(object, context, None);
        } else if let Some(graph) = object.get("@graph") {
            self.read_top(graph, &inside);
        }
    }

    fn read_item(
        &mut self,
        object: &Object,
        context: &Context,
        parent: Option<u32>,
    ) -> Option<u32> {
        let context = &context.inside(object);
        let place = self.position(object);
        let item = self.found.open(Format::JsonLd, place, parent)?;
        if parent.is_none() && context.is_missing() {
            let kind = SyntaxNoteKind::ContextMissing;
            self.found.note(kind, place, Some(item));
        } else if context.has_unknown && object.get("@context").is_some() {
            let kind = SyntaxNoteKind::ContextUnknown;
            self.found.note(kind, place, Some(item));
        }
        if object.has_duplicate_keys() {
            self.found
                .note(SyntaxNoteKind::DuplicateKey, place, Some(item));
        }
        for (key, value) in &object.entries {
            if let Some(keyword) = context.keyword(key) {
                self.read_keyword(item, keyword, value, context);
                continue;
            }
            let name = context.property_name(key);
            let addresses = context.is_schema_property(key) && takes_addresses_only(&name);
            self.read_values(item, &name, addresses, value, context);
        }
        Some(item)
    }

    fn position(&self, object: &Object) -> SourcePosition {
        let place = self.positions.get(object.number);
        place.copied().unwrap_or(self.begins)
    }

    fn read_keyword(&mut self, item: u32, keyword: &str, value: &Json, context: &Context) {
        match (keyword, value) {
            ("@id", Json::Text(id)) => {
                let id = self.id(id);
                self.found.set_id(item, &id);
            }
            ("@type", Json::Text(name)) if !name.trim().is_empty() => {
                self.found.add_type(item, &context.type_name(name.trim()));
            }
            ("@type", Json::List(all)) => {
                for it in all.iter().filter(|it| matches!(it, Json::Text(_))) {
                    self.read_keyword(item, keyword, it, context);
                }
            }
            ("@graph" | "@included", _) => self.read_top(value, context),
            ("@reverse", Json::Object(object)) => self.read_reverse(item, object, context),
            _ => {}
        }
    }

    /// `@reverse`: items with this item as the value of a property.
    fn read_reverse(&mut self, item: u32, object: &Object, context: &Context) {
        let Some(id) = self.found.id(item).map(str::to_owned) else {
            return;
        };
        for (key, value) in &object.entries {
            let name = context.property_name(key);
            let subjects = match value {
                Json::List(all) => all.as_slice(),
                other => std::slice::from_ref(other),
            };
            for it in subjects {
                if let Json::Object(subject) = it
                    && let Some(subject) = self.read_item(subject, context, None)
                {
                    self.found.add(subject, &name, Value::Reference(id.clone()));
                }
            }
        }
    }

    fn read_values(
        &mut self,
        item: u32,
        name: &str,
        addresses: bool,
        json: &Json,
        context: &Context,
    ) {
        match json {
            Json::Null => {}
            Json::Bool(value) => self.found.add(item, name, Value::Bool(*value)),
            Json::Number(value) => self.found.add(item, name, Value::Number(value.clone())),
            Json::Text(text) => {
                let value = self.text_or_address(text, addresses);
                self.found.add(item, name, value);
            }
            Json::List(all) => {
                for it in all {
                    self.read_values(item, name, addresses, it, context);
                }
            }
            Json::Object(object) => self.read_object(item, name, addresses, object, context),
        }
    }

    fn read_object(
        &mut self,
        item: u32,
        name: &str,
        addresses: bool,
        object: &Object,
        context: &Context,
    ) {
        let inner = ["@value", "@list", "@set"];
        if let Some(json) = inner.iter().find_map(|it| object.get(it)) {
            return match json {
                Json::Object(_) => {}
                json => self.read_values(item, name, addresses, json, context),
            };
        }
        let mut keys = object.entries.iter().map(|it| context.keyword(&it.0));
        let refers = keys.all(|it| matches!(it, Some("@id" | "@context")));
        let id = object.entries.iter().rev().find_map(|(key, value)| {
            let is_id = context.keyword(key) == Some("@id");
            match value {
                Json::Text(id) if is_id => Some(id),
                _ => None,
            }
        });
        match id {
            Some(id) if refers => {
                let id = self.id(id);
                self.found.add(item, name, Value::Reference(id));
            }
            _ if object.entries.is_empty() => {}
            _ => {
                if let Some(inner) = self.read_item(object, context, Some(item)) {
                    self.found.add(item, name, Value::Item(inner));
                }
            }
        }
    }

    /// Text with inner white space is not a URL, even if browsers accept it.
    fn text_or_address(&self, text: &str, addresses: bool) -> Value {
        let trimmed = text.trim();
        let is_one_word = !trimmed.is_empty() && !trimmed.contains(char::is_whitespace);
        if addresses
            && is_one_word
            && let Some(address) = resolve_url(trimmed, self.base)
        {
            return Value::Url(address);
        }
        Value::Text(text.to_owned())
    }

    /// Blank node ids are local to their block.
    fn id(&self, written: &str) -> String {
        match written.strip_prefix("_:") {
            Some(label) => format!("_:{}.{label}", self.number),
            None => resolve_url(written, self.base).unwrap_or_else(|| written.to_owned()),
        }
    }
}
