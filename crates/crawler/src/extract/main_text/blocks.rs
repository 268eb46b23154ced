use super::visibility::{VisibleTree, characters, is_block_element};
use super::{BlockKind, ExtractedBlock};
use crate::extract::dom::{Kind, NodeId};

/// Longer rows are layout, not data.
const MAX_ROW: u32 = 600;

#[derive(Debug)]
pub struct Draft {
    pub kind: BlockKind,
    pub node: NodeId,
    pub text: String,
    /// Characters without white space, and those of them in links.
    pub characters: u32,
    pub linked: u32,
    pub commas: u32,
}

impl Draft {
    pub fn into_block(self) -> ExtractedBlock {
        ExtractedBlock {
            kind: self.kind,
            node: self.node,
            text: self.text,
        }
    }
}

/// Visible blocks in document order.
pub fn drafts(tree: &VisibleTree) -> Vec<Draft> {
    let mut splitter = Splitter {
        tree,
        open: Vec::new(),
        drafts: Vec::new(),
        draft: None,
        breaks: 0,
    };
    for &id in &tree.order {
        splitter.close_until(tree.dom.nodes[id].parent);
        splitter.enter(id);
    }
    splitter.close_until(None);
    splitter.end_block();
    splitter.drafts
}

#[derive(Clone, Copy)]
struct Open {
    id: NodeId,
    owner: NodeId,
    kind: BlockKind,
    in_link: bool,
    ends_block: bool,
    /// Inside a row or preformatted text, no element ends the block.
    whole: bool,
}

struct Splitter<'a> {
    tree: &'a VisibleTree<'a>,
    open: Vec<Open>,
    drafts: Vec<Draft>,
    draft: Option<Draft>,
    breaks: u32,
}

impl Splitter<'_> {
    fn close_until(&mut self, parent: Option<NodeId>) {
        while let Some(last) = self.open.last() {
            if Some(last.id) == parent {
                return;
            }
            if last.ends_block {
                self.end_block();
            }
            self.open.pop();
        }
    }

    fn enter(&mut self, id: NodeId) {
        match &self.tree.dom.nodes[id].kind {
            Kind::Text(text) => self.add_text(text),
            Kind::Element { name, .. } => self.enter_element(id, &name.local),
            Kind::Document | Kind::Other => {}
        }
    }

    fn enter_element(&mut self, id: NodeId, name: &str) {
        let outer = self.open.last().copied().unwrap_or(Open {
            id,
            owner: id,
            kind: BlockKind::Paragraph,
            in_link: false,
            ends_block: false,
            whole: false,
        });
        let mut open = Open {
            id,
            ends_block: false,
            in_link: outer.in_link
                || (name == "a" && self.tree.dom.attribute(id, "href").is_some()),
            ..outer
        };
        if outer.whole {
            self.enter_within(name, outer.kind);
        } else if name == "br" {
            self.breaks += 1;
            self.add_space();
        } else if name == "tr" && self.is_row(id) {
            self.end_block();
            open = Open {
                owner: id,
                kind: BlockKind::TableRow,
                ends_block: true,
                whole: true,
                ..open
            };
        } else if is_block_element(name) || matches!(name, "tr" | "td" | "th" | "caption") {
            self.end_block();
            let kind = kind_of(name, outer.kind);
            let whole = kind == BlockKind::Preformatted;
            open = Open {
                owner: id,
                kind,
                ends_block: true,
                whole,
                ..open
            };
        }
        self.open.push(open);
    }

    fn enter_within(&mut self, name: &str, kind: BlockKind) {
        let Some(draft) = &mut self.draft else {
            return;
        };
        if kind == BlockKind::Preformatted {
            if name == "br" || (is_block_element(name) && !draft.text.ends_with('\n')) {
                draft.text.push('\n');
            }
        } else if matches!(name, "td" | "th") {
            let length = draft.text.trim_end().len();
            draft.text.truncate(length);
            draft.text.push('\t');
        } else if is_block_element(name) || name == "br" {
            self.add_space();
        }
    }

    /// Whether each cell holds about a line at most.
    fn is_row(&self, id: NodeId) -> bool {
        let cells = self.tree.dom.nodes[id].children.iter();
        let is_cell = |it: &&NodeId| matches!(self.tree.dom.name(**it), Some("td" | "th"));
        let mut cells = cells.filter(is_cell);
        self.tree.text_length[id] <= MAX_ROW && cells.all(|it| self.tree.inner_blocks[*it] <= 1)
    }

    fn add_text(&mut self, text: &str) {
        let Some(open) = self.open.last().copied() else {
            return;
        };
        if text.trim().is_empty() && open.kind != BlockKind::Preformatted {
            self.add_space();
            return;
        }
        if self.breaks > 1 && !open.whole {
            self.end_block();
        }
        self.breaks = 0;
        let draft = self.draft.get_or_insert_with(|| Draft {
            kind: open.kind,
            node: open.owner,
            text: String::new(),
            characters: 0,
            linked: 0,
            commas: 0,
        });
        if open.kind == BlockKind::Preformatted {
            draft.text.push_str(text);
        } else {
            push_collapsed(&mut draft.text, text);
        }
        let count = characters(text);
        draft.characters += count;
        draft.linked += if open.in_link { count } else { 0 };
        draft.commas += commas(text);
    }

    fn add_space(&mut self) {
        if let Some(draft) = &mut self.draft
            && !draft.text.ends_with([' ', '\t', '\n'])
        {
            draft.text.push(' ');
        }
    }

    fn end_block(&mut self) {
        self.breaks = 0;
        if let Some(mut draft) = self.draft.take() {
            let text = if draft.kind == BlockKind::Preformatted {
                draft.text.trim_end().trim_start_matches(['\n', '\r'])
            } else {
                draft.text.trim()
            };
            if draft.characters > 0 {
                let text = text.to_owned();
                draft.text = text;
                self.drafts.push(draft);
            }
        }
    }
}

fn kind_of(name: &str, outer: BlockKind) -> BlockKind {
    match name {
        "h1" => BlockKind::Heading(1),
        "h2" => BlockKind::Heading(2),
        "h3" => BlockKind::Heading(3),
        "h4" => BlockKind::Heading(4),
        "h5" => BlockKind::Heading(5),
        "h6" => BlockKind::Heading(6),
        "pre" | "listing" | "plaintext" | "xmp" => BlockKind::Preformatted,
        "li" | "dt" | "dd" => BlockKind::ListItem,
        "blockquote" => BlockKind::Quote,
        "figcaption" | "caption" => BlockKind::Caption,
        // These inherit the kind of their container.
        "p" | "div" | "ul" | "ol" | "span" | "section" | "center" => match outer {
            BlockKind::Heading(_) | BlockKind::TableRow => BlockKind::Paragraph,
            other => other,
        },
        _ => BlockKind::Paragraph,
    }
}

fn push_collapsed(out: &mut String, text: &str) {
    for character in text.chars() {
        if !character.is_whitespace() {
            out.push(character);
        } else if !out.ends_with([' ', '\t']) && !out.is_empty() {
            out.push(' ');
        }
    }
}

/// Commas of many scripts: a sign of sentences.
fn commas(text: &str) -> u32 {
    let count = text
        .chars()
        .filter(|it| matches!(it, ',' | '،' | '，' | '、' | '﹐' | '︐' | '⹁'))
        .count();
    u32::try_from(count).unwrap_or(u32::MAX)
}
