//! Pages for tests of findings, made of their blocks.

use crate::{
    observation::{
        page_content::{Block, BlockKind, Heading, PageContent, PlacedText, TagSource},
        web_site::{LinkTarget, PageLink, Placement, Position},
    },
    text::{counts::count, language::Language},
};

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

/// Counts a page's text and headings anew after its blocks were edited.
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

/// Gives a page a title.
pub fn entitle(page: &mut PageContent, title: &str) {
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
