//! Generators of suggestions, one file per subject. Without data a generator yields nothing.

pub(super) mod access;
pub(super) mod ai;
pub(super) mod cannibalization;
pub(super) mod ctr_gap;
pub(super) mod decay;
pub(super) mod gaps;
pub(super) mod issues;
pub(super) mod links;
pub(super) mod markup;
pub(super) mod speed;
pub(super) mod striking_distance;
pub(super) mod traffic;

use super::{collect::Findings, draft::Draft};

/// Unordered.
pub(super) fn drafts(findings: &mut Findings<'_>) -> Vec<Draft> {
    speed::add_faults(findings);
    let mut drafts = findings.take_drafts();
    drafts.extend(striking_distance::drafts(findings));
    drafts.extend(ctr_gap::drafts(findings));
    drafts.extend(gaps::drafts(findings));
    drafts.extend(cannibalization::drafts(findings));
    drafts.extend(decay::drafts(findings));
    drafts.extend(ai::drafts(findings));
    drafts
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn clicks(clicks: f64) -> String {
    if clicks < 10.0 {
        format!("{clicks:.1}")
    } else {
        format!("{clicks:.0}")
    }
}
