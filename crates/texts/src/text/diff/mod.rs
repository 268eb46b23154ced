//! Compares texts by lines (blocks) with Myers's algorithm (1986; crate `similar`), changed blocks word by word.

mod report;
mod word_diff;

pub use report::{MAX_OPERATIONS, Operation, Report, ReportedKind};
pub use word_diff::Piece;

use super::interner::Interner;
use super::similarity::{jaccard, shingles};
use super::words::words;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Counts are of blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Keep(usize),
    Remove(usize),
    Insert(Vec<String>),
    Change {
        /// Blocks of the earlier text.
        removed: usize,
        /// Of the text joined by line feeds.
        pieces: Vec<Piece>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub steps: Vec<Step>,
    /// Includes moved words.
    pub added_words: usize,
    pub removed_words: usize,
    /// Jaccard similarity of 4-word shingles within blocks; 1 for two texts without words.
    pub similarity: f64,
    /// Share of the earlier shingles that remain: 1 if text was only added; `None` if the earlier text has no words.
    pub containment_of_old: Option<f64>,
}

/// Compares numbers of distinct texts instead of texts.
pub fn operations(before: &[impl AsRef<str>], after: &[impl AsRef<str>]) -> Vec<DiffOp> {
    let mut interned = Interner::default();
    let old: Vec<u32> = { before.iter() }
        .map(|it| interned.intern(it.as_ref()))
        .collect();
    let new: Vec<u32> = { after.iter() }
        .map(|it| interned.intern(it.as_ref()))
        .collect();
    capture_diff_slices(Algorithm::Myers, &old, &new)
}

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
    pub fn is_change(&self) -> bool {
        self.steps.iter().any(|it| !matches!(it, Step::Keep(_)))
    }

    /// `None` if `before` is not the earlier text.
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
                    after.push(word_diff::applied(pieces, &old.join("\n"))?);
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

/// Joining them with line feeds gives the text.
fn blocks(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// Sorted.
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
            pieces: word_diff::pieces(&old[was].join("\n"), &new[is].join("\n")),
        },
    }
}

/// Share of `part` in `whole`, both sorted; `None` for an empty `part`.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub fn containment(part: &[u64], whole: &[u64]) -> Option<f64> {
    let shared = part.iter().filter(|it| whole.binary_search(it).is_ok());
    (!part.is_empty()).then(|| shared.count() as f64 / part.len() as f64)
}

#[cfg(test)]
mod tests;
