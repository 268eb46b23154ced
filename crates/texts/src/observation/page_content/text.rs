use crate::text::{counts::Counts, language::Language};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BlockKind {
    Paragraph,
    /// Its level, 1 to 6.
    Heading(u8),
    ListItem,
    /// Cells are separated by tabs.
    TableRow,
    /// Line breaks are kept.
    Preformatted,
    Quote,
    Caption,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    pub kind: BlockKind,
    /// White space collapsed, except in preformatted text.
    pub text: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextSource {
    #[default]
    Elements,
    /// `articleBody`.
    JsonLd,
}

/// Without navigation and other boilerplate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MainText {
    /// In document order, without empty ones.
    pub blocks: Vec<Block>,
    pub source: TextSource,
}

impl MainText {
    /// One block per line.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.blocks.iter().map(|it| it.text.as_str()).collect();
        texts.join("\n")
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectedLanguage {
    /// ISO 639-1, or else ISO 639-3.
    pub code: String,
    /// 0 to 1.
    pub confidence: f64,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextFacts {
    pub main: MainText,
    /// Of the main text; syllables by [`TextFacts::language`].
    pub counts: Counts,
    /// By [`TextFacts::language_of`]; `None`: only words are counted.
    pub language: Option<Language>,
    /// Of all visible text.
    pub all_words: u32,
    /// Of all visible text, without white space.
    pub all_characters: u32,
    /// Without white space.
    pub main_characters: u32,
    /// Of the main text; `None` if too short.
    pub detected: Option<DetectedLanguage>,
    /// `q` elements of the main text; at most 100.
    pub inline_quotations: Vec<String>,
    /// Footer and addresses, at most 3,000 characters.
    pub footer: String,
    /// All visible text; kept only for comparison with structured data.
    pub visible: Option<String>,
}

impl TextFacts {
    /// The declared one, unless another is detected with high confidence.
    pub fn language_of(
        declared: Option<&str>,
        detected: Option<&DetectedLanguage>,
    ) -> Option<Language> {
        const HIGH_CONFIDENCE: f64 = crate::text::language::detection::HIGH_CONFIDENCE;
        let declared = declared.and_then(Language::from_tag);
        match detected {
            Some(it) if it.confidence >= HIGH_CONFIDENCE || declared.is_none() => {
                Language::from_tag(&it.code)
            }
            _ => declared,
        }
    }
}
