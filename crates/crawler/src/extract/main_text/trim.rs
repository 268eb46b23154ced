use super::BlockKind;
use super::blocks::Draft;
use super::candidate_expansion::ArticleSelection;
use super::related_content::{announces_other_pages, is_credit};
use super::visibility::{VisibleTree, ratio};

/// A block with this share of its text in links is a link block.
const MAX_LINKED: f64 = 0.6;
const MAX_LINKED_ROW: f64 = 0.9;
/// If a smaller share would remain, the page is an index and links are kept.
const MIN_SHARE_LEFT: f64 = 0.25;
/// Consecutive link blocks that are kept between text.
const MAX_LINK_RUN: usize = 4;
/// Longer headings are kept, whatever follows.
const MAX_HEADING: u32 = 100;
/// Longer texts are not announcements.
const MAX_ANNOUNCEMENT: u32 = 80;

pub fn trim(tree: &VisibleTree, drafts: &[Draft], chosen: &ArticleSelection) -> Vec<usize> {
    let is_inside = selected_nodes(tree, chosen);
    let inside: Vec<usize> = (0..drafts.len())
        .filter(|it| is_inside[drafts[*it].node])
        .collect();
    let kept = without_link_runs(drafts, &inside);
    let size = |all: &[usize]| {
        all.iter()
            .map(|it| drafts[*it].characters)
            .fold(0, u32::saturating_add)
    };
    if ratio(size(&kept), size(&inside)) < MIN_SHARE_LEFT {
        return inside;
    }
    without_empty_headings(drafts, without_announcements(drafts, kept))
}

fn selected_nodes(tree: &VisibleTree, chosen: &ArticleSelection) -> Vec<bool> {
    let mut inside = vec![chosen.top.is_none(); tree.dom.nodes.len()];
    for &id in &tree.order {
        let with_parent = tree.dom.nodes[id].parent.is_some_and(|it| inside[it]);
        let begins = chosen.top.is_none_or(|it| it == id) || chosen.leads.contains(&id);
        inside[id] = begins || (with_parent && !chosen.excluded.contains(&id));
    }
    inside
}

fn is_link_block(draft: &Draft) -> bool {
    let linked = ratio(draft.linked, draft.characters);
    match draft.kind {
        BlockKind::Heading(_) => false,
        BlockKind::TableRow => linked >= MAX_LINKED_ROW,
        _ => linked >= MAX_LINKED,
    }
}

/// Removes link blocks, except short runs between text.
fn without_link_runs(drafts: &[Draft], inside: &[usize]) -> Vec<usize> {
    let mut kept = Vec::with_capacity(inside.len());
    let mut run = Vec::new();
    for &at in inside {
        if is_link_block(&drafts[at]) {
            run.push(at);
            continue;
        }
        let follows_text = kept
            .last()
            .is_some_and(|it: &usize| !matches!(drafts[*it].kind, BlockKind::Heading(_)));
        if run.len() <= MAX_LINK_RUN && follows_text {
            kept.append(&mut run);
        }
        run.clear();
        kept.push(at);
    }
    kept
}

/// Removes announcements of other pages with what they announce, and image credits.
fn without_announcements(drafts: &[Draft], kept: Vec<usize>) -> Vec<usize> {
    let mut out = Vec::with_capacity(kept.len());
    let mut announced = false;
    for at in kept {
        let draft = &drafts[at];
        let is_heading = matches!(draft.kind, BlockKind::Heading(_));
        if draft.characters <= MAX_ANNOUNCEMENT && announces_other_pages(&draft.text) {
            announced = is_heading;
            continue;
        }
        announced &= !is_heading && (draft.linked > 0 || draft.characters < MAX_ANNOUNCEMENT);
        let only_credits = draft.kind == BlockKind::Caption && is_credit(&draft.text);
        if !announced && !only_credits {
            out.push(at);
        }
    }
    out
}

/// Removes headings that nothing follows but a heading of the same or a higher level.
fn without_empty_headings(drafts: &[Draft], kept: Vec<usize>) -> Vec<usize> {
    let mut out: Vec<usize> = Vec::with_capacity(kept.len());
    let mut next: Option<u8> = Some(0);
    for at in kept.into_iter().rev() {
        match (drafts[at].kind, next) {
            (BlockKind::Heading(level), Some(following))
                if following <= level && is_short(&drafts[at]) => {}
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

/// A full sentence is kept even in a heading element.
fn is_short(draft: &Draft) -> bool {
    draft.characters <= MAX_HEADING && !draft.text.ends_with(['.', '!', '?', '…', '"', '”'])
}
