use super::dom::{Dom, Kind, NodeId};
use analysis::text::words::{collapsed, shortened};

pub const MAX_CHARACTERS: usize = 300;

/// The text of an element, white space collapsed, shortened.
pub fn text_of(dom: &Dom, id: NodeId) -> Option<String> {
    text_up_to(dom, id, MAX_CHARACTERS)
}

pub fn text_up_to(dom: &Dom, id: NodeId, max_characters: usize) -> Option<String> {
    // Most elements hold a single text.
    if let [only] = dom.nodes[id].children.as_slice()
        && let Kind::Text(text) = &dom.nodes[*only].kind
    {
        let text = collapsed(shortened(text, 10 * max_characters));
        return (!text.is_empty()).then(|| shortened(&text, max_characters).to_owned());
    }
    let mut text = String::new();
    let hidden = |id: NodeId| dom.is_html(id, "script") || dom.is_html(id, "style");
    for node in dom.below(id) {
        if let Kind::Text(part) = &dom.nodes[node].kind {
            let is_hidden = dom.nodes[node].parent.is_some_and(hidden);
            if !is_hidden {
                text.push_str(part);
            }
        } else if text.len() < 10 * max_characters && dom.is_html(node, "br") {
            text.push(' ');
        }
        if text.len() > 10 * max_characters {
            break;
        }
    }
    let text = collapsed(&text);
    (!text.is_empty()).then(|| shortened(&text, max_characters).to_owned())
}
