use super::visibility::{VisibleTree, ratio};
use super::vocabulary::{NameSignalCache, NameSignals, names_article_text};
use crate::extract::dom::NodeId;

/// An element with a larger share of the page's text may wrap the page.
const MAX_BOILERPLATE_SHARE: f64 = 0.4;
/// An element with a larger share certainly does.
const WRAPPER_SHARE: f64 = 0.8;
/// Comments are removed only if this many characters remain.
const MIN_CHARACTERS_WITHOUT_COMMENTS: u32 = 150;
/// If a smaller share would remain, class names are ignored.
const MIN_SHARE_LEFT: f64 = 0.2;

pub fn remove_boilerplate(tree: &mut VisibleTree) {
    let by_form = flag_boilerplate(tree, |sight, id, name, in_article| {
        by_name(name, in_article) || by_role(sight, id)
    });
    tree.remove_flagged(&by_form);
    let signals = name_signals(tree);
    // A short text may have any number of comments.
    let comments = flag_comments(tree, &signals);
    if text_without(tree, &comments) >= MIN_CHARACTERS_WITHOUT_COMMENTS {
        tree.remove_flagged(&comments);
    }
    let by_words = flag_boilerplate(tree, |_, id, _, _| {
        signals[id].is_some_and(|it| it.boilerplate || (it.maybe_boilerplate && !it.content))
    });
    if ratio(text_without(tree, &by_words), unlinked_text(tree, 0)) >= MIN_SHARE_LEFT {
        tree.remove_flagged(&by_words);
    }
}

fn flag_comments(tree: &VisibleTree, signals: &[Option<NameSignals>]) -> Vec<bool> {
    let holds_title = holds_title(tree);
    let mut flagged = vec![false; tree.dom.nodes.len()];
    for &id in &tree.order {
        flagged[id] = !holds_title[id] && signals[id].is_some_and(|it| it.comments);
    }
    flagged
}

fn unlinked_text(tree: &VisibleTree, id: NodeId) -> u32 {
    tree.text_length[id] - tree.linked_length[id]
}

fn flag_boilerplate(
    tree: &VisibleTree,
    is_boilerplate: impl Fn(&VisibleTree, NodeId, &str, bool) -> bool,
) -> Vec<bool> {
    let mut flagged = vec![false; tree.dom.nodes.len()];
    let holds_title = holds_title(tree);
    let wraps_the_page = |id: NodeId, of: NodeId| {
        let part = ratio(unlinked_text(tree, id), unlinked_text(tree, of))
            .min(ratio(tree.text_length[id], tree.text_length[of]));
        part > WRAPPER_SHARE || (part > MAX_BOILERPLATE_SHARE && (holds_title[id] || of != 0))
    };
    let mut article = vec![0; tree.dom.nodes.len()];
    for &id in &tree.order {
        let Some(name) = tree.dom.name(id) else {
            continue;
        };
        let outer = tree.dom.nodes[id].parent.map_or(0, |it| article[it]);
        article[id] = if matches!(name, "article" | "main") {
            id
        } else {
            outer
        };
        let wraps = wraps_the_page(id, 0) || (outer != 0 && wraps_the_page(id, outer));
        flagged[id] = !wraps && is_boilerplate(tree, id, name, article[id] != 0);
    }
    flagged
}

/// By node: whether it contains an `h1`, `main` or an element named as article text.
pub fn holds_title(tree: &VisibleTree) -> Vec<bool> {
    let mut holds = vec![false; tree.dom.nodes.len()];
    for &id in tree.order.iter().rev() {
        let class = || tree.dom.short_attribute(id, "class");
        holds[id] |= match tree.dom.name(id) {
            Some("h1" | "main") => true,
            Some("div" | "section" | "article") => names_article_text(class()),
            _ => false,
        };
        if let Some(parent) = tree.dom.nodes[id].parent {
            holds[parent] |= holds[id];
        }
    }
    holds
}

/// Text outside links that remains without flagged elements.
fn text_without(tree: &VisibleTree, flagged: &[bool]) -> u32 {
    let mut gone = vec![false; flagged.len()];
    let mut left = unlinked_text(tree, 0);
    for &id in &tree.order {
        let with_parent = tree.dom.nodes[id].parent.is_some_and(|it| gone[it]);
        gone[id] = flagged[id] || with_parent;
        if flagged[id] && !with_parent {
            left -= unlinked_text(tree, id);
        }
    }
    left
}

fn by_name(name: &str, in_article: bool) -> bool {
    matches!(
        name,
        "nav" | "footer" | "aside" | "form" | "menu" | "search"
    ) || (name == "header" && !in_article)
}

fn by_role(tree: &VisibleTree, id: NodeId) -> bool {
    let role = tree.dom.attribute(id, "role").unwrap_or_default();
    matches!(
        role,
        "navigation"
            | "banner"
            | "contentinfo"
            | "complementary"
            | "search"
            | "menu"
            | "menubar"
            | "menuitem"
            | "dialog"
            | "alertdialog"
            | "alert"
            | "toolbar"
            | "tablist"
            | "tooltip"
            | "status"
    )
}

/// By node: signals of its class and, for containers, of its id.
fn name_signals(tree: &VisibleTree) -> Vec<Option<NameSignals>> {
    let mut cache = NameSignalCache::default();
    let mut signals = vec![None; tree.dom.nodes.len()];
    for &id in &tree.order {
        let is_holder = match tree.dom.name(id) {
            Some(
                "div" | "section" | "ul" | "ol" | "dl" | "table" | "td" | "tr" | "header"
                | "center" | "article" | "details" | "figure" | "p",
            ) => true,
            Some(
                "span" | "li" | "a" | "small" | "address" | "time" | "label" | "legend" | "dd"
                | "dt",
            ) => false,
            _ => continue,
        };
        let of_class = cache.get(tree.dom.short_attribute(id, "class"));
        signals[id] = Some(if is_holder {
            of_class.merge(NameSignals::from_id(tree.dom.short_attribute(id, "id")))
        } else {
            of_class
        });
    }
    signals
}
