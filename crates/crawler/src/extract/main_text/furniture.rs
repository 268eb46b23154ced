//! Leaves out of sight what says itself that it is no content.

use super::{
    sight::{Sight, share},
    vocabulary::Said,
};
use crate::extract::dom::NodeId;

/// What holds more than this part of the page's own text is no furniture, whatever it says: it
/// wraps the page.
const MOST_FURNITURE: f64 = 0.4;

/// Leaves out navigation, sharing, comments, advertising and the like.
pub fn leave_out(sight: &mut Sight) {
    let own = |sight: &Sight, id: NodeId| sight.text[id] - sight.linked[id];
    let all = own(sight, 0);
    let mut flagged = vec![false; sight.dom.nodes.len()];
    let mut in_article = vec![false; sight.dom.nodes.len()];
    for &id in &sight.order {
        let Some(name) = sight.dom.name(id) else {
            continue;
        };
        in_article[id] = matches!(name, "article" | "main")
            || sight.dom.nodes[id].parent.is_some_and(|it| in_article[it]);
        let says_so = by_name(name, in_article[id]) || by_role(sight, id) || by_words(sight, id, name);
        flagged[id] = says_so && share(own(sight, id), all) <= MOST_FURNITURE;
    }
    sight.leave_out(&flagged);
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

fn by_words(sight: &Sight, id: NodeId, name: &str) -> bool {
    if matches!(name, "html" | "body" | "main") {
        return false;
    }
    let said = Said::by([sight.dom.attribute(id, "class"), sight.dom.attribute(id, "id")]);
    said.furniture || (said.perhaps_furniture && !said.content)
}
