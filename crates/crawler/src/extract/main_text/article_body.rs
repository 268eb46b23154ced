use super::sight::{Sight, characters};
use super::{PlacedBlock, PlacedText, TextSource, blocks};
use crate::extract::dom::NodeId;
use crate::extract::json_ld::{JsonLd, is_article};
use crate::extract::parse::parse;

/// Minimum length of `articleBody`, relative to the elements' text and absolute.
const TIMES_MORE: u32 = 2;
const LEAST_CHARACTERS: u32 = 250;

/// Prefers `articleBody` where it is much longer: pages filled by scripts, or behind a paywall.
pub fn fuller(json_ld: &JsonLd, from_elements: PlacedText) -> PlacedText {
    let Some((node, body)) = only_article_body(json_ld) else {
        return from_elements;
    };
    let known: u32 = from_elements
        .blocks
        .iter()
        .map(|it| characters(&it.text))
        .fold(0, u32::saturating_add);
    if characters(body) < LEAST_CHARACTERS.max(known.saturating_mul(TIMES_MORE)) {
        return from_elements;
    }
    PlacedText {
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

fn blocks_of(node: NodeId, body: &str) -> Vec<PlacedBlock> {
    let html = if body.contains("</") {
        body.to_owned()
    } else {
        body.replace('\n', "<p>")
    };
    let parsed = parse(&html);
    let drafts = blocks::drafts(&Sight::of(&parsed.dom));
    drafts
        .into_iter()
        .map(|it| PlacedBlock {
            node,
            ..it.into_block()
        })
        .collect()
}
