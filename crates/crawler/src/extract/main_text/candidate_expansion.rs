//! Expands the best candidate to the whole article, ancestor by ancestor.

use super::{visibility::VisibleTree, vocabulary::names_article_text};
use crate::extract::dom::NodeId;
use std::collections::HashSet;

/// Minimum gain for taking in the parent, and with siblings of the same class.
const MIN_GAIN: f64 = 0.2;
const MIN_GAIN_SAME_CLASS: f64 = 0.02;
/// The same for leaving an element that is named as article text.
const MIN_GAIN_FROM_TEXT: f64 = 1.0;
const MIN_GAIN_FROM_TEXT_SAME_CLASS: f64 = 0.1;
/// If the rest of an article exceeds this share, the candidate is only a part of it.
const MINOR_PART_RATIO: f64 = 0.8;
/// Dissimilar siblings belong to the text if they are this long and have few links.
const MIN_PLAIN_TEXT: u32 = 140;
const MAX_LINKED_PLAIN_TEXT: f64 = 0.15;

/// After this many levels without gain, only similar siblings are taken in.
const MAX_IDLE: usize = 4;
/// Characters of an article's lead, and its maximum link density.
const LEAD_CHARACTERS: std::ops::RangeInclusive<u32> = 60..=1_200;
const MAX_LINKED_LEAD: f64 = 0.2;
const MAX_CLASSES: usize = 12;

#[derive(Debug, Default)]
pub struct ArticleSelection {
    pub top: Option<NodeId>,
    pub excluded: HashSet<NodeId>,
    pub leads: HashSet<NodeId>,
}

pub fn expand_candidate(tree: &VisibleTree, totals: &[f64], best: NodeId) -> ArticleSelection {
    let mut chosen = ArticleSelection {
        top: Some(best),
        ..ArticleSelection::default()
    };
    let mut path = ExpansionState {
        child: best,
        value: totals[best],
        in_text: is_article_text(tree, best),
        idle: 0,
    };
    let mut aside = HashSet::new();
    for id in tree.dom.ancestors(best) {
        if matches!(tree.dom.name(id), Some("html") | None) {
            break;
        }
        let level = Level::of(tree, totals, id, &path);
        aside.extend(level.others.iter().copied());
        if level.gain >= level.min_gain(&path) * path.value || level.holds_more(&path) {
            chosen.top = Some(id);
            if level.holds_more(&path) {
                aside.clear();
            }
            chosen.excluded.extend(aside.drain());
            chosen.leads.clear();
            path.value += level.gain;
            path.idle = 0;
        } else {
            path.idle += 1;
            if path.idle <= MAX_IDLE {
                chosen.leads.extend(leads(tree, totals, id, path.child));
            }
        }
        path.in_text |= level.is_text;
        path.child = id;
    }
    chosen
}

struct ExpansionState {
    child: NodeId,
    value: f64,
    in_text: bool,
    /// Levels since the last gain.
    idle: usize,
}

struct Level {
    others: Vec<NodeId>,
    gain: f64,
    is_text: bool,
    same_class: bool,
    is_minor: bool,
}

impl Level {
    fn of(tree: &VisibleTree, totals: &[f64], id: NodeId, path: &ExpansionState) -> Self {
        let siblings = tree.dom.nodes[id].children.iter().copied();
        let siblings = siblings.filter(|it| *it != path.child && totals[*it] > 0.0);
        let is_near = path.idle < MAX_IDLE;
        let (parts, others): (Vec<_>, Vec<_>) = siblings.partition(|it| {
            are_alike(tree, path.child, *it) || (is_near && is_plain_text(tree, *it))
        });
        let rest: f64 = others.iter().map(|it| totals[*it]).sum();
        Self {
            gain: totals[id] - totals[path.child] - rest,
            is_text: is_article_text(tree, id),
            same_class: parts.iter().any(|it| share_a_class(tree, path.child, *it)),
            is_minor: is_article(tree, id) && rest > MINOR_PART_RATIO * path.value,
            others,
        }
    }

    fn min_gain(&self, path: &ExpansionState) -> f64 {
        match (path.in_text, self.same_class) {
            (true, true) => MIN_GAIN_FROM_TEXT_SAME_CLASS,
            (true, false) => MIN_GAIN_FROM_TEXT,
            (false, true) => MIN_GAIN_SAME_CLASS,
            (false, false) => MIN_GAIN,
        }
    }

    /// Whether it is named as article text, or is an article of which the child is the smaller part.
    fn holds_more(&self, path: &ExpansionState) -> bool {
        (self.is_text || self.is_minor) && !path.in_text
    }
}

fn leads(tree: &VisibleTree, totals: &[f64], parent: NodeId, child: NodeId) -> Vec<NodeId> {
    let before = tree.dom.nodes[parent]
        .children
        .iter()
        .copied()
        .take_while(|it| *it != child);
    let is_lead = |id: &NodeId| {
        totals[*id] > 0.0
            && LEAD_CHARACTERS.contains(&tree.text_length[*id])
            && tree.link_density(*id) < MAX_LINKED_LEAD
            && matches!(
                tree.dom.name(*id),
                Some("p" | "div" | "section" | "header" | "h2" | "h3" | "h4" | "blockquote")
            )
    };
    before.filter(is_lead).collect()
}

pub fn is_main(tree: &VisibleTree, id: NodeId) -> bool {
    tree.dom.name(id) == Some("main") || tree.dom.attribute(id, "role") == Some("main")
}

pub fn is_article_text(tree: &VisibleTree, id: NodeId) -> bool {
    let of = |name| tree.dom.short_attribute(id, name);
    of("itemprop") == "articleBody"
        || names_article_text(of("class"))
        || names_article_text(of("id"))
}

fn is_article(tree: &VisibleTree, id: NodeId) -> bool {
    tree.dom.name(id) == Some("article") || is_main(tree, id)
}

fn is_plain_text(tree: &VisibleTree, id: NodeId) -> bool {
    tree.dom.name(id) != Some("td")
        && tree.text_length[id] >= MIN_PLAIN_TEXT
        && tree.link_density(id) < MAX_LINKED_PLAIN_TEXT
}

/// Whether two siblings belong to one text: text elements, or the same name and class.
fn are_alike(tree: &VisibleTree, one: NodeId, other: NodeId) -> bool {
    let name = tree.dom.name(other);
    if matches!(
        name,
        None | Some(
            "p" | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "ul"
                | "ol"
                | "dl"
                | "pre"
                | "blockquote"
                | "figure"
                | "li"
                | "dd"
        )
    ) {
        return true;
    }
    name == tree.dom.name(one)
        && (share_a_class(tree, one, other)
            || (name != Some("td") && have_no_class(tree, one, other)))
}

fn share_a_class(tree: &VisibleTree, one: NodeId, other: NodeId) -> bool {
    let classes = |id| {
        tree.dom
            .short_attribute(id, "class")
            .split_ascii_whitespace()
            .take(MAX_CLASSES)
    };
    tree.dom.name(one) == tree.dom.name(other)
        && classes(one).any(|it| classes(other).any(|other| it == other))
}

fn have_no_class(tree: &VisibleTree, one: NodeId, other: NodeId) -> bool {
    let has_none = |id| {
        tree.dom
            .attribute(id, "class")
            .is_none_or(|it| it.trim().is_empty())
    };
    has_none(one) && has_none(other)
}
