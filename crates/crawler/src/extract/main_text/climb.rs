//! Expands the best candidate to the whole article, ancestor by ancestor.

use super::{sight::Sight, vocabulary::names_article_text};
use crate::extract::dom::NodeId;
use std::collections::HashSet;

/// Minimum gain for taking in the parent, and with siblings of the same class.
const WORTHY_GAIN: f64 = 0.2;
const WORTHY_GAIN_OF_A_KIND: f64 = 0.02;
/// The same for leaving an element that is named as article text.
const WORTHY_GAIN_OF_TEXT: f64 = 1.0;
const WORTHY_GAIN_OF_A_KIND_OF_TEXT: f64 = 0.1;
/// If the rest of an article exceeds this share, the candidate is only a part of it.
const MINOR: f64 = 0.8;
/// Dissimilar siblings belong to the text if they are this long and have few links.
const LEAST_PLAIN_TEXT: u32 = 140;
const MOST_LINKED_PLAIN_TEXT: f64 = 0.15;

/// After this many levels without gain, only similar siblings are taken in.
const MOST_IDLE: usize = 4;
/// Characters of an article's lead, and its maximum link density.
const LEAD: std::ops::RangeInclusive<u32> = 60..=1_200;
const MOST_LINKED_LEAD: f64 = 0.2;
const MOST_CLASSES: usize = 12;

#[derive(Debug, Default)]
pub struct Chosen {
    pub top: Option<NodeId>,
    pub except: HashSet<NodeId>,
    pub leads: HashSet<NodeId>,
}

pub fn climb(sight: &Sight, totals: &[f64], best: NodeId) -> Chosen {
    let mut chosen = Chosen {
        top: Some(best),
        ..Chosen::default()
    };
    let mut path = Path {
        child: best,
        value: totals[best],
        in_text: is_article_text(sight, best),
        idle: 0,
    };
    let mut aside = HashSet::new();
    for id in sight.dom.ancestors(best) {
        if matches!(sight.dom.name(id), Some("html") | None) {
            break;
        }
        let level = Level::of(sight, totals, id, &path);
        aside.extend(level.others.iter().copied());
        if level.gain >= level.wanted(&path) * path.value || level.holds_more(&path) {
            chosen.top = Some(id);
            if level.holds_more(&path) {
                aside.clear();
            }
            chosen.except.extend(aside.drain());
            chosen.leads.clear();
            path.value += level.gain;
            path.idle = 0;
        } else {
            path.idle += 1;
            if path.idle <= MOST_IDLE {
                chosen.leads.extend(leads(sight, totals, id, path.child));
            }
        }
        path.in_text |= level.is_text;
        path.child = id;
    }
    chosen
}

struct Path {
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
    of_a_kind: bool,
    is_minor: bool,
}

impl Level {
    fn of(sight: &Sight, totals: &[f64], id: NodeId, path: &Path) -> Self {
        let siblings = sight.dom.nodes[id].children.iter().copied();
        let siblings = siblings.filter(|it| *it != path.child && totals[*it] > 0.0);
        let is_near = path.idle < MOST_IDLE;
        let (parts, others): (Vec<_>, Vec<_>) = siblings.partition(|it| {
            are_alike(sight, path.child, *it) || (is_near && is_plain_text(sight, *it))
        });
        let rest: f64 = others.iter().map(|it| totals[*it]).sum();
        Self {
            gain: totals[id] - totals[path.child] - rest,
            is_text: is_article_text(sight, id),
            of_a_kind: parts.iter().any(|it| share_a_class(sight, path.child, *it)),
            is_minor: is_article(sight, id) && rest > MINOR * path.value,
            others,
        }
    }

    fn wanted(&self, path: &Path) -> f64 {
        match (path.in_text, self.of_a_kind) {
            (true, true) => WORTHY_GAIN_OF_A_KIND_OF_TEXT,
            (true, false) => WORTHY_GAIN_OF_TEXT,
            (false, true) => WORTHY_GAIN_OF_A_KIND,
            (false, false) => WORTHY_GAIN,
        }
    }

    /// Whether it is named as article text, or is an article of which the child is the smaller part.
    fn holds_more(&self, path: &Path) -> bool {
        (self.is_text || self.is_minor) && !path.in_text
    }
}

fn leads(sight: &Sight, totals: &[f64], parent: NodeId, child: NodeId) -> Vec<NodeId> {
    let before = sight.dom.nodes[parent]
        .children
        .iter()
        .copied()
        .take_while(|it| *it != child);
    let is_lead = |id: &NodeId| {
        totals[*id] > 0.0
            && LEAD.contains(&sight.text[*id])
            && sight.link_density(*id) < MOST_LINKED_LEAD
            && matches!(
                sight.dom.name(*id),
                Some("p" | "div" | "section" | "header" | "h2" | "h3" | "h4" | "blockquote")
            )
    };
    before.filter(is_lead).collect()
}

pub fn is_main(sight: &Sight, id: NodeId) -> bool {
    sight.dom.name(id) == Some("main") || sight.dom.attribute(id, "role") == Some("main")
}

pub fn is_article_text(sight: &Sight, id: NodeId) -> bool {
    let of = |name| sight.dom.short_attribute(id, name);
    of("itemprop") == "articleBody"
        || names_article_text(of("class"))
        || names_article_text(of("id"))
}

fn is_article(sight: &Sight, id: NodeId) -> bool {
    sight.dom.name(id) == Some("article") || is_main(sight, id)
}

fn is_plain_text(sight: &Sight, id: NodeId) -> bool {
    sight.dom.name(id) != Some("td")
        && sight.text[id] >= LEAST_PLAIN_TEXT
        && sight.link_density(id) < MOST_LINKED_PLAIN_TEXT
}

/// Whether two siblings belong to one text: text elements, or the same name and class.
fn are_alike(sight: &Sight, one: NodeId, other: NodeId) -> bool {
    let name = sight.dom.name(other);
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
    name == sight.dom.name(one)
        && (share_a_class(sight, one, other)
            || (name != Some("td") && have_no_class(sight, one, other)))
}

fn share_a_class(sight: &Sight, one: NodeId, other: NodeId) -> bool {
    let classes = |id| {
        sight
            .dom
            .short_attribute(id, "class")
            .split_ascii_whitespace()
            .take(MOST_CLASSES)
    };
    sight.dom.name(one) == sight.dom.name(other)
        && classes(one).any(|it| classes(other).any(|other| it == other))
}

fn have_no_class(sight: &Sight, one: NodeId, other: NodeId) -> bool {
    let has_none = |id| {
        sight
            .dom
            .attribute(id, "class")
            .is_none_or(|it| it.trim().is_empty())
    };
    has_none(one) && has_none(other)
}
