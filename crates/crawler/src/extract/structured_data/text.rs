use super::super::dom::{Dom, Kind, NodeId};
use super::collector::Collector;
use analysis::text::words::{collapsed, shortened};

/// Longer values are cut anyway.
const MAX_TEXT_BYTES: usize = 20_000;

/// Text of an element and its descendants, without scripts and style sheets, white space collapsed.
pub fn text_content(dom: &Dom, id: NodeId, found: &mut Collector) -> String {
    let (mut text, mut stack) = (String::new(), vec![id]);
    if found.is_full() {
        return text;
    }
    while let Some(node) = stack.pop() {
        if !found.may_visit(1) || text.len() > MAX_TEXT_BYTES {
            break;
        }
        match &dom.nodes[node].kind {
            Kind::Text(part) => text.push_str(shortened(part, MAX_TEXT_BYTES)),
            _ if dom.is_html(node, "script") || dom.is_html(node, "style") => {}
            _ => stack.extend(dom.nodes[node].children.iter().rev()),
        }
    }
    collapsed(&text)
}
