//! The main text of a page, as blocks: what a reader came for, without the page's furniture.
//!
//! Five steps over the tree, each linear in its size and none recursive: [`sight`] leaves out what
//! is never read as text and measures the rest, [`furniture`] what names itself navigation,
//! sharing, comments or advertising, [`blocks`] splits what is left into paragraphs, headings, list
//! items, rows and preformatted text, [`container`] finds the element that holds the article, and
//! [`trim`] leaves out of it what only leads elsewhere. Where the page's JSON-LD holds much more of
//! an article than its elements do, that is the text.
//!
//! The family is Readability's (Arc90 2009, Mozilla); what is measured, and against what, stands in
//! `tests/oracles/main_text.py`.

mod article_body;
mod blocks;
mod climb;
mod container;
mod elsewhere;
mod furniture;
mod sight;
mod trim;
mod vocabulary;
mod word_lists;

use super::{dom::NodeId, json_ld::JsonLd};
pub(super) use blocks::{Draft, drafts};
pub(super) use furniture::holds_title;
pub(super) use sight::Sight;
pub(super) use vocabulary::Said;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Running text.
    Paragraph,
    /// A heading of a level from 1 to 6.
    Heading(u8),
    /// Text of an item of a list.
    ListItem,
    /// A row of a table; its cells are separated by tabs.
    TableRow,
    /// Preformatted text, its lines kept.
    Preformatted,
    /// Text of a block quotation.
    Quote,
    /// The caption of a figure or table.
    Caption,
}

/// A piece of text that stands on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// The element that holds it, as the number of its node in the page's tree.
    pub node: NodeId,
    /// Its text: white space collapsed, except in preformatted text.
    pub text: String,
}

/// Where the main text was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSource {
    /// The page's elements.
    Elements,
    /// `articleBody` of the page's JSON-LD; its blocks name the script's node.
    JsonLd,
}

/// The main text of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainText {
    /// Its blocks, in document order; none is empty.
    pub blocks: Vec<Block>,
    /// Where it was read.
    pub source: TextSource,
}

impl MainText {
    /// All of it, a block a line.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.blocks.iter().map(|it| it.text.as_str()).collect();
        texts.join("\n")
    }
}

/// Reads the main text of what is in sight of a page.
pub fn main_text(mut sight: Sight, json_ld: &JsonLd) -> MainText {
    furniture::leave_out(&mut sight);
    let drafts = drafts(&sight);
    let chosen = container::choose(&sight, &drafts);
    let kept = trim::trim(&sight, &drafts, &chosen);
    let from_elements = MainText {
        blocks: kept.into_iter().map(|it| drafts[it].block()).collect(),
        source: TextSource::Elements,
    };
    article_body::fuller(json_ld, from_elements)
}

#[cfg(test)]
mod tests;
