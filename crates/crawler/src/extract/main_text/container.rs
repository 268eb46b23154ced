use super::BlockKind;
use super::blocks::Draft;
use super::climb::{Chosen, climb, is_article_text, is_main};
use super::sight::{Sight, share};
use crate::extract::dom::NodeId;

/// Shorter blocks are no sign of an article.
const LEAST_CHARACTERS: u32 = 25;
/// Longer headings are text in an element of headings.
const LONG_HEADING: u32 = 200;
/// How far up a block speaks for its ancestors.
const MOST_LEVELS: usize = 6;
/// A page whose whole text is worth less than this and whose main part links to this degree is an index.
const FEW: f64 = 12.0;
const MOSTLY_LINKS: f64 = 0.5;
/// A page of which this part of the text stands in short rows of tables is a table.
const MOSTLY_ROWS: f64 = 0.5;

/// How much a block looks like part of an article: one, one for each comma, up to three for length, less by its links.
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

/// The main part, or all, of a page that has hardly any text but links.
fn whole_index(sight: &Sight, totals: &[f64]) -> Option<Chosen> {
    let main = main_part(sight);
    let is_index = totals[0] < FEW && sight.link_density(main) > MOSTLY_LINKS;
    is_index.then(|| whole(main))
}

/// The same of a page that is a table: its short rows are worth nothing one by one, so any sentence beside it would win.
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

/// The element that says that it is the main part, or else the page.
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

/// What the blocks say for the elements they stand in, less the farther away.
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
