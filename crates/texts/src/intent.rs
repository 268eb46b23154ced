use crate::ToSchema;
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// What a searcher wants.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Intent {
        /// To know or to learn how.
        Informational = "informational",
        /// To reach a certain site.
        Navigational = "navigational",
        /// To compare before buying.
        Commercial = "commercial",
        /// To buy, to get, to use.
        Transactional = "transactional",
    }
}
