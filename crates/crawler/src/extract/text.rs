//! Text of a page: of one element, and of the main part.

use super::dom::{Dom, Kind, NodeId};
use analysis::text::words::{collapsed, shortened};

/// Link texts and titles are not kept longer than this.
const MOST_CHARACTERS: usize = 300;

/// The text of an element, white space collapsed, shortened.
pub fn text_of(dom: &Dom, id: NodeId) -> Option<String> {
    let mut text = String::new();
    let hidden = |id: NodeId| dom.is_html(id, "script") || dom.is_html(id, "style");
    for node in dom.walk(id, |it| !hidden(it)) {
        if let Kind::Text(part) = &dom.nodes[node].kind {
            text.push_str(part);
        } else if text.len() < 10 * MOST_CHARACTERS && dom.is_html(node, "br") {
            text.push(' ');
        }
        if text.len() > 10 * MOST_CHARACTERS {
            break;
        }
    }
    let text = collapsed(&text);
    (!text.is_empty()).then(|| shortened(&text, MOST_CHARACTERS).to_owned())
}

/// The text of the main part: without scripts, navigation, header, footer, sidebar, forms and
/// what is hidden.
pub fn main_text(dom: &Dom) -> String {
    let mut text = String::new();
    for node in dom.walk(0, |it| !is_left_out(dom, it)) {
        match &dom.nodes[node].kind {
            Kind::Text(part) => text.push_str(part),
            // Elements end words, except those that only change the type face.
            Kind::Element { name, .. } if !is_phrase(&name.local) => text.push(' '),
            _ => {}
        }
    }
    text
}

fn is_phrase(name: &str) -> bool {
    matches!(
        name,
        "b" | "i" | "em" | "strong" | "span" | "a" | "u" | "s" | "small" | "code" | "tt" | "font"
            | "sub" | "sup" | "abbr" | "mark" | "wbr"
    )
}

fn is_left_out(dom: &Dom, id: NodeId) -> bool {
    let Some(name) = dom.name(id) else {
        return false;
    };
    let by_name = matches!(
        name,
        "head" | "script" | "style" | "template" | "noscript" | "svg" | "nav" | "header" | "footer"
            | "aside" | "button" | "input" | "select" | "textarea" | "option"
    );
    let style = dom.attribute(id, "style").unwrap_or_default();
    by_name
        || dom.attribute(id, "hidden").is_some()
        || dom.attribute(id, "aria-hidden") == Some("true")
        || style.replace(' ', "").to_ascii_lowercase().contains("display:none")
}
