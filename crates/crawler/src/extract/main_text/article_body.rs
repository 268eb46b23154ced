use super::visibility::{VisibleTree, characters};
use super::{ExtractedBlock, ExtractedText, TextSource, blocks};
use crate::extract::dom::NodeId;
use crate::extract::json_ld::{JsonLd, is_article};
use crate::extract::parse::parse;

/// Minimum length of `articleBody`, relative to the elements' text and absolute.
const MIN_LENGTH_RATIO: u32 = 2;
const MIN_CHARACTERS: u32 = 250;

/// Prefers `articleBody` where it is much longer: pages filled by scripts, or behind a paywall.
pub fn prefer_longer_json_ld(json_ld: &JsonLd, from_elements: ExtractedText) -> ExtractedText {
    let Some((node, body)) = only_article_body(json_ld) else {
        return from_elements;
    };
    let known: u32 = from_elements
        .blocks
        .iter()
        .map(|it| characters(&it.text))
        .fold(0, u32::saturating_add);
    if characters(body) < MIN_CHARACTERS.max(known.saturating_mul(MIN_LENGTH_RATIO)) {
        return from_elements;
    }
    ExtractedText {
        blocks: blocks_of(node, body),
        source: TextSource::JsonLd,
        in_main: vec![false; from_elements.in_main.len()],
    }
}

/// `None` if the page has different articles.
fn only_article_body(json_ld: &JsonLd) -> Option<(NodeId, &str)> {
    let objects = json_ld.objects();
    let mut bodies = objects
        .iter()
        .filter(|(_, it)| is_article(it))
        .filter_map(|(id, it)| Some((*id, it["articleBody"].as_str()?)));
    let first = bodies.next()?;
    bodies.all(|it| it.1 == first.1).then_some(first)
}

fn blocks_of(node: NodeId, body: &str) -> Vec<ExtractedBlock> {
    let html = if body.contains("</") {
        body.to_owned()
    } else {
        body.replace('\n', "<p>")
    };
    let parsed = parse(&html);
    let drafts = blocks::drafts(&VisibleTree::of(&parsed.dom));
    drafts
        .into_iter()
        .map(|it| ExtractedBlock {
            node,
            ..it.into_block()
        })
        .collect()
}
