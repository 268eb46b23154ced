//! Where a figure comes from, and what state its record is in.

use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// Where a figure comes from; it stands in every record, so that nobody takes a model's output
/// or a simulated market for something that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Provenance {
    /// Sightline fetched it.
    Measured,
    /// The caller or a connector supplied it.
    Imported,
    /// A model computed it.
    Estimated,
    /// The sandbox made it up.
    Simulated,
}

impl Provenance {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Imported => "imported",
            Self::Estimated => "estimated",
            Self::Simulated => "simulated",
        }
    }

    /// Made up by the sandbox; readers have to be told.
    pub const fn is_simulated(self) -> bool {
        matches!(self, Self::Simulated)
    }
}

/// Whether a record can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum RecordStatus {
    /// Measured in full.
    Ok,
    /// Measured, with something missing that `warnings` names.
    Partial,
    /// Too few observations to say.
    InsufficientData,
    /// The measurement failed; nothing is claimed about the thing measured.
    Error,
}
