//! Leaves out of the article what only leads elsewhere.

use super::{
    BlockKind,
    blocks::Draft,
    container::Chosen,
    sight::{Sight, share},
};

/// A block with this part of its text in links leads elsewhere.
const MOST_LINKED: f64 = 0.6;
/// With less than this part left, links are what the page is for: an index.
const LEAST_LEFT: f64 = 0.25;

/// A longer heading is not idle, whatever follows.
const MOST_HEADING: u32 = 100;

/// The numbers of the blocks that are kept.
pub fn trim(sight: &Sight, drafts: &[Draft], chosen: &Chosen) -> Vec<usize> {
    let inside: Vec<usize> = (0..drafts.len()).filter(|it| is_inside(sight, &drafts[*it], chosen)).collect();
    let mut kept = inside.clone();
    kept.retain(|it| {
        let draft = &drafts[*it];
        matches!(draft.kind, BlockKind::Heading(_)) || share(draft.linked, draft.characters) < MOST_LINKED
    });
    let size = |all: &[usize]| all.iter().map(|it| drafts[*it].characters).fold(0, u32::saturating_add);
    if share(size(&kept), size(&inside)) < LEAST_LEFT { inside } else { without_idle_headings(drafts, kept) }
}

fn is_inside(sight: &Sight, draft: &Draft, chosen: &Chosen) -> bool {
    let Some(top) = chosen.top else {
        return true;
    };
    for id in std::iter::once(draft.node).chain(sight.dom.ancestors(draft.node)) {
        if id == top {
            return true;
        }
        if chosen.except.contains(&id) {
            return false;
        }
    }
    false
}

/// Leaves out headings at the end, and those that only another of their level or a higher one
/// follows.
fn without_idle_headings(drafts: &[Draft], kept: Vec<usize>) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::with_capacity(kept.len());
    let mut next: Option<u8> = Some(0);
    for at in kept.into_iter().rev() {
        match (drafts[at].kind, next) {
            (BlockKind::Heading(level), Some(following)) if following <= level && is_short(&drafts[at]) => {}
            (BlockKind::Heading(level), _) => {
                next = Some(level);
                out.push(at);
            }
            _ => {
                next = None;
                out.push(at);
            }
        }
    }
    out.reverse();
    out
}

/// A sentence in a heading's element says something of its own.
fn is_short(draft: &Draft) -> bool {
    draft.characters <= MOST_HEADING && !draft.text.ends_with(['.', '!', '?', '…', '"', '”'])
}
