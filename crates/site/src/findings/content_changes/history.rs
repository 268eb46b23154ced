use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Stored text hashes: enough to detect alternating versions.
const MAX_HASHES: usize = 4;

/// Tracked blocks.
pub(super) const MAX_SLOTS: usize = 1_000;

/// Stored per page: some 200 bytes of JSON, and 15 for each block changed within the last 16 visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageHistory {
    /// When the page was first read.
    pub since: DateTime<Utc>,
    pub last_at: DateTime<Utc>,
    /// Comparisons with an earlier visit.
    pub comparisons: u32,
    pub changes: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_change_at: Option<DateTime<Utc>>,
    /// Hashes of the last distinct texts, without noise, oldest first; empty until the first change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hashes: Vec<u64>,
    /// Recently changed blocks, by index in the last read version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<BlockHistory>,
    /// Failed visits since the page was last read.
    #[serde(default)]
    pub failures: u32,
    /// Why the page is missing, once reported as a change; `None` while it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Missing {
    /// A response without a page.
    Status(u16),
    Failure,
    Undecodable,
    /// robots.txt no longer allows it.
    Blocked,
    /// A response of this media type, which is not HTML.
    Type(String),
    Moved(String),
}

impl Missing {
    /// Whether it may be indexed; `None` is unknown, since files may be indexed too.
    pub(super) const fn is_listed(&self) -> Option<bool> {
        if matches!(self, Self::Type(_)) {
            None
        } else {
            Some(false)
        }
    }

    /// Whether it is a server's response.
    pub(super) const fn is_answer(&self) -> bool {
        matches!(self, Self::Status(_) | Self::Type(_) | Self::Moved(_))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u16, u8)", into = "(u32, u16, u8)")]
pub struct BlockHistory {
    /// Index of the block in the last read version.
    pub block: u32,
    /// Whether it changed: a bit for each of the last 16 visits, the latest lowest.
    pub window: u16,
    /// Number of known bits.
    pub seen: u8,
}

impl From<(u32, u16, u8)> for BlockHistory {
    fn from((block, window, seen): (u32, u16, u8)) -> Self {
        Self {
            block,
            window,
            seen,
        }
    }
}

impl From<BlockHistory> for (u32, u16, u8) {
    fn from(it: BlockHistory) -> Self {
        (it.block, it.window, it.seen)
    }
}

impl BlockHistory {
    pub(super) const fn new(block: u32) -> Self {
        Self {
            block,
            window: 1,
            seen: 1,
        }
    }

    pub(super) const fn after_visit(self, block: u32, changed: bool) -> Self {
        Self {
            block,
            window: (self.window << 1) | changed as u16,
            seen: if self.seen < 16 { self.seen + 1 } else { 16 },
        }
    }

    /// Whether it changed in at least 80 % of at least 5 visits since its first change (our choice).
    pub fn is_volatile(self) -> bool {
        self.seen >= 5 && self.window.count_ones() * 5 >= u32::from(self.seen) * 4
    }
}

impl PageHistory {
    pub fn moved_to(&self) -> Option<&str> {
        match &self.missing {
            Some(Missing::Moved(url)) => Some(url),
            _ => None,
        }
    }

    pub const fn new(at: DateTime<Utc>) -> Self {
        Self {
            since: at,
            last_at: at,
            comparisons: 0,
            changes: 0,
            first_change_at: None,
            hashes: Vec::new(),
            slots: Vec::new(),
            failures: 0,
            missing: None,
        }
    }

    /// Whether a changed text equals the one before the last: A, B, A.
    pub(super) fn is_flapping(&self, hashes: &[u64]) -> bool {
        match (self.hashes.as_slice(), hashes.last()) {
            ([.., one, other], Some(now)) => one == now && other != now,
            _ => false,
        }
    }

    pub(super) fn record_visit(&mut self, at: DateTime<Utc>, hashes: &[u64], changed: bool) {
        self.hashes.extend(hashes);
        let surplus = self.hashes.len().saturating_sub(MAX_HASHES);
        self.hashes.drain(..surplus);
        self.failures = 0;
        self.missing = None;
        self.record_comparison(at, changed);
    }

    pub(super) fn clear_text(&mut self) {
        self.hashes.clear();
        self.slots.clear();
    }

    pub(super) fn record_comparison(&mut self, at: DateTime<Utc>, changed: bool) {
        self.last_at = self.last_at.max(at);
        self.comparisons = self.comparisons.saturating_add(1);
        if changed {
            self.changes = self.changes.saturating_add(1);
            self.first_change_at.get_or_insert(at);
        }
    }
}
