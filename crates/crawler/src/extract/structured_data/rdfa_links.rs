//! The links of `rel` and `rev`, which what stands inside may end ("incomplete triples" in `RDFa` Core).

use super::rdfa::Subject;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

pub struct LinkNames {
    /// Of `rel`: the element's subject has what they lead to.
    pub forward: Vec<String>,
    /// Of `rev`: what they lead to has the element's subject.
    pub backward: Vec<String>,
}

/// Links whose end is said by what is inside of their element, if anything.
pub struct Incomplete {
    /// Whose links they are; never the end of others.
    pub subject: Subject,
    pub names: LinkNames,
    /// The item at their end, where nothing says which it is.
    pub item: Cell<Option<u32>>,
    ends: RefCell<HashSet<Rc<str>>>,
}

impl Incomplete {
    pub fn new(subject: Subject, names: LinkNames) -> Self {
        Self {
            subject,
            names,
            item: Cell::new(None),
            ends: RefCell::default(),
        }
    }

    /// The subject, if it holds what the links lead to.
    pub fn holder(&self) -> Option<&Subject> {
        (!self.names.forward.is_empty()).then_some(&self.subject)
    }

    pub fn is_new(&self, end: &Rc<str>) -> bool {
        self.ends.borrow_mut().insert(Rc::clone(end))
    }
}
