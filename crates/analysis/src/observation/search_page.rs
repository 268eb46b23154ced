//! One page of search results as it was seen, whatever supplier fetched it.

use crate::provenance::Provenance;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the searcher held in the hand.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Device {
    /// A desktop computer.
    Desktop,
    /// A phone.
    Mobile,
}

impl Device {
    /// The name callers use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Desktop => "desktop",
            Self::Mobile => "mobile",
        }
    }

    /// The device of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Desktop, Self::Mobile]
            .into_iter()
            .find(|it| it.name() == name)
    }
}

/// A snapshot of one results page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchPage {
    /// The engine whose page it is, for example `google`.
    pub engine: String,
    /// A neutral label of who fetched it; never the supplier's internals.
    pub provider: String,
    /// Seen, or made up by the sandbox.
    pub provenance: Provenance,
    /// When it was fetched.
    pub fetched_at: DateTime<Utc>,
    /// Supplier calls it took, for the cost of a run.
    pub calls: u32,
}
