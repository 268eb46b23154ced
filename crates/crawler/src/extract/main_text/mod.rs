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
mod climb;
mod container;
mod elsewhere;
mod furniture;
mod sight;
mod trim;
mod vocabulary;
mod word_lists;

use super::{dom::NodeId, json_ld::JsonLd};
use analysis::observation::page_content::{Block, BlockKind, MainText, TextSource};
pub(super) use blocks::{Draft, drafts};
pub(super) use furniture::holds_title;
pub(super) use sight::{Sight, characters};
pub(super) use vocabulary::{Heard, Said};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBlock {
    pub kind: BlockKind,
    /// The element with the text; the `script` if it comes from JSON-LD.
    pub node: NodeId,
    /// White space is collapsed, except in preformatted text.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedText {
    /// In document order; none is empty.
    pub blocks: Vec<PlacedBlock>,
    pub source: TextSource,
    /// By node: whether it is in the main text.
    pub in_main: Vec<bool>,
}

impl PlacedText {
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

pub fn main_text(mut sight: Sight, json_ld: &JsonLd) -> PlacedText {
    furniture::leave_out(&mut sight);
    let drafts = drafts(&sight);
    let chosen = container::choose(&sight, &drafts);
    let kept = trim::trim(&sight, &drafts, &chosen);
    let mut is_kept = vec![false; drafts.len()];
    for at in kept {
        is_kept[at] = true;
    }
    let in_main = members(&sight, &drafts, &is_kept);
    let blocks = drafts.into_iter().zip(is_kept).filter(|it| it.1);
    let from_elements = PlacedText {
        blocks: blocks.map(|it| it.0.into_block()).collect(),
        source: TextSource::Elements,
        in_main,
    };
    article_body::fuller(json_ld, from_elements)
}

/// By node: whether it is in the main text, by the nearest element with a block, else by first and last block.
fn members(sight: &Sight, drafts: &[Draft], is_kept: &[bool]) -> Vec<bool> {
    let mut of_owner: Vec<Option<bool>> = vec![None; sight.dom.nodes.len()];
    for (draft, kept) in drafts.iter().zip(is_kept) {
        let known = &mut of_owner[draft.node];
        *known = Some(known.unwrap_or_default() || *kept);
    }
    let kept = |id: &NodeId| of_owner[*id] == Some(true);
    let first = sight.order.iter().position(kept);
    let last = sight.order.iter().rposition(kept);
    let mut inherited = of_owner.clone();
    let mut members = vec![false; sight.dom.nodes.len()];
    for (at, &id) in sight.order.iter().enumerate() {
        let outer = sight.dom.nodes[id].parent.and_then(|it| inherited[it]);
        inherited[id] = inherited[id].or(outer);
        let is_between = Some(at) >= first && Some(at) <= last && first.is_some();
        members[id] = inherited[id].unwrap_or(is_between);
    }
    members
}

#[cfg(test)]
mod tests;
