//! Stand-in until the search branch lands.
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "stand-in")]
pub struct PreviousSerp {
    pub urls: Vec<String>,
    pub features: Vec<String>,
}
