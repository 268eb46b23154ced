//! Stand-in until the search branch lands.
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "stand-in")]
pub struct RankPoint {
    pub measured_at: DateTime<Utc>,
    pub state: RankState,
    pub position: Option<u32>,
    pub absolute_position: Option<u32>,
    pub depth_checked: u32,
    pub url: Option<String>,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "stand-in")]
pub enum RankState {
    Ranked,
    NotRanked,
    Error,
}
impl RankState {
    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ranked => "ranked",
            Self::NotRanked => "notRanked",
            Self::Error => "error",
        }
    }
    /// The state of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ranked, Self::NotRanked, Self::Error]
            .into_iter()
            .find(|it| it.name() == name)
    }
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "stand-in")]
pub struct Mark {
    pub position: u32,
    pub at: DateTime<Utc>,
}
