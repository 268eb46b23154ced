//! What changed from one text to another.
//!
//! Texts are compared block by block (lines) by Myers's algorithm (1986; crate `similar`), and
//! inside blocks that changed word by word. The full difference reproduces the later text; the
//! report shows at most so many operations of it.

mod report;
mod words_inside;

pub use report::{MOST_OPERATIONS, Operation, Report, ReportedKind};
pub use words_inside::Piece;

use super::{
    interned::Interned,
    likeness::{jaccard, shingles},
    words::words,
};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// One step from the earlier text to the later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// So many blocks stay.
    Keep(usize),
    /// So many blocks go.
    Remove(usize),
    /// Blocks come.
    Insert(Vec<String>),
    /// So many blocks become others, the pieces of which are told.
    Change {
        /// Blocks of the earlier text.
        removed: usize,
        /// What becomes of their text, joined by line feeds.
        pieces: Vec<Piece>,
    },
}

/// The whole way from one text to another, and how alike they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Words in what came, moved words included.
    pub added_words: usize,
    /// Words in what went.
    pub removed_words: usize,
    /// Jaccard similarity of the texts' 4-word shingles, which do not go on from block to block; 1
    /// for two texts without words.
    pub similarity: f64,
    /// The share of the earlier text's shingles that the later one has too: 1 when text was only
    /// added, also between blocks; `None` when the earlier text has no words.
    pub containment_of_old: Option<f64>,
}

/// What leads from some texts (blocks, words) to others. Equal texts have one number, and numbers are compared.
#[must_use]
pub fn operations(before: &[impl AsRef<str>], after: &[impl AsRef<str>]) -> Vec<DiffOp> {
    let mut interned = Interned::default();
    let old: Vec<u32> = { before.iter() }
        .map(|it| interned.id(it.as_ref()))
        .collect();
    let new: Vec<u32> = { after.iter() }
        .map(|it| interned.id(it.as_ref()))
        .collect();
    capture_diff_slices(Algorithm::Myers, &old, &new)
}

/// Compares two texts.
#[must_use]
pub fn difference(before: &str, after: &str) -> Difference {
    let (old, new): (Vec<&str>, Vec<&str>) = (blocks(before), blocks(after));
    let operations = operations(&old, &new);
    let steps = operations.iter().map(|it| step(it, &old, &new)).collect();
    let mut difference = Difference {
        steps,
        added_words: 0,
        removed_words: 0,
        similarity: 0.0,
        containment_of_old: None,
    };
    difference.count_words(&old);
    difference.compare(before, after);
    difference
}

impl Difference {
    /// Whether anything changed.
    #[must_use]
    pub fn is_change(&self) -> bool {
        self.steps.iter().any(|it| !matches!(it, Step::Keep(_)))
    }

    /// The later text, made from the earlier one; `None` when this is the difference of another.
    #[must_use]
    pub fn applied_to(&self, before: &str) -> Option<String> {
        let mut rest = blocks(before);
        let mut after: Vec<String> = Vec::new();
        for step in &self.steps {
            let taken = step.blocks_of_old();
            if taken > rest.len() {
                return None;
            }
            let later = rest.split_off(taken);
            let old = std::mem::replace(&mut rest, later);
            match step {
                Step::Keep(_) => after.extend(old.iter().map(|it| (*it).to_owned())),
                Step::Remove(_) => {}
                Step::Insert(blocks) => after.extend_from_slice(blocks),
                Step::Change { pieces, .. } => {
                    after.push(words_inside::applied(pieces, &old.join("\n"))?);
                }
            }
        }
        rest.is_empty().then(|| after.join("\n"))
    }

    fn count_words(&mut self, old: &[&str]) {
        let mut at = 0;
        for step in &self.steps {
            let taken = step.blocks_of_old();
            match step {
                Step::Keep(_) => {}
                Step::Remove(_) => self.removed_words += count(&old[at..at + taken]),
                Step::Insert(blocks) => self.added_words += count(blocks),
                Step::Change { pieces, .. } => {
                    for piece in pieces {
                        self.added_words += piece.inserted().map_or(0, |it| words(it).count());
                        self.removed_words += piece.removed().map_or(0, |it| words(it).count());
                    }
                }
            }
            at += taken;
        }
    }

    fn compare(&mut self, before: &str, after: &str) {
        let (old, new) = (shingles_of_blocks(before), shingles_of_blocks(after));
        self.similarity = jaccard(&old, &new);
        self.containment_of_old = containment(&old, &new);
    }
}

impl Step {
    const fn blocks_of_old(&self) -> usize {
        match self {
            Self::Keep(count) | Self::Remove(count) => *count,
            Self::Change { removed, .. } => *removed,
            Self::Insert(_) => 0,
        }
    }
}

/// Blocks of a text; joining them by line feeds gives the text again.
fn blocks(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// The shingles of all blocks, sorted.
fn shingles_of_blocks(text: &str) -> Vec<u64> {
    let mut all: Vec<u64> = text.lines().flat_map(shingles).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn count(blocks: &[impl AsRef<str>]) -> usize {
    blocks.iter().map(|it| words(it.as_ref()).count()).sum()
}

fn step(operation: &DiffOp, old: &[&str], new: &[&str]) -> Step {
    let (was, is) = (operation.old_range(), operation.new_range());
    match operation {
        DiffOp::Equal { len, .. } => Step::Keep(*len),
        DiffOp::Delete { old_len, .. } => Step::Remove(*old_len),
        DiffOp::Insert { .. } => Step::Insert(new[is].iter().map(|it| (*it).to_owned()).collect()),
        DiffOp::Replace { old_len, .. } => Step::Change {
            removed: *old_len,
            pieces: words_inside::pieces(&old[was].join("\n"), &new[is].join("\n")),
        },
    }
}

/// The share of the first set (sorted hashes) that is in the second; `None` of an empty set.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn containment(part: &[u64], whole: &[u64]) -> Option<f64> {
    let shared = part.iter().filter(|it| whole.binary_search(it).is_ok());
    (!part.is_empty()).then(|| shared.count() as f64 / part.len() as f64)
}

#[cfg(test)]
mod tests;
