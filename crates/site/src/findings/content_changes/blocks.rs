//! The main text as compared: without noise and without volatile blocks, which change at nearly every visit.

use super::history::{BlockHistory, MAX_SLOTS, PageHistory};
use crate::{
    observation::page_content::PageContent,
    text::{diff::operations, noise::without_noise, similarity::shingles},
};
use sha2::{Digest, Sha256};
use similar::DiffOp;
use std::collections::{BTreeMap, BTreeSet};

/// Volatile blocks are not tracked on larger pages.
const MAX_BLOCKS: usize = 5_000;

#[derive(Clone)]
pub struct CleanText {
    blocks: Vec<String>,
}

impl CleanText {
    pub fn of(page: &PageContent) -> Self {
        let blocks = page.text.main.blocks.iter();
        Self {
            blocks: blocks.map(|it| without_noise(&it.text)).collect(),
        }
    }

    pub fn hash(&self) -> u64 {
        let mut digest = Sha256::new();
        for block in &self.blocks {
            digest.update(block.as_bytes());
            digest.update(b"\n");
        }
        first_eight(&digest.finalize())
    }

    /// All blocks except those of the given numbers, one per line.
    pub fn without(&self, left_out: &BTreeSet<u32>) -> String {
        let numbered = (0_u32..).zip(&self.blocks);
        let kept = numbered.filter(|(at, it)| !left_out.contains(at) && !it.is_empty());
        let kept: Vec<&str> = kept.map(|(_, it)| it.as_str()).collect();
        kept.join("\n")
    }

    pub fn has_words(&self) -> bool {
        self.blocks.iter().any(|it| !shingles(it).is_empty())
    }
}

fn first_eight(digest: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(bytes)
}

#[derive(Default)]
pub struct TrackedBlocks {
    /// Recently changed blocks, by index in the later page.
    pub slots: Vec<BlockHistory>,
    /// Volatile blocks of the earlier page.
    pub old: BTreeSet<u32>,
    /// Volatile blocks of the later page.
    pub new: BTreeSet<u32>,
}

impl TrackedBlocks {
    /// After a visit that found every block unchanged.
    pub fn unchanged(history: &PageHistory) -> Self {
        let mut learned = Self::default();
        for slot in history
            .slots
            .iter()
            .map(|it| it.after_visit(it.block, false))
        {
            if slot.is_volatile() {
                learned.old.insert(slot.block);
                learned.new.insert(slot.block);
            }
            if slot.window != 0 {
                learned.slots.push(slot);
            }
        }
        learned
    }
}

/// Tracks blocks into the next version: into the equal block, or, if a run was replaced by one of the same length, into
/// the block at the same offset. Inserted and deleted blocks are not tracked.
pub fn track_blocks(before: &CleanText, after: &CleanText, history: &PageHistory) -> TrackedBlocks {
    let (old, new) = (&before.blocks, &after.blocks);
    let mut learned = TrackedBlocks::default();
    if old.len().max(new.len()) > MAX_BLOCKS {
        return learned;
    }
    let known: BTreeMap<u32, BlockHistory> = if history.hashes.last() == Some(&before.hash()) {
        history.slots.iter().map(|it| (it.block, *it)).collect()
    } else {
        BTreeMap::new()
    };
    for operation in operations(old, new) {
        let changed = !matches!(operation, DiffOp::Equal { .. });
        let (was, is) = (operation.old_range(), operation.new_range());
        if was.len() != is.len() {
            continue;
        }
        for (was, is) in was.zip(is) {
            let (Ok(was), Ok(is)) = (u32::try_from(was), u32::try_from(is)) else {
                continue;
            };
            let slot = match known.get(&was) {
                Some(it) => it.after_visit(is, changed),
                None if changed => BlockHistory::new(is),
                None => continue,
            };
            if slot.is_volatile() {
                learned.old.insert(was);
                learned.new.insert(is);
            }
            if slot.window != 0 && learned.slots.len() < MAX_SLOTS {
                learned.slots.push(slot);
            }
        }
    }
    learned
}
