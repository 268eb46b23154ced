use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// What a link's target turned out to be.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It works.
    Ok,
    /// One temporary redirect to something that works.
    RedirectOk,
    /// One permanent redirect to something that works: the link should name it.
    RedirectPermanent,
    /// Two redirects or more to something that works.
    RedirectChain,
    /// The redirects go in a circle.
    RedirectLoop,
    /// More than 10 redirects.
    TooManyRedirects,
    /// A deep URL that redirects to the start page of a site: what it named is gone.
    RedirectToHome,
    /// 4xx, except statuses with a separate verdict.
    ClientError,
    /// 404.
    NotFound,
    /// 410.
    Gone,
    /// 401, 403, 407, 451, or a bot challenge: the crawler has no access, others may.
    Unauthorized,
    /// 429 after all attempts: nothing is known.
    RateLimited,
    /// 5xx, or an answer that is not encoded as it says.
    ServerError,
    /// No answer in time.
    Timeout,
    /// The host's name does not resolve.
    DnsError,
    /// No connection, or one that broke, or a response that is not HTTP.
    ConnectError,
    /// No encrypted connection.
    TlsError,
    /// 200 for a page that is not there.
    #[serde(rename = "soft404")]
    Soft404,
    /// The page works and has no such fragment.
    MissingFragment,
    /// Not a URL, or a redirect to something that is none, or to nowhere.
    InvalidUrl,
    /// A scheme that is not checked.
    UnsupportedScheme,
    /// robots.txt forbids the check.
    BlockedByRobots,
    /// An `https` page that loads something over `http`.
    MixedContent,
    /// It leads to the reader's own machine.
    LocalhostLink,
    /// There is no target.
    EmptyHref,
    /// `mailto:` without a valid address.
    MailtoInvalid,
    /// `tel:` or `sms:` without a valid number.
    TelInvalid,
}

/// What a verdict means for the target, for counting.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It works.
    Ok,
    /// It works after redirects.
    Redirected,
    /// It does not work.
    Broken,
    /// It exists, but denies access to some clients.
    Restricted,
    /// The check brought no knowledge.
    Unknown,
    /// It was not checked.
    NotChecked,
}

impl Verdict {
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Ok | Self::MixedContent | Self::EmptyHref => Outcome::Ok,
            Self::RedirectOk
            | Self::RedirectPermanent
            | Self::RedirectChain
            | Self::RedirectToHome => Outcome::Redirected,
            Self::RedirectLoop
            | Self::TooManyRedirects
            | Self::ClientError
            | Self::NotFound
            | Self::Gone
            | Self::ServerError
            | Self::Timeout
            | Self::DnsError
            | Self::ConnectError
            | Self::TlsError
            | Self::Soft404
            | Self::MissingFragment
            | Self::InvalidUrl
            | Self::LocalhostLink
            | Self::MailtoInvalid
            | Self::TelInvalid => Outcome::Broken,
            Self::Unauthorized => Outcome::Restricted,
            Self::RateLimited => Outcome::Unknown,
            Self::UnsupportedScheme | Self::BlockedByRobots => Outcome::NotChecked,
        }
    }

    /// Whether links with this verdict are listed rather than only counted.
    pub const fn is_listed(self) -> bool {
        !matches!(self, Self::Ok | Self::RedirectOk | Self::BlockedByRobots)
    }

    /// Whether the failure was seen over the network and may be temporary.
    pub const fn may_be_temporary(self) -> bool {
        matches!(self.outcome(), Outcome::Broken)
            && !matches!(
                self,
                Self::InvalidUrl | Self::LocalhostLink | Self::MailtoInvalid | Self::TelInvalid
            )
    }
}
