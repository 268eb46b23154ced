//! Test pages made of blocks.

use crate::observation::page_content::{
    Block, BlockKind, Heading, PageContent, PlacedText, TagSource,
};
use crate::observation::structured_data::{Format, Item, Location, Property, SCHEMA_ORG, Value};
use crate::observation::web_site::{LinkTarget, PageLink, Placement, Position};
use crate::text::counts::count;
use crate::text::language::Language;

/// An English page of blocks.
pub fn page(url: &str, blocks: &[(BlockKind, &str)]) -> PageContent {
    let mut page = PageContent::blank(url);
    page.text.language = Some(Language::English);
    page.document.lang = Some("en".to_owned());
    let blocks = blocks.iter().map(|(kind, text)| Block {
        kind: *kind,
        text: (*text).to_owned(),
    });
    page.text.main.blocks = blocks.collect();
    recount(&mut page);
    page
}

/// An English page of paragraphs.
pub fn paragraphs(texts: &[&str]) -> PageContent {
    let blocks: Vec<_> = texts.iter().map(|it| (BlockKind::Paragraph, *it)).collect();
    page("https://example.com/page", &blocks)
}

/// Recounts a page's text and headings after its blocks were edited.
pub fn recount(page: &mut PageContent) {
    page.text.counts = count(&page.text.main.text(), page.text.language);
    page.headings.clear();
    for block in &page.text.main.blocks {
        if let BlockKind::Heading(level) = block.kind {
            page.headings.push(Heading {
                level,
                text: Some(block.text.clone()),
                is_image_alt: false,
                line: 1,
            });
        }
    }
}

pub fn set_title(page: &mut PageContent, title: &str) {
    page.titles = vec![PlacedText {
        text: title.to_owned(),
        source: TagSource::Head,
    }];
}

/// A link in the main text.
pub fn link(url: &str, text: &str) -> PageLink {
    PageLink {
        raw: url.to_owned(),
        target: LinkTarget::Web {
            url: url.to_owned(),
            fragment: None,
        },
        element: "a".to_owned(),
        attribute: "href".to_owned(),
        rel: None,
        text: Some(text.to_owned()),
        position: Position {
            line: 1,
            column: 1,
            css_path: "html > body > a".to_owned(),
        },
        placement: Placement::Content,
        in_main_text: true,
    }
}

/// A schema.org item with text properties; those that begin with `http` are URLs.
pub fn schema_item(kind: &str, properties: &[(&str, &str)]) -> Item {
    let property = |(name, text): &(&str, &str)| Property {
        name: (*name).to_owned(),
        value: if text.starts_with("http") {
            Value::Url((*text).to_owned())
        } else {
            Value::Text((*text).to_owned())
        },
    };
    Item {
        format: Format::JsonLd,
        types: vec![format!("{SCHEMA_ORG}{kind}")],
        id: None,
        properties: properties.iter().map(property).collect(),
        location: Location { line: 1, column: 1 },
        parent: None,
    }
}

/// Adds an item to a page and returns its number.
pub fn add_item(page: &mut PageContent, item: Item) -> u32 {
    let items = &mut page.structured_data.items;
    items.push(item);
    u32::try_from(items.len() - 1).unwrap()
}

/// Adds an item to a page as a property value of another.
pub fn add_nested_item(page: &mut PageContent, holder: u32, name: &str, mut item: Item) -> u32 {
    item.parent = Some(holder);
    let number = add_item(page, item);
    let holder = &mut page.structured_data.items[holder as usize];
    holder.properties.push(Property {
        name: name.to_owned(),
        value: Value::Item(number),
    });
    number
}
