//! Links of `rel` and `rev` that nested elements complete ("incomplete triples" in `RDFa` Core).

use super::rdfa::Subject;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

pub struct LinkNames {
    /// Of `rel`: properties of the subject.
    pub forward: Vec<String>,
    /// Of `rev`: properties of the object.
    pub backward: Vec<String>,
}

/// Links of which nested elements provide the object, if any.
pub struct IncompleteTriples {
    /// Never the object of other incomplete links.
    pub subject: Subject,
    pub names: LinkNames,
    /// The object, if nothing names it.
    pub item: Cell<Option<u32>>,
    ends: RefCell<HashSet<Rc<str>>>,
}

impl IncompleteTriples {
    pub fn new(subject: Subject, names: LinkNames) -> Self {
        Self {
            subject,
            names,
            item: Cell::new(None),
            ends: RefCell::default(),
        }
    }

    /// The subject, if it holds the object.
    pub fn holder(&self) -> Option<&Subject> {
        (!self.names.forward.is_empty()).then_some(&self.subject)
    }

    pub fn is_new(&self, end: &Rc<str>) -> bool {
        self.ends.borrow_mut().insert(Rc::clone(end))
    }
}
