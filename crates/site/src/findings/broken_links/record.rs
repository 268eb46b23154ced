use super::evaluate::EvaluatedLink;
use super::verdict::{Outcome, Verdict};
use crate::ToSchema;
use crate::findings::envelope::Envelope;
use crate::observation::web_site::{Hop, PageLink, Placement, Position};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

crate::wire_enum! {
    /// How much a finding matters.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum Severity {
        /// Something is broken and the owner can mend it.
        Error = "error",
        /// Something is broken elsewhere, or half works.
        Warning = "warning",
        /// Good to know.
        Notice = "notice",
    }
}

/// How sure a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Confirmation {
    /// One check is enough: the site's own target, or a verdict that time does not change.
    Confirmed,
    /// The check of an earlier run, ten minutes or more before, agrees.
    ConfirmedByEarlierRun,
    /// Another host failed once; it may work again.
    Suspect,
}

/// What to link to instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedTarget {
    /// The better target.
    pub url: String,
    /// Why it is suggested.
    pub reason: SuggestionReason,
    /// How sure, 0 to 1.
    pub score: f64,
}

/// Why a target is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SuggestionReason {
    /// The server redirects there.
    Redirect,
    /// A working page with the same slug (or a fragment that differs in case only).
    SameSlug,
    /// The working page with the title closest to the link's text.
    ClosestTitle,
}

/// A link to a target that does not work, or that should be changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLink {
    /// What every record says about itself.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The page with the link.
    pub source_url: String,
    /// That page's title.
    pub source_title: Option<String>,
    /// The target: normalized, with its fragment; as written if it is not a URL.
    pub target_url: String,
    /// Where redirects ended; null without redirects.
    pub final_url: Option<String>,
    /// The link's text.
    pub anchor_text: Option<String>,
    /// The element.
    pub element: String,
    /// The attribute; `style` for a `url()` in a style sheet.
    pub attribute: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
    /// The first place on the page.
    pub position: Position,
    /// Whether the target belongs to the site.
    pub is_internal: bool,
    /// What part of the page the first place is in.
    pub placement: Placement,
    /// What is wrong.
    pub verdict: Verdict,
    /// What that means for the target.
    pub outcome: Outcome,
    /// How sure it is.
    pub confirmation: Confirmation,
    /// The status of the last answer; null when there was none.
    pub status_code: Option<u16>,
    /// Every answer in order when there were redirects.
    pub redirect_chain: Vec<Hop>,
    /// Redirects that were followed.
    pub hops: u32,
    /// A code for what exactly went wrong.
    pub error_detail: Option<String>,
    /// Number of requests; 0 if none was sent.
    pub attempts: u32,
    /// When the target was first seen not to work.
    pub first_seen_at: DateTime<Utc>,
    /// When the target was last seen to work; null when it never was.
    pub last_ok_at: Option<DateTime<Utc>>,
    /// Places on this page.
    pub occurrences: u32,
    /// Pages that link to this target.
    pub source_pages: u32,
    /// What to link to instead.
    pub suggested_target: Option<SuggestedTarget>,
    /// How much it matters.
    pub severity: Severity,
}

crate::json!(BrokenLink);

impl BrokenLink {
    /// A total order: severity, source, position, target, verdict.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |it: &Self| (it.severity, it.verdict);
        self.severity
            .cmp(&other.severity)
            .then_with(|| self.source_url.cmp(&other.source_url))
            .then_with(|| self.position.cmp(&other.position))
            .then_with(|| self.target_url.cmp(&other.target_url))
            .then_with(|| key(self).cmp(&key(other)))
    }
}

pub(super) fn severity(
    evaluated: &EvaluatedLink<'_>,
    link: &PageLink,
    confirmation: Confirmation,
) -> Severity {
    match evaluated.verdict {
        Verdict::MissingFragment if evaluated.is_internal => Severity::Warning,
        Verdict::MissingFragment => Severity::Notice,
        Verdict::InvalidUrl if evaluated.response.is_none() => Severity::Error,
        Verdict::MailtoInvalid
        | Verdict::TelInvalid
        | Verdict::LocalhostLink
        | Verdict::MixedContent => Severity::Warning,
        Verdict::EmptyHref if link.is_subresource() => Severity::Warning,
        verdict if verdict.outcome() != Outcome::Broken => Severity::Notice,
        _ if evaluated.is_internal => Severity::Error,
        _ if confirmation == Confirmation::Suspect => Severity::Notice,
        _ => Severity::Warning,
    }
}
