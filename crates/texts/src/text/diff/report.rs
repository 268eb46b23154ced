use super::{Difference, Piece, Step, blocks};
use crate::{ToSchema, text::words::shortened};
use serde::{Deserialize, Serialize};

pub const MAX_OPERATIONS: usize = 200;

/// Per side of an operation.
const MAX_CHARACTERS: usize = 2_000;

/// Of a report; further operations are left out.
const MAX_BYTES: usize = 96 << 10;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReportedKind {
    /// Text came.
    Insert,
    /// Text went.
    Delete,
    /// Text became another.
    Replace,
}

/// One change, in words or in whole blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Operation {
    /// What it does.
    pub op: ReportedKind,
    /// What was there; `None` for an insertion. Cut after 2,000 characters.
    pub before: Option<String>,
    /// What is there; `None` for a deletion. Cut after 2,000 characters.
    pub after: Option<String>,
}

/// The first changes of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// At most 200, and 96 KiB of text, in the order of the text.
    pub operations: Vec<Operation>,
    /// Changes that are not shown.
    pub left_out: usize,
}

impl Difference {
    pub fn report(&self, before: &str) -> Report {
        let mut report = Report {
            operations: Vec::new(),
            left_out: 0,
        };
        let old = blocks(before);
        let (mut at, mut bytes_left) = (0, MAX_BYTES);
        for step in &self.steps {
            let taken = step.blocks_of_old();
            match step {
                Step::Keep(_) => {}
                Step::Remove(_) => {
                    let gone = old.get(at..at + taken).unwrap_or_default();
                    report.add(&gone.join("\n"), "", &mut bytes_left);
                }
                Step::Insert(blocks) => report.add("", &blocks.join("\n"), &mut bytes_left),
                Step::Change { pieces, .. } => {
                    for piece in pieces {
                        if let Piece::Replace { before, after } = piece {
                            report.add(before, after, &mut bytes_left);
                        }
                    }
                }
            }
            at += taken;
        }
        report
    }
}

impl Report {
    fn add(&mut self, before: &str, after: &str, byte_budget: &mut usize) {
        // An empty block was inserted or removed: nothing to show.
        if before.is_empty() && after.is_empty() {
            return;
        }
        let [before, after] = [before, after].map(|it| shortened(it, MAX_CHARACTERS));
        let bytes = before.len() + after.len();
        if self.operations.len() >= MAX_OPERATIONS || bytes > *byte_budget {
            // Leaves out everything after it, too, so that there are no gaps.
            *byte_budget = 0;
            self.left_out += 1;
            return;
        }
        *byte_budget -= bytes;
        let shown = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let (before, after) = (shown(before), shown(after));
        self.operations.push(Operation {
            op: match (&before, &after) {
                (None, _) => ReportedKind::Insert,
                (_, None) => ReportedKind::Delete,
                _ => ReportedKind::Replace,
            },
            before,
            after,
        });
    }
}
