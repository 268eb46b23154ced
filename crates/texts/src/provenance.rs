use crate::ToSchema;
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// Where a figure comes from; every record has it, so that a model's output or a simulated market
    /// is not mistaken for an observation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Provenance {
        /// Sightline fetched it.
        Measured = "measured",
        /// The caller or a connector supplied it.
        Imported = "imported",
        /// A model computed it.
        Estimated = "estimated",
        /// The sandbox made it up.
        Simulated = "simulated",
    }
}

impl Provenance {
    /// Must be shown to readers.
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
    /// The measurement failed; nothing is claimed about its subject.
    Error,
}
