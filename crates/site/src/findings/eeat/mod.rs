//! Machine-checkable evidence of experience, expertise, authoritativeness and trust. [`SiteSignals::add`] collects
//! site-level signals, then [`evaluate_page`] evaluates each page, and [`evaluate_site`] the site with the means of its
//! pages ([`PageAverages`]). Weights are our judgment. Without a phrase list for the language a signal does not apply;
//! it is never 0 for that. Definitions: `docs/measurement`.

mod averages;
mod company_ids;
mod evaluate;
mod outcome;
mod page_signals;
mod people;
mod phrases;
mod record;
mod signal;
mod site;
mod site_signals;
mod standard_pages;
mod summary;
mod ymyl;

pub use crate::findings::envelope::FindingContext;
pub use averages::PageAverages;
pub use company_ids::{CompanyIdKind, company_ids};
pub use evaluate::{evaluate_page, evaluate_site};
pub use record::{
    EeatAuthor, EeatRecord, Organization, PageType, PillarScores, Signal, SignalEvidence, Ymyl,
    YmylTopic,
};
pub use signal::{Pillar, SignalCode, SignalScope};
pub use site::SiteSignals;
pub use standard_pages::{StandardPage, classify_text, classify_url};
pub use summary::EeatSummary;

use crate::observation::page_content::PageContent;

pub const METHOD: &str = "eeat/2";

#[derive(Debug, Clone, Copy)]
pub struct EeatInput<'a> {
    pub page: &'a PageContent,
    pub page_type: PageType,
    pub site: &'a SiteSignals,
    /// Mentions and citations of the site by others; `None` if not counted.
    pub third_party_mentions: Option<u32>,
}

#[cfg(test)]
mod tests;
