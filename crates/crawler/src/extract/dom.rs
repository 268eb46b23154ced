use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Attributes per element.
pub const MAX_ATTRIBUTES: usize = 250;

/// Bytes read of attributes such as `class`.
const MAX_SHORT_ATTRIBUTE: usize = 400;

pub type NodeId = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePosition {
    pub line: u32,
    pub column: u32,
}

pub enum Kind {
    Document,
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        /// `None` for elements that the parser implied or repeated.
        position: Option<SourcePosition>,
    },
    Text(StrTendril),
    Other,
}

pub struct Node {
    pub parent: Option<NodeId>,
    pub children: Vec<NodeId>,
    pub kind: Kind,
    depth: u32,
}

/// A parsed tree; node 0 is the document.
pub struct Dom {
    pub nodes: Vec<Node>,
    /// In document order, without the contents of templates.
    pub order: Vec<NodeId>,
    scripts: HashMap<NodeId, SourcePosition>,
    pub has_doctype: bool,
}

impl Dom {
    pub fn name(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].kind {
            Kind::Element { name, .. } => Some(&name.local),
            _ => None,
        }
    }

    pub fn is_html(&self, id: NodeId, wanted: &str) -> bool {
        matches!(&self.nodes[id].kind, Kind::Element { name, .. } if name.ns == ns!(html) && &*name.local == wanted)
    }

    pub fn attribute(&self, id: NodeId, wanted: &str) -> Option<&str> {
        match &self.nodes[id].kind {
            Kind::Element { attributes, .. } => attributes
                .iter()
                .find(|it| &*it.name.local == wanted)
                .map(|it| &*it.value),
            _ => None,
        }
    }

    pub fn has_attributes(&self, id: NodeId) -> bool {
        matches!(&self.nodes[id].kind, Kind::Element { attributes, .. } if !attributes.is_empty())
    }

    /// The start of an attribute's value, or empty; bounded, because classes are read from many elements.
    pub fn short_attribute(&self, id: NodeId, wanted: &str) -> &str {
        let value = self.attribute(id, wanted).unwrap_or_default();
        let mut end = value.len().min(MAX_SHORT_ATTRIBUTE);
        while !value.is_char_boundary(end) {
            end -= 1;
        }
        &value[..end]
    }

    pub fn position(&self, id: NodeId) -> Option<SourcePosition> {
        match &self.nodes[id].kind {
            Kind::Element {
                position: place, ..
            } => *place,
            _ => None,
        }
    }

    pub fn script_position(&self, id: NodeId) -> Option<SourcePosition> {
        self.scripts.get(&id).copied()
    }

    /// Ancestors from the parent up.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.nodes[id].parent, |it| self.nodes[*it].parent)
    }

    /// HTML elements by name, in document order.
    pub fn elements<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        let all = self.order.iter().copied();
        all.filter(move |it| self.is_html(*it, name))
    }

    /// A node and its descendants in document order, at most 5,000. Without the bound, reading the text of nested
    /// elements would take quadratic time.
    pub fn below(&self, from: NodeId) -> impl Iterator<Item = NodeId> {
        const MAX_DESCENDANTS: usize = 5_000;
        let mut stack = vec![from];
        let next = move || {
            let id = stack.pop()?;
            stack.extend(self.nodes[id].children.iter().rev());
            Some(id)
        };
        std::iter::from_fn(next).take(MAX_DESCENDANTS)
    }

    /// A node and all its descendants in document order; `enter` decides whether children are visited.
    pub fn walk(&self, from: NodeId, mut enter: impl FnMut(NodeId) -> bool) -> Vec<NodeId> {
        let (mut order, mut stack) = (Vec::new(), vec![from]);
        while let Some(id) = stack.pop() {
            order.push(id);
            if enter(id) {
                stack.extend(self.nodes[id].children.iter().rev());
            }
        }
        order
    }
}

#[derive(Clone)]
pub struct Handle(Rc<HandleData>);

struct HandleData {
    id: NodeId,
    name: QualName,
    template: Option<Handle>,
    integration_point: bool,
}

pub struct Sink {
    nodes: RefCell<Vec<Node>>,
    document: Handle,
    pub pending: RefCell<Option<Pending>>,
    pub depth: Cell<u32>,
    pub last: Cell<NodeId>,
    scripts: RefCell<HashMap<NodeId, SourcePosition>>,
    has_doctype: Cell<bool>,
    pub has_body: Cell<bool>,
}

pub struct Pending {
    pub name: LocalName,
    /// Set for `a` only: distinguishes it from earlier `a` elements that the parser repeats.
    pub attributes: Option<Vec<Attribute>>,
    pub position: SourcePosition,
    pub script: Option<SourcePosition>,
}

impl Sink {
    pub fn new() -> Self {
        let document = Node {
            parent: None,
            children: Vec::new(),
            kind: Kind::Document,
            depth: 0,
        };
        Self {
            nodes: RefCell::new(vec![document]),
            document: Handle::new(0, no_name()),
            pending: RefCell::new(None),
            depth: Cell::new(0),
            last: Cell::new(0),
            scripts: RefCell::default(),
            has_doctype: Cell::new(false),
            has_body: Cell::new(false),
        }
    }

    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    pub fn append_flat(
        &self,
        parent: NodeId,
        name: QualName,
        mut attributes: Vec<Attribute>,
        place: SourcePosition,
    ) -> NodeId {
        attributes.shrink_to_fit();
        let id = self.add(Kind::Element {
            name,
            attributes,
            position: Some(place),
        });
        self.attach(parent, id, None);
        id
    }

    pub fn append_flat_text(&self, parent: NodeId, text: StrTendril) {
        let id = self.add(Kind::Text(text));
        self.attach(parent, id, None);
    }

    fn add(&self, kind: Kind) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            parent: None,
            children: Vec::new(),
            kind,
            depth: 0,
        });
        nodes.len() - 1
    }

    fn detach(&self, id: NodeId) {
        let mut nodes = self.nodes.borrow_mut();
        if let Some(parent) = nodes[id].parent.take() {
            let children = &mut nodes[parent].children;
            if let Some(at) = children.iter().rposition(|it| *it == id) {
                children.remove(at);
            }
        }
    }

    fn attach(&self, parent: NodeId, id: NodeId, at: Option<usize>) {
        self.detach(id);
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent].depth + 1;
        nodes[id].parent = Some(parent);
        nodes[id].depth = depth;
        let children = &mut nodes[parent].children;
        children.insert(at.unwrap_or(children.len()), id);
        self.depth.set(depth);
        if matches!(nodes[id].kind, Kind::Element { .. }) {
            self.last.set(id);
        }
    }

    fn insert(&self, parent: NodeId, at: Option<usize>, child: NodeOrText<Handle>) {
        match child {
            NodeOrText::AppendNode(node) => self.attach(parent, node.0.id, at),
            NodeOrText::AppendText(text) => {
                if !self.extend_text(parent, at, &text) {
                    let id = self.add(Kind::Text(text));
                    self.attach(parent, id, at);
                }
            }
        }
    }

    fn extend_text(&self, parent: NodeId, at: Option<usize>, text: &StrTendril) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        let children = &nodes[parent].children;
        let before = at.unwrap_or(children.len()).checked_sub(1);
        let Some(before) = before.and_then(|it| children.get(it).copied()) else {
            return false;
        };
        match &mut nodes[before].kind {
            Kind::Text(known) => {
                known.push_tendril(text);
                true
            }
            _ => false,
        }
    }

    fn take_pending(&self, name: &QualName, attributes: &[Attribute]) -> Option<Pending> {
        let mut pending = self.pending.borrow_mut();
        let is_it = pending.as_ref().is_some_and(|it| {
            it.name == name.local && it.attributes.as_ref().is_none_or(|all| all == attributes)
        });
        if is_it { pending.take() } else { None }
    }
}

impl Handle {
    fn new(id: NodeId, name: QualName) -> Self {
        Self(Rc::new(HandleData {
            id,
            name,
            template: None,
            integration_point: false,
        }))
    }
}

fn no_name() -> QualName {
    QualName::new(None, ns!(), LocalName::from(""))
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Dom;
    type ElemName<'a> = &'a QualName;

    fn finish(self) -> Dom {
        let mut dom = Dom {
            nodes: self.nodes.into_inner(),
            order: Vec::new(),
            scripts: self.scripts.into_inner(),
            has_doctype: self.has_doctype.get(),
        };
        dom.order = dom.walk(0, |_| true);
        dom
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        self.document.clone()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a QualName {
        &target.0.name
    }

    fn create_element(
        &self,
        name: QualName,
        mut attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        // Most elements have one attribute, and the parser reserves space for four.
        attributes.shrink_to_fit();
        let pending = self.take_pending(&name, &attributes);
        if name.ns == ns!(html) && &*name.local == "body" {
            self.has_body.set(true);
        }
        let id = self.add(Kind::Element {
            name: name.clone(),
            attributes,
            position: pending.as_ref().map(|it| it.position),
        });
        if let Some(script) = pending.and_then(|it| it.script) {
            self.scripts.borrow_mut().insert(id, script);
        }
        // Template contents are not part of the page: they get no parent.
        let template = flags
            .template
            .then(|| Handle::new(self.add(Kind::Other), no_name()));
        Handle(Rc::new(HandleData {
            id,
            name,
            template,
            integration_point: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Handle::new(self.add(Kind::Other), no_name())
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Handle::new(self.add(Kind::Other), no_name())
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.0.id, None, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let place = {
            let nodes = self.nodes.borrow();
            nodes[sibling.0.id].parent.and_then(|parent| {
                let children = &nodes[parent].children;
                let at = children.iter().rposition(|it| *it == sibling.0.id)?;
                Some((parent, at))
            })
        };
        if let Some((parent, at)) = place {
            self.insert(parent, Some(at), child);
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        if self.nodes.borrow()[element.0.id].parent.is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {
        self.has_doctype.set(true);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.0.template.clone().unwrap_or_else(|| target.clone())
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.0.id == y.0.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if let Kind::Element {
            attributes: known, ..
        } = &mut self.nodes.borrow_mut()[target.0.id].kind
        {
            for it in attributes {
                // Each attribute is compared with all others.
                if known.len() < MAX_ATTRIBUTES && known.iter().all(|old| old.name != it.name) {
                    known.push(it);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.0.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let children = std::mem::take(&mut self.nodes.borrow_mut()[node.0.id].children);
        for child in children {
            self.nodes.borrow_mut()[child].parent = None;
            self.attach(new_parent.0.id, child, None);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        target.0.integration_point
    }
}
