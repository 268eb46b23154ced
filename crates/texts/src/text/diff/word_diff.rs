//! Word differences inside changed blocks.

use super::operations;
use similar::DiffOp;
use unicode_segmentation::UnicodeSegmentation;

/// Lengths are in bytes of the earlier text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Keep(usize),
    /// Either may be empty, not both.
    Replace {
        before: String,
        after: String,
    },
}

/// Of both texts; above, the whole is replaced, to bound the time for long, different texts.
const MAX_TOKENS: usize = 40_000;

impl Piece {
    pub fn inserted(&self) -> Option<&str> {
        match self {
            Self::Replace { after, .. } if !after.is_empty() => Some(after),
            _ => None,
        }
    }

    pub fn removed(&self) -> Option<&str> {
        match self {
            Self::Replace { before, .. } if !before.is_empty() => Some(before),
            _ => None,
        }
    }
}

/// Tokens are words, signs and white space (UAX #29).
pub fn pieces(before: &str, after: &str) -> Vec<Piece> {
    let old: Vec<&str> = before.split_word_bounds().collect();
    let new: Vec<&str> = after.split_word_bounds().collect();
    if old.len() + new.len() > MAX_TOKENS {
        return vec![Piece::Replace {
            before: before.to_owned(),
            after: after.to_owned(),
        }];
    }
    let piece = |it: &DiffOp| {
        let (was, is) = (old[it.old_range()].concat(), new[it.new_range()].concat());
        match it {
            DiffOp::Equal { .. } => Piece::Keep(was.len()),
            _ => Piece::Replace {
                before: was,
                after: is,
            },
        }
    };
    operations(&old, &new).iter().map(piece).collect()
}

/// `None` if `before` is not the earlier text.
pub fn applied(pieces: &[Piece], before: &str) -> Option<String> {
    let mut rest = before;
    let mut after = String::new();
    for piece in pieces {
        match piece {
            Piece::Keep(length) => {
                after.push_str(rest.get(..*length)?);
                rest = rest.get(*length..)?;
            }
            Piece::Replace {
                before,
                after: inserted,
            } => {
                rest = rest.strip_prefix(before.as_str())?;
                after.push_str(inserted);
            }
        }
    }
    rest.is_empty().then_some(after)
}
