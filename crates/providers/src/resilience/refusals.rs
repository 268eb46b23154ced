//! Suppliers that refuse the operator's account, by their last calls in this process.

use domain::ports::search_results::ProviderError;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Code of the last refusal; `None` if the last call was not refused.
static LAST_REFUSALS: Mutex<BTreeMap<CallTarget, Option<&'static str>>> =
    Mutex::new(BTreeMap::new());

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallTarget {
    pub provider: &'static str,
    pub operation: &'static str,
}

/// Every target called by this process, with the code of the account refusal if its last call met one.
pub fn refusals() -> BTreeMap<CallTarget, Option<&'static str>> {
    LAST_REFUSALS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

pub(super) fn record(target: CallTarget, refusal: Option<&ProviderError>) {
    let code = refusal.map(ProviderError::code);
    let mut last = LAST_REFUSALS.lock().unwrap_or_else(PoisonError::into_inner);
    last.insert(target, code);
}
