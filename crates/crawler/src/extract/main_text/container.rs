//! Finds the element that holds the article.

use super::{BlockKind, blocks::Draft, sight::{Sight, share}};
use crate::extract::dom::NodeId;

/// Shorter blocks are no sign of an article.
const LEAST_CHARACTERS: u32 = 25;
/// How far up a block speaks for its ancestors.
const MOST_LEVELS: usize = 6;

/// How much a block looks like a part of an article: one for being there, one for each comma, up
/// to three for its length, less by its links.
pub fn value(draft: &Draft) -> f64 {
    let counts = match draft.kind {
        BlockKind::Heading(_) | BlockKind::Caption => return 0.0,
        BlockKind::TableRow | BlockKind::Preformatted => 1.0,
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quote => 1.0 + f64::from(draft.commas),
    };
    if draft.characters < LEAST_CHARACTERS {
        return 0.0;
    }
    let length = (f64::from(draft.characters) / 100.0).min(3.0);
    (counts + length) * (1.0 - share(draft.linked, draft.characters))
}

/// The element that holds the article, if there is something like one.
pub fn choose(sight: &Sight, drafts: &[Draft]) -> Option<NodeId> {
    let dom = sight.dom;
    let mut scores = vec![0.0; dom.nodes.len()];
    let mut totals = vec![0.0; dom.nodes.len()];
    for draft in drafts {
        let value = value(draft);
        let mut speaks_for = Some(draft.node);
        if dom.is_html(draft.node, "p") || draft.kind != BlockKind::Paragraph {
            speaks_for = dom.nodes[draft.node].parent;
        }
        let ancestors = std::iter::successors(speaks_for, |it| dom.nodes[*it].parent);
        for (level, id) in ancestors.take(MOST_LEVELS).enumerate() {
            scores[id] += value * match level {
                0 => 1.0,
                1 => 0.5,
                other => 1.0 / (3.0 * f64::from(u32::try_from(other).unwrap_or(u32::MAX))),
            };
        }
        totals[draft.node] += value;
    }
    for &id in sight.order.iter().rev() {
        if let Some(parent) = dom.nodes[id].parent {
            totals[parent] += totals[id];
        }
    }
    let score = |id: NodeId| scores[id] * (1.0 - sight.link_density(id));
    let best = sight.order.iter().copied().filter(|it| scores[*it] > 0.0).max_by(|a, b| score(*a).total_cmp(&score(*b)))?;
    Some(climb(sight, &totals, best))
}

/// Goes up while that brings much more of the same.
fn climb(sight: &Sight, totals: &[f64], best: NodeId) -> NodeId {
    let mut chosen = best;
    for id in sight.dom.ancestors(best) {
        if matches!(sight.dom.name(id), Some("html") | None) {
            break;
        }
        if totals[id] >= totals[chosen] * 1.2 {
            chosen = id;
        }
    }
    chosen
}
