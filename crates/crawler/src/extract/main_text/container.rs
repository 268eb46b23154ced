use super::BlockKind;
use super::blocks::Draft;
use super::climb::{Chosen, climb, is_article_text, is_main};
use super::sight::{Sight, share};
use crate::extract::dom::NodeId;

/// Shorter blocks have no value.
const LEAST_CHARACTERS: u32 = 25;
/// Longer headings count as text.
const LONG_HEADING: u32 = 200;
/// Ancestor levels that a block adds to.
const MOST_LEVELS: usize = 6;
/// A page with a lower total value and a higher link density is an index.
const FEW: f64 = 12.0;
const MOSTLY_LINKS: f64 = 0.5;
/// A page with a higher share of its text in short table rows is a table.
const MOSTLY_ROWS: f64 = 0.5;

/// Value of a block: 1, plus 1 per comma, plus up to 3 for length, reduced by its link density.
pub fn value(draft: &Draft) -> f64 {
    let counts = match draft.kind {
        BlockKind::Heading(_) if draft.characters > LONG_HEADING => 1.0 + f64::from(draft.commas),
        BlockKind::Heading(_) | BlockKind::Caption => return 0.0,
        BlockKind::TableRow | BlockKind::Preformatted => 1.0,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quote => {
            1.0 + f64::from(draft.commas)
        }
    };
    if draft.characters < LEAST_CHARACTERS {
        return 0.0;
    }
    let length = (f64::from(draft.characters) / 100.0).min(3.0);
    (counts + length) * (1.0 - share(draft.linked, draft.characters))
}

pub fn choose(sight: &Sight, drafts: &[Draft]) -> Chosen {
    let scores = scores(sight, drafts);
    let totals = totals(sight, drafts);
    let score = |id: NodeId| {
        scores[id]
            * (1.0 - sight.link_density(id))
            * if is_article_text(sight, id) { 1.5 } else { 1.0 }
    };
    let candidates = sight.order.iter().copied().filter(|it| scores[*it] > 0.0);
    match candidates.max_by(|a, b| score(*a).total_cmp(&score(*b))) {
        Some(best) => whole_index(sight, &totals)
            .or_else(|| whole_table(sight, drafts))
            .unwrap_or_else(|| climb(sight, &totals, best)),
        None => Chosen::default(),
    }
}

/// The main part, or all, of a page that is mostly links.
fn whole_index(sight: &Sight, totals: &[f64]) -> Option<Chosen> {
    let main = main_part(sight);
    let is_index = totals[0] < FEW && sight.link_density(main) > MOSTLY_LINKS;
    is_index.then(|| whole(main))
}

/// The same for a page that is mostly a table: its short rows have no value, so any sentence beside it would win.
fn whole_table(sight: &Sight, drafts: &[Draft]) -> Option<Chosen> {
    let (mut rows, mut all) = (0_u32, 0_u32);
    for draft in drafts {
        let unlinked = draft.characters.saturating_sub(draft.linked);
        all = all.saturating_add(unlinked);
        if draft.kind == BlockKind::TableRow && draft.characters < LEAST_CHARACTERS {
            rows = rows.saturating_add(unlinked);
        }
    }
    (share(rows, all) > MOSTLY_ROWS).then(|| whole(main_part(sight)))
}

/// The element marked as main, else the document.
fn main_part(sight: &Sight) -> NodeId {
    let mut elements = sight.order.iter().copied();
    elements.find(|it| is_main(sight, *it)).unwrap_or(0)
}

fn whole(part: NodeId) -> Chosen {
    Chosen {
        top: Some(part),
        ..Chosen::default()
    }
}

/// Values of blocks added to their ancestors, decreasing with distance.
fn scores(sight: &Sight, drafts: &[Draft]) -> Vec<f64> {
    let dom = sight.dom;
    let mut scores = vec![0.0; dom.nodes.len()];
    for draft in drafts {
        let value = value(draft);
        let is_leaf = dom.is_html(draft.node, "p") || draft.kind != BlockKind::Paragraph;
        let nearest = if is_leaf {
            dom.nodes[draft.node].parent
        } else {
            Some(draft.node)
        };
        let ancestors = std::iter::successors(nearest, |it| dom.nodes[*it].parent);
        for (id, level) in ancestors.take(MOST_LEVELS).zip(0_u32..) {
            scores[id] += match level {
                0 => value,
                1 => value / 2.0,
                further => value / (3.0 * f64::from(further)),
            };
        }
    }
    scores
}

fn totals(sight: &Sight, drafts: &[Draft]) -> Vec<f64> {
    let mut totals = vec![0.0; sight.dom.nodes.len()];
    for draft in drafts {
        totals[draft.node] += value(draft);
    }
    for &id in sight.order.iter().rev() {
        if let Some(parent) = sight.dom.nodes[id].parent {
            totals[parent] += totals[id];
        }
    }
    totals
}
