//! The main text of a page as blocks, without boilerplate.
//!
//! Five iterative steps, each linear in the size of the tree: [`sight`] drops what is hidden or never text and
//! measures the rest, [`furniture`] drops navigation, sharing, comments and advertising by name, [`blocks`] splits
//! the rest into paragraphs, headings, list items, rows and preformatted text, [`container`] finds the element with
//! the article, and [`trim`] drops links to other pages from it. A much longer `articleBody` in the JSON-LD is used
//! instead.
//!
//! Based on Readability (Arc90 2009, Mozilla); `tests/oracles/main_text.py` measures the quality.

mod article_body;
mod blocks;
mod boilerplate;
mod candidate_expansion;
mod candidate_scoring;
mod related_content;
mod trim;
mod visibility;
mod vocabulary;
mod word_lists;

use super::{dom::NodeId, json_ld::JsonLd};
use analysis::observation::page_content::{Block, BlockKind, MainText, TextSource};
pub(super) use blocks::{Draft, drafts};
pub(super) use boilerplate::holds_title;
pub(super) use visibility::{VisibleTree, characters};
pub(super) use vocabulary::{NameSignalCache, NameSignals};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedBlock {
    pub kind: BlockKind,
    /// The element with the text; the `script` if it comes from JSON-LD.
    pub node: NodeId,
    /// White space is collapsed, except in preformatted text.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedText {
    /// In document order; none is empty.
    pub blocks: Vec<ExtractedBlock>,
    pub source: TextSource,
    /// By node: whether it is in the main text.
    pub in_main: Vec<bool>,
}

impl ExtractedText {
    pub fn into_text(self) -> MainText {
        let blocks = self.blocks.into_iter();
        MainText {
            blocks: blocks
                .map(|it| Block {
                    kind: it.kind,
                    text: it.text,
                })
                .collect(),
            source: self.source,
        }
    }
}

pub fn main_text(mut tree: VisibleTree, json_ld: &JsonLd) -> ExtractedText {
    boilerplate::remove_boilerplate(&mut tree);
    let drafts = drafts(&tree);
    let chosen = candidate_scoring::select_article(&tree, &drafts);
    let kept = trim::trim(&tree, &drafts, &chosen);
    let mut is_kept = vec![false; drafts.len()];
    for at in kept {
        is_kept[at] = true;
    }
    let in_main = main_text_nodes(&tree, &drafts, &is_kept);
    let blocks = drafts.into_iter().zip(is_kept).filter(|it| it.1);
    let from_elements = ExtractedText {
        blocks: blocks.map(|it| it.0.into_block()).collect(),
        source: TextSource::Elements,
        in_main,
    };
    article_body::prefer_longer_json_ld(json_ld, from_elements)
}

/// By node: whether it is in the main text, by the nearest element with a block, else by first and last block.
fn main_text_nodes(tree: &VisibleTree, drafts: &[Draft], is_kept: &[bool]) -> Vec<bool> {
    let mut of_owner: Vec<Option<bool>> = vec![None; tree.dom.nodes.len()];
    for (draft, kept) in drafts.iter().zip(is_kept) {
        let known = &mut of_owner[draft.node];
        *known = Some(known.unwrap_or_default() || *kept);
    }
    let kept = |id: &NodeId| of_owner[*id] == Some(true);
    let first = tree.order.iter().position(kept);
    let last = tree.order.iter().rposition(kept);
    let mut inherited = of_owner.clone();
    let mut members = vec![false; tree.dom.nodes.len()];
    for (at, &id) in tree.order.iter().enumerate() {
        let outer = tree.dom.nodes[id].parent.and_then(|it| inherited[it]);
        inherited[id] = inherited[id].or(outer);
        let is_between = Some(at) >= first && Some(at) <= last && first.is_some();
        members[id] = inherited[id].unwrap_or(is_between);
    }
    members
}

#[cfg(test)]
mod tests;
