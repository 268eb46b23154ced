//! The visible text of a page, and the lengths of text and links per element.

use crate::extract::dom::{Dom, Kind, NodeId};

pub struct VisibleTree<'a> {
    pub dom: &'a Dom,
    /// Visible nodes in document order.
    pub order: Vec<NodeId>,
    /// By node: characters of its direct text.
    own_length: Vec<u32>,
    /// By node: whether it is in a link.
    in_link: Vec<bool>,
    /// By node: characters of text in it and below, without white space.
    pub text_length: Vec<u32>,
    /// By node: those of them in links.
    pub linked_length: Vec<u32>,
    /// By node: block elements below it.
    pub inner_blocks: Vec<u32>,
}

impl<'a> VisibleTree<'a> {
    pub fn of(dom: &'a Dom) -> Self {
        let mut order = dom.walk(0, |it| !is_excluded(dom, it));
        order.retain(|it| !is_excluded(dom, *it));
        let (mut own, mut in_link) = (vec![0; dom.nodes.len()], vec![false; dom.nodes.len()]);
        for &id in &order {
            in_link[id] = dom.nodes[id].parent.is_some_and(|it| in_link[it]) || is_link(dom, id);
            if let Kind::Text(text) = &dom.nodes[id].kind {
                own[id] = characters(text);
            }
        }
        let mut tree = Self {
            dom,
            order,
            own_length: own,
            in_link,
            text_length: Vec::new(),
            linked_length: Vec::new(),
            inner_blocks: Vec::new(),
        };
        tree.measure();
        tree
    }

    pub fn remove_flagged(&mut self, flagged: &[bool]) {
        let mut gone = vec![false; self.dom.nodes.len()];
        for &id in &self.order {
            let with_parent = self.dom.nodes[id].parent.is_some_and(|it| gone[it]);
            gone[id] = flagged[id] || with_parent;
        }
        self.order.retain(|it| !gone[*it]);
        self.measure();
    }

    /// Share of an element's text in links, 0 to 1.
    pub fn link_density(&self, id: NodeId) -> f64 {
        ratio(self.linked_length[id], self.text_length[id])
    }

    fn measure(&mut self) {
        let nodes = &self.dom.nodes;
        self.text_length = vec![0; nodes.len()];
        self.linked_length = vec![0; nodes.len()];
        self.inner_blocks = vec![0; nodes.len()];
        for &id in &self.order {
            self.text_length[id] = self.own_length[id];
            self.linked_length[id] = if self.in_link[id] {
                self.own_length[id]
            } else {
                0
            };
        }
        for &id in self.order.iter().rev() {
            let Some(parent) = nodes[id].parent else {
                continue;
            };
            self.text_length[parent] =
                self.text_length[parent].saturating_add(self.text_length[id]);
            self.linked_length[parent] =
                self.linked_length[parent].saturating_add(self.linked_length[id]);
            let own = u32::from(self.dom.name(id).is_some_and(is_block_element));
            let inner = self.inner_blocks[id].saturating_add(own);
            self.inner_blocks[parent] = self.inner_blocks[parent].saturating_add(inner);
        }
    }
}

/// Characters that are not white space.
pub fn characters(text: &str) -> u32 {
    let count = if text.is_ascii() {
        // ASCII white space, with the vertical tab as for `char`.
        let is_seen = |it: &&u8| !(it.is_ascii_whitespace() || **it == 0x0b);
        text.as_bytes().iter().filter(is_seen).count()
    } else {
        text.chars().filter(|it| !it.is_whitespace()).count()
    };
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// 0 to 1; 0 if `whole` is 0.
pub fn ratio(part: u32, whole: u32) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    f64::from(part) / f64::from(whole)
}

fn is_link(dom: &Dom, id: NodeId) -> bool {
    dom.name(id) == Some("a") && dom.attribute(id, "href").is_some()
}

/// Block elements; cells and rows are handled with their table.
pub fn is_block_element(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "center"
            | "dd"
            | "details"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "ul"
            | "listing"
            | "plaintext"
            | "xmp"
    )
}

/// Scripts, controls, media and hidden elements.
fn is_excluded(dom: &Dom, id: NodeId) -> bool {
    let Some(name) = dom.name(id) else {
        return false;
    };
    is_non_text_element(name) || is_hidden(dom, id) || is_permalink_sign(dom, id, name)
}

fn is_non_text_element(name: &str) -> bool {
    matches!(
        name,
        "head"
            | "script"
            | "style"
            | "template"
            | "noscript"
            | "svg"
            | "iframe"
            | "object"
            | "embed"
            | "applet"
            | "video"
            | "audio"
            | "canvas"
            | "map"
            | "button"
            | "input"
            | "select"
            | "textarea"
            | "option"
            | "optgroup"
            | "datalist"
            | "progress"
            | "meter"
            | "dialog"
            | "rp"
            | "rt"
            | "annotation"
            | "annotation-xml"
            | "noframes"
            | "frameset"
    )
}

fn is_hidden(dom: &Dom, id: NodeId) -> bool {
    if dom.attribute(id, "hidden").is_some() || dom.attribute(id, "aria-hidden") == Some("true") {
        return true;
    }
    dom.attribute(id, "style").is_some_and(|style| {
        let style: String = style.chars().filter(|it| !it.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        style.contains("display:none") || style.contains("visibility:hidden")
    })
}

/// A permalink sign beside a heading.
fn is_permalink_sign(dom: &Dom, id: NodeId, name: &str) -> bool {
    if name != "a"
        || !dom
            .attribute(id, "href")
            .is_some_and(|it| it.starts_with('#'))
    {
        return false;
    }
    match dom.nodes[id].children.as_slice() {
        [only] => {
            matches!(&dom.nodes[*only].kind, Kind::Text(text) if matches!(text.trim(), "¶" | "#" | "§" | "🔗"))
        }
        _ => false,
    }
}
