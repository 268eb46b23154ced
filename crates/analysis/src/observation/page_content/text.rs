//! The text of a page.

use crate::text::{counts::Counts, language::Language};
use serde::{Deserialize, Serialize};

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text: white space collapsed, except in preformatted text.
    pub text: String,
}

/// Where the main text was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextSource {
    /// The page's elements.
    #[default]
    Elements,
    /// `articleBody` of the page's JSON-LD.
    JsonLd,
}

/// The main text of a page: what a reader came for, without the page's furniture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

/// A language that was told from a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectedLanguage {
    /// The ISO 639-1 code, or that of ISO 639-3 where there is none.
    pub code: String,
    /// Confidence from 0 to 1.
    pub confidence: f64,
}

/// The text of a page, and what was counted in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextFacts {
    /// The main text.
    pub main: MainText,
    /// Counts of the main text; syllables by [`TextFacts::language`].
    pub counts: Counts,
    /// The language that it was counted in: the declared one unless the text is surely in another;
    /// `None` for a language of which only words are counted.
    pub language: Option<Language>,
    /// Words of all text in sight, furniture included.
    pub all_words: u32,
    /// Characters of all text in sight, white space not counted.
    pub all_characters: u32,
    /// Characters of the main text, white space not counted.
    pub main_characters: u32,
    /// The language of the main text, told from its letters; `None` where there is too little.
    pub detected: Option<DetectedLanguage>,
    /// Text of `q` elements in the main text; at most 100.
    pub inline_quotations: Vec<String>,
    /// Text of the page's footer and of its addresses, at most 3,000 characters.
    pub footer: String,
    /// Everything that a reader sees; kept only where the page has structured data to compare it
    /// with.
    pub visible: Option<String>,
}

impl TextFacts {
    /// The language to count a text in: the declared one unless the text is surely in another.
    #[must_use]
    pub fn language_of(
        declared: Option<&str>,
        detected: Option<&DetectedLanguage>,
    ) -> Option<Language> {
        const SURE: f64 = crate::text::language::detection::SURE;
        let declared = declared.and_then(Language::from_tag);
        match detected {
            Some(it) if it.confidence >= SURE || declared.is_none() => Language::from_tag(&it.code),
            _ => declared,
        }
    }
}
