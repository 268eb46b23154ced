use super::super::dom::SourcePosition;
use analysis::observation::structured_data::{
    DataLimit, Format, Item, Location, MetaProperty, OutsideItem, PageStructuredData, ParseError,
    Property, SyntaxNote, SyntaxNoteKind, Value,
};
use analysis::text::words::shortened;

const MAX_ITEMS: usize = 5_000;
/// Values, types and ids per page.
const MAX_VALUES: usize = 50_000;
const MAX_TYPES: usize = 50;
/// Characters per value.
const MAX_CHARACTERS: usize = 5_000;
/// Bytes of all texts together.
const MAX_TEXT: usize = 2 << 20;
/// Characters per name.
const MAX_NAME: usize = 500;
const MAX_NOTES: usize = 200;
/// Visits to elements: with `itemref`, they can exceed the number of elements.
const MAX_WORK: usize = 4_000_000;

#[derive(Default)]
pub struct Collector {
    data: PageStructuredData,
    values: usize,
    text: usize,
    work: usize,
}

impl Collector {
    pub fn finished(self) -> PageStructuredData {
        self.data
    }

    /// `None` when there are too many.
    pub fn open(
        &mut self,
        format: Format,
        place: SourcePosition,
        parent: Option<u32>,
    ) -> Option<u32> {
        if self.data.items.len() >= MAX_ITEMS {
            self.limit(DataLimit::Items);
            return None;
        }
        let number = u32::try_from(self.data.items.len()).ok()?;
        self.data.items.push(Item {
            format,
            types: Vec::new(),
            id: None,
            properties: Vec::new(),
            location: location(place),
            parent,
        });
        Some(number)
    }

    pub fn add_type(&mut self, item: u32, name: &str) {
        let name = shortened(name, MAX_NAME);
        if self.is_counted() {
            let types = &mut self.item(item).types;
            if types.len() < MAX_TYPES && types.iter().all(|it| it != name) {
                types.push(name.to_owned());
            }
        }
    }

    pub fn set_id(&mut self, item: u32, id: &str) {
        self.item(item).id = Some(shortened(id, MAX_NAME).to_owned());
    }

    pub fn id(&self, item: u32) -> Option<&str> {
        self.data.item(item)?.id.as_deref()
    }

    pub fn parent(&self, item: u32) -> Option<u32> {
        self.data.item(item)?.parent
    }

    pub fn add(&mut self, item: u32, name: &str, value: Value) {
        if !self.is_counted() {
            return;
        }
        let value = match value {
            Value::Text(text) => self.cut(text).map(Value::Text),
            Value::Url(text) => self.cut(text).map(Value::Url),
            Value::Reference(text) => self.cut(text).map(Value::Reference),
            other => Some(other),
        };
        if let Some(value) = value {
            let name = shortened(name, MAX_NAME).to_owned();
            self.item(item).properties.push(Property { name, value });
        }
    }

    pub fn add_meta(&mut self, twitter: bool, name: &str, content: &str) {
        if !self.is_counted() {
            return;
        }
        let Some(content) = self.cut(content.to_owned()) else {
            return;
        };
        let name = shortened(name, MAX_NAME).to_owned();
        let list = if twitter {
            &mut self.data.twitter
        } else {
            &mut self.data.open_graph
        };
        list.push(MetaProperty { name, content });
    }

    pub fn error(&mut self, message: String, place: SourcePosition) {
        if self.data.parse_errors.len() >= MAX_NOTES {
            self.limit(DataLimit::Notes);
            return;
        }
        let location = location(place);
        self.data
            .parse_errors
            .push(ParseError { message, location });
    }

    pub fn note(&mut self, kind: SyntaxNoteKind, place: SourcePosition, item: Option<u32>) {
        if self.data.notes.len() >= MAX_NOTES {
            self.limit(DataLimit::Notes);
            return;
        }
        self.data.notes.push(SyntaxNote {
            kind,
            location: location(place),
            item,
        });
    }

    pub fn add_outside(
        &mut self,
        properties: Vec<String>,
        types: Vec<String>,
        place: SourcePosition,
    ) {
        if self.data.outside_items.len() >= MAX_NOTES {
            self.limit(DataLimit::Notes);
            return;
        }
        let short = |all: Vec<String>| -> Vec<String> {
            let some = all.iter().take(MAX_TYPES);
            some.map(|it| shortened(it, MAX_NAME).to_owned()).collect()
        };
        self.data.outside_items.push(OutsideItem {
            properties: short(properties),
            types: short(types),
            location: location(place),
        });
    }

    pub fn is_complete(&self) -> bool {
        self.data.limits.is_empty()
    }

    pub fn limit(&mut self, limit: DataLimit) {
        self.data.limits.insert(limit);
    }

    pub fn may_visit(&mut self, elements: usize) -> bool {
        self.work = self.work.saturating_add(elements);
        if self.work > MAX_WORK {
            self.limit(DataLimit::Work);
        }
        self.work <= MAX_WORK
    }

    pub fn is_full(&self) -> bool {
        self.text > MAX_TEXT || self.values > MAX_VALUES
    }

    /// `number` comes from [`Collector::open`].
    fn item(&mut self, number: u32) -> &mut Item {
        &mut self.data.items[number as usize]
    }

    fn is_counted(&mut self) -> bool {
        self.values += 1;
        if self.values > MAX_VALUES {
            self.limit(DataLimit::Values);
        }
        self.values <= MAX_VALUES
    }

    fn cut(&mut self, text: String) -> Option<String> {
        let kept = shortened(&text, MAX_CHARACTERS).len();
        self.text += kept;
        if kept < text.len() || self.text > MAX_TEXT {
            self.limit(DataLimit::Text);
        }
        if self.text > MAX_TEXT {
            return None;
        }
        let mut text = text;
        text.truncate(kept);
        text.shrink_to_fit();
        Some(text)
    }
}

fn location(place: SourcePosition) -> Location {
    Location {
        line: place.line,
        column: place.column,
    }
}
