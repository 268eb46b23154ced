//! Leaves out of sight what says itself that it is no content.

use super::{
    sight::{Sight, share},
    vocabulary::{Said, names_article_text},
};
use crate::extract::dom::NodeId;

/// What holds more than this part of the page's own text, and of its text with links, may wrap the
/// page, whatever it says.
const MOST_FURNITURE: f64 = 0.4;
/// What holds nearly everything does.
const NEARLY_ALL: f64 = 0.8;
/// When less than this part would be left, names of classes are not to be believed on this page.
const LEAST_LEFT: f64 = 0.2;

/// Leaves out navigation, sharing, comments, advertising and the like.
pub fn leave_out(sight: &mut Sight) {
    let all = own(sight, 0);
    let by_form = flagged(sight, |sight, id, name, in_article| {
        by_name(name, in_article) || by_role(sight, id)
    });
    sight.leave_out(&by_form);
    let by_words = flagged(sight, |sight, id, name, _| by_words(sight, id, name));
    let left = left_without(sight, &by_words);
    if share(left, all) >= LEAST_LEFT {
        sight.leave_out(&by_words);
    }
}

/// Text outside links.
fn own(sight: &Sight, id: NodeId) -> u32 {
    sight.text[id] - sight.linked[id]
}

fn flagged(sight: &Sight, says_so: impl Fn(&Sight, NodeId, &str, bool) -> bool) -> Vec<bool> {
    let all = own(sight, 0);
    let mut flagged = vec![false; sight.dom.nodes.len()];
    let holds_title = holds_title(sight);
    let wraps_the_page = |id: NodeId| {
        let part = share(own(sight, id), all).min(share(sight.text[id], sight.text[0]));
        part > NEARLY_ALL || (part > MOST_FURNITURE && holds_title[id])
    };
    let mut in_article = vec![false; sight.dom.nodes.len()];
    for &id in &sight.order {
        let Some(name) = sight.dom.name(id) else {
            continue;
        };
        in_article[id] = matches!(name, "article" | "main")
            || sight.dom.nodes[id].parent.is_some_and(|it| in_article[it]);
        flagged[id] = says_so(sight, id, name, in_article[id]) && !wraps_the_page(id);
    }
    flagged
}

/// By node: whether a first heading, the main part or an article's text is below it.
fn holds_title(sight: &Sight) -> Vec<bool> {
    let mut holds = vec![false; sight.dom.nodes.len()];
    for &id in sight.order.iter().rev() {
        let class = || sight.dom.attribute(id, "class").unwrap_or_default();
        holds[id] |= match sight.dom.name(id) {
            Some("h1" | "main") => true,
            Some("div" | "section" | "article") => names_article_text(class()),
            _ => false,
        };
        if let Some(parent) = sight.dom.nodes[id].parent {
            holds[parent] |= holds[id];
        }
    }
    holds
}

/// How much text outside links there would be without what is flagged.
fn left_without(sight: &Sight, flagged: &[bool]) -> u32 {
    let mut gone = vec![false; flagged.len()];
    let mut left = own(sight, 0);
    for &id in &sight.order {
        let with_parent = sight.dom.nodes[id].parent.is_some_and(|it| gone[it]);
        gone[id] = flagged[id] || with_parent;
        if flagged[id] && !with_parent {
            left -= own(sight, id);
        }
    }
    left
}

fn by_name(name: &str, in_article: bool) -> bool {
    matches!(name, "nav" | "footer" | "aside" | "form" | "menu" | "search") || (name == "header" && !in_article)
}

fn by_role(sight: &Sight, id: NodeId) -> bool {
    let role = sight.dom.attribute(id, "role").unwrap_or_default();
    matches!(
        role,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "menu" | "menubar" | "menuitem"
            | "dialog" | "alertdialog" | "alert" | "toolbar" | "tablist" | "tooltip" | "status"
    )
}

/// Classes speak for every element that has no meaning of its own, ids for those that hold others:
/// the id of a heading or paragraph is made of what it says.
fn by_words(sight: &Sight, id: NodeId, name: &str) -> bool {
    let of_class = || Said::by(sight.dom.attribute(id, "class").unwrap_or_default());
    let of_id = || Said::by_id(sight.dom.attribute(id, "id").unwrap_or_default());
    let said = match name {
        "div" | "section" | "ul" | "ol" | "dl" | "table" | "td" | "tr" | "header" | "center" | "article" | "details"
        | "figure" => of_class().and(of_id()),
        "p" | "span" | "li" | "a" | "small" | "address" | "time" | "label" | "legend" | "dd" | "dt" => of_class(),
        _ => return false,
    };
    said.furniture || (said.perhaps_furniture && !said.content)
}
