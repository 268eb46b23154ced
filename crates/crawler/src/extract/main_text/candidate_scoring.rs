use super::BlockKind;
use super::blocks::Draft;
use super::candidate_expansion::{ArticleSelection, expand_candidate, is_article_text, is_main};
use super::visibility::{VisibleTree, ratio};
use crate::extract::dom::NodeId;

/// Shorter blocks have no value.
const MIN_CHARACTERS: u32 = 25;
/// Longer headings count as text.
const LONG_HEADING: u32 = 200;
/// Ancestor levels that a block adds to.
const MAX_LEVELS: usize = 6;
/// A page with a lower total value and a higher link density is an index.
const MAX_INDEX_VALUE: f64 = 12.0;
const MIN_INDEX_LINK_DENSITY: f64 = 0.5;
/// A page with a higher share of its text in short table rows is a table.
const MIN_TABLE_ROW_SHARE: f64 = 0.5;

/// Value of a block: 1, plus 1 per comma, plus up to 3 for length, reduced by its link density.
pub fn block_value(draft: &Draft) -> f64 {
    let counts = match draft.kind {
        BlockKind::Heading(_) if draft.characters > LONG_HEADING => 1.0 + f64::from(draft.commas),
        BlockKind::Heading(_) | BlockKind::Caption => return 0.0,
        BlockKind::TableRow | BlockKind::Preformatted => 1.0,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quote => {
            1.0 + f64::from(draft.commas)
        }
    };
    if draft.characters < MIN_CHARACTERS {
        return 0.0;
    }
    let length = (f64::from(draft.characters) / 100.0).min(3.0);
    (counts + length) * (1.0 - ratio(draft.linked, draft.characters))
}

pub fn select_article(tree: &VisibleTree, drafts: &[Draft]) -> ArticleSelection {
    let scores = scores(tree, drafts);
    let totals = totals(tree, drafts);
    let score = |id: NodeId| {
        scores[id]
            * (1.0 - tree.link_density(id))
            * if is_article_text(tree, id) { 1.5 } else { 1.0 }
    };
    let candidates = tree.order.iter().copied().filter(|it| scores[*it] > 0.0);
    match candidates.max_by(|a, b| score(*a).total_cmp(&score(*b))) {
        Some(best) => whole_index(tree, &totals)
            .or_else(|| whole_table(tree, drafts))
            .unwrap_or_else(|| expand_candidate(tree, &totals, best)),
        None => ArticleSelection::default(),
    }
}

/// The main part, or all, of a page that is mostly links.
fn whole_index(tree: &VisibleTree, totals: &[f64]) -> Option<ArticleSelection> {
    let main = main_part(tree);
    let is_index = totals[0] < MAX_INDEX_VALUE && tree.link_density(main) > MIN_INDEX_LINK_DENSITY;
    is_index.then(|| select_whole(main))
}

/// The same for a page that is mostly a table: its short rows have no value, so any sentence beside it would win.
fn whole_table(tree: &VisibleTree, drafts: &[Draft]) -> Option<ArticleSelection> {
    let (mut rows, mut all) = (0_u32, 0_u32);
    for draft in drafts {
        let unlinked = draft.characters.saturating_sub(draft.linked);
        all = all.saturating_add(unlinked);
        if draft.kind == BlockKind::TableRow && draft.characters < MIN_CHARACTERS {
            rows = rows.saturating_add(unlinked);
        }
    }
    (ratio(rows, all) > MIN_TABLE_ROW_SHARE).then(|| select_whole(main_part(tree)))
}

/// The element marked as main, else the document.
fn main_part(tree: &VisibleTree) -> NodeId {
    let mut elements = tree.order.iter().copied();
    elements.find(|it| is_main(tree, *it)).unwrap_or(0)
}

fn select_whole(part: NodeId) -> ArticleSelection {
    ArticleSelection {
        top: Some(part),
        ..ArticleSelection::default()
    }
}

/// Values of blocks added to their ancestors, decreasing with distance.
fn scores(tree: &VisibleTree, drafts: &[Draft]) -> Vec<f64> {
    let dom = tree.dom;
    let mut scores = vec![0.0; dom.nodes.len()];
    for draft in drafts {
        let value = block_value(draft);
        let is_leaf = dom.is_html(draft.node, "p") || draft.kind != BlockKind::Paragraph;
        let nearest = if is_leaf {
            dom.nodes[draft.node].parent
        } else {
            Some(draft.node)
        };
        let ancestors = std::iter::successors(nearest, |it| dom.nodes[*it].parent);
        for (id, level) in ancestors.take(MAX_LEVELS).zip(0_u32..) {
            scores[id] += match level {
                0 => value,
                1 => value / 2.0,
                further => value / (3.0 * f64::from(further)),
            };
        }
    }
    scores
}

fn totals(tree: &VisibleTree, drafts: &[Draft]) -> Vec<f64> {
    let mut totals = vec![0.0; tree.dom.nodes.len()];
    for draft in drafts {
        totals[draft.node] += block_value(draft);
    }
    for &id in tree.order.iter().rev() {
        if let Some(parent) = tree.dom.nodes[id].parent {
            totals[parent] += totals[id];
        }
    }
    totals
}
