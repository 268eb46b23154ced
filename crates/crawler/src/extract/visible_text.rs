use super::dom::{Dom, Kind, NodeId};

/// Text that is not hidden, with a space between elements; with navigation, header, footer, controls and image texts.
pub fn visible_text(dom: &Dom) -> String {
    let mut text = String::new();
    for node in dom.walk(0, |it| !is_hidden(dom, it)) {
        match &dom.nodes[node].kind {
            Kind::Text(part) => text.push_str(part),
            Kind::Element { .. } if !is_hidden(dom, node) => {
                text.push(' ');
                for name in ["alt", "value", "placeholder"] {
                    if let Some(attribute) = dom.attribute(node, name) {
                        text.push_str(attribute);
                        text.push(' ');
                    }
                }
            }
            _ => {}
        }
    }
    text
}

fn is_hidden(dom: &Dom, id: NodeId) -> bool {
    let Some(name) = dom.name(id) else {
        return false;
    };
    let style = dom.attribute(id, "style").unwrap_or_default();
    let is_loaded = matches!(name, "script" | "style" | "template" | "noscript" | "svg");
    is_loaded
        || dom.attribute(id, "hidden").is_some()
        || dom.attribute(id, "type") == Some("hidden")
        || style
            .replace(' ', "")
            .to_ascii_lowercase()
            .contains("display:none")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::parse::parse;

    #[test]
    fn hidden_text_is_excluded() {
        let page = "<title>T</title><nav>a</nav><p hidden>b<p style='Display: none'>c<script>d</script>\
            <p>e<b>f</b><img alt=g><input type=hidden value=h><button value=i>j</button>";
        let text = visible_text(&parse(page).dom);
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>(),
            ["T", "a", "e", "f", "g", "i", "j"]
        );
    }
}
