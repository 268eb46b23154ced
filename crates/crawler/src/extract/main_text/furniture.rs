use super::sight::{Sight, share};
use super::vocabulary::{Heard, Said, names_article_text};
use crate::extract::dom::NodeId;

/// An element with a larger share of the page's text may wrap the page.
const MOST_FURNITURE: f64 = 0.4;
/// An element with a larger share certainly does.
const NEARLY_ALL: f64 = 0.8;
/// Comments are removed only if this many characters remain.
const LEAST_WITHOUT_COMMENTS: u32 = 150;
/// If a smaller share would remain, class names are ignored.
const LEAST_LEFT: f64 = 0.2;

pub fn leave_out(sight: &mut Sight) {
    let by_form = flagged(sight, |sight, id, name, in_article| {
        by_name(name, in_article) || by_role(sight, id)
    });
    sight.leave_out(&by_form);
    let said = said(sight);
    // A short text may have any number of comments.
    let comments = flagged_comments(sight, &said);
    if left_without(sight, &comments) >= LEAST_WITHOUT_COMMENTS {
        sight.leave_out(&comments);
    }
    let by_words = flagged(sight, |_, id, _, _| {
        said[id].is_some_and(|it| it.furniture || (it.perhaps_furniture && !it.content))
    });
    if share(left_without(sight, &by_words), own(sight, 0)) >= LEAST_LEFT {
        sight.leave_out(&by_words);
    }
}

fn flagged_comments(sight: &Sight, said: &[Option<Said>]) -> Vec<bool> {
    let holds_title = holds_title(sight);
    let mut flagged = vec![false; sight.dom.nodes.len()];
    for &id in &sight.order {
        flagged[id] = !holds_title[id] && said[id].is_some_and(|it| it.comments);
    }
    flagged
}

fn own(sight: &Sight, id: NodeId) -> u32 {
    sight.text[id] - sight.linked[id]
}

fn flagged(sight: &Sight, says_so: impl Fn(&Sight, NodeId, &str, bool) -> bool) -> Vec<bool> {
    let mut flagged = vec![false; sight.dom.nodes.len()];
    let holds_title = holds_title(sight);
    let wraps_the_page = |id: NodeId, of: NodeId| {
        let part = share(own(sight, id), own(sight, of)).min(share(sight.text[id], sight.text[of]));
        part > NEARLY_ALL || (part > MOST_FURNITURE && (holds_title[id] || of != 0))
    };
    let mut article = vec![0; sight.dom.nodes.len()];
    for &id in &sight.order {
        let Some(name) = sight.dom.name(id) else {
            continue;
        };
        let outer = sight.dom.nodes[id].parent.map_or(0, |it| article[it]);
        article[id] = if matches!(name, "article" | "main") {
            id
        } else {
            outer
        };
        let wraps = wraps_the_page(id, 0) || (outer != 0 && wraps_the_page(id, outer));
        flagged[id] = !wraps && says_so(sight, id, name, article[id] != 0);
    }
    flagged
}

/// By node: whether it contains an `h1`, `main` or an element named as article text.
pub fn holds_title(sight: &Sight) -> Vec<bool> {
    let mut holds = vec![false; sight.dom.nodes.len()];
    for &id in sight.order.iter().rev() {
        let class = || sight.dom.short_attribute(id, "class");
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

/// Text outside links that remains without flagged elements.
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
    matches!(
        name,
        "nav" | "footer" | "aside" | "form" | "menu" | "search"
    ) || (name == "header" && !in_article)
}

fn by_role(sight: &Sight, id: NodeId) -> bool {
    let role = sight.dom.attribute(id, "role").unwrap_or_default();
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
fn said(sight: &Sight) -> Vec<Option<Said>> {
    let mut heard = Heard::default();
    let mut said = vec![None; sight.dom.nodes.len()];
    for &id in &sight.order {
        let is_holder = match sight.dom.name(id) {
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
        let of_class = heard.by(sight.dom.short_attribute(id, "class"));
        said[id] = Some(if is_holder {
            of_class.and(Said::by_id(sight.dom.short_attribute(id, "id")))
        } else {
            of_class
        });
    }
    said
}
