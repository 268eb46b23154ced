use super::contact::{is_valid_mail, is_valid_phone};
use super::history::TargetHistory;
use super::record::Confirmation;
use super::site_index::{Names, Resolved, Response, SiteIndex};
use super::target_index::is_confirmed;
use super::verdict::{Outcome, Verdict};
use crate::fragment::{FragmentCheck, parse_fragment};
use crate::observation::page_content::PageContent;
use crate::observation::page_url::is_loopback;
use crate::observation::web_site::{FetchFailure, Fetched, LinkTarget, PageLink, WebPage};
use crate::text::language::tags::is_locale_segment;
use crate::text::words::shortened;
use chrono::{DateTime, TimeDelta, Utc};
use url::Url;

/// Similarity to the response for a nonexistent URL from which a page is a soft 404.
const PROBE_SIMILARITY: f64 = 0.9;
/// A page that names an error is a soft 404 below this word count.
const ERROR_PAGE_WORDS: u32 = 150;
/// Minimum time between two checks of another host.
pub(super) const CONFIRMED_AFTER: TimeDelta = TimeDelta::minutes(10);

pub(super) struct EvaluatedLink<'a> {
    /// The target with its fragment, or as written.
    pub(super) target: String,
    pub(super) verdict: Verdict,
    pub(super) unchecked: bool,
    pub(super) is_internal: bool,
    pub(super) response: Option<Response<'a>>,
}

impl EvaluatedLink<'_> {
    pub(super) fn outcome(&self) -> Outcome {
        if self.unchecked {
            Outcome::NotChecked
        } else {
            self.verdict.outcome()
        }
    }

    pub(super) fn may_be_temporary(&self) -> bool {
        // A redirect without a valid target is a server error that may be fixed.
        let of_a_server = self.verdict == Verdict::InvalidUrl && self.response.is_some();
        !self.is_internal && (self.verdict.may_be_temporary() || of_a_server)
    }

    pub(super) fn confirmation(
        &self,
        past: Option<&TargetHistory>,
        now: DateTime<Utc>,
    ) -> Confirmation {
        if !self.may_be_temporary() {
            return Confirmation::Confirmed;
        }
        if is_confirmed(past, now) {
            Confirmation::ConfirmedByEarlierRun
        } else {
            Confirmation::Suspect
        }
    }

    fn unfetched(target: &str, verdict: Verdict) -> Self {
        Self {
            target: shortened(target, 2_048).to_owned(),
            verdict,
            unchecked: false,
            is_internal: false,
            response: None,
        }
    }
}

pub(super) fn evaluate_link<'a>(
    page: &PageContent,
    link: &PageLink,
    index: &'a SiteIndex,
) -> EvaluatedLink<'a> {
    match &link.target {
        LinkTarget::Web { url, fragment } => {
            evaluate_web_link(page, link, url, fragment.as_deref(), index)
        }
        LinkTarget::Empty => EvaluatedLink::unfetched(&link.raw, Verdict::EmptyHref),
        LinkTarget::Invalid => EvaluatedLink::unfetched(&link.raw, Verdict::InvalidUrl),
        LinkTarget::Inert => EvaluatedLink::unfetched(&link.raw, Verdict::Ok),
        LinkTarget::OtherScheme(_) => {
            EvaluatedLink::unfetched(&link.raw, Verdict::UnsupportedScheme)
        }
        LinkTarget::Mail(address) => EvaluatedLink::unfetched(
            &link.raw,
            ok_or(is_valid_mail(address), Verdict::MailtoInvalid),
        ),
        LinkTarget::Phone(number) => EvaluatedLink::unfetched(
            &link.raw,
            ok_or(is_valid_phone(number), Verdict::TelInvalid),
        ),
    }
}

fn ok_or(fine: bool, otherwise: Verdict) -> Verdict {
    if fine { Verdict::Ok } else { otherwise }
}

fn evaluate_web_link<'a>(
    page: &PageContent,
    link: &PageLink,
    url: &str,
    fragment: Option<&str>,
    index: &'a SiteIndex,
) -> EvaluatedLink<'a> {
    let parsed = Url::parse(url).ok();
    let is_internal = parsed.as_ref().is_some_and(|it| index.scope.contains(it));
    let mut evaluated = EvaluatedLink {
        target: fragment.map_or_else(|| url.to_owned(), |it| format!("{url}#{it}")),
        verdict: Verdict::Ok,
        unchecked: false,
        is_internal,
        response: None,
    };
    if !is_internal && parsed.as_ref().is_some_and(is_loopback) {
        evaluated.verdict = Verdict::LocalhostLink;
        return evaluated;
    }
    match index.resolve(url) {
        Resolved::Unknown => evaluated.unchecked = true,
        Resolved::Blocked => evaluated.verdict = Verdict::BlockedByRobots,
        Resolved::Checked {
            response,
            page: target,
            names,
        } => {
            evaluated.verdict = verdict_of(url, response, target, is_internal);
            if misses_fragment(link, fragment, response, names, evaluated.verdict) {
                evaluated.verdict = Verdict::MissingFragment;
            }
            evaluated.response = Some(response);
        }
    }
    if is_mixed(page, link, url) && !evaluated.verdict.is_listed() {
        evaluated.verdict = Verdict::MixedContent;
    }
    evaluated
}

fn verdict_of(
    url: &str,
    response: Response<'_>,
    target: Option<&WebPage>,
    is_internal: bool,
) -> Verdict {
    let (failure, challenge) = match response {
        Response::Page(_) => (None, false),
        Response::Fetched(fetched) => (fetched.failure, fetched.challenge),
    };
    // An unread body does not matter: the status decides.
    if let Some(failure) = failure.filter(|it| *it != FetchFailure::Unread) {
        return verdict_of_failure(failure);
    }
    let Some(status) = response.status() else {
        return Verdict::ConnectError;
    };
    match (status, response) {
        (403 | 503, _) if challenge => Verdict::Unauthorized,
        (200..=299, _) if is_internal && target.is_some_and(is_soft_404) => Verdict::Soft404,
        (200..=299, Response::Page(_)) => Verdict::Ok,
        (200..=299, Response::Fetched(fetched)) => verdict_of_redirects(url, fetched),
        _ => verdict_of_status(status),
    }
}

const fn verdict_of_status(status: u16) -> Verdict {
    match status {
        // Informational, 304, and 300 without `Location`: the resource exists.
        100..=199 | 300 | 304 => Verdict::Ok,
        401 | 403 | 407 | 451 | 999 => Verdict::Unauthorized,
        404 => Verdict::NotFound,
        410 => Verdict::Gone,
        429 => Verdict::RateLimited,
        400..=499 => Verdict::ClientError,
        // Redirects without a target.
        301..=399 => Verdict::InvalidUrl,
        _ => Verdict::ServerError,
    }
}

const fn verdict_of_failure(failure: FetchFailure) -> Verdict {
    match failure {
        FetchFailure::Dns => Verdict::DnsError,
        FetchFailure::Connect
        | FetchFailure::Incomplete
        | FetchFailure::Malformed
        // Handled before: its status decides.
        | FetchFailure::Unread => Verdict::ConnectError,
        FetchFailure::Undecodable => Verdict::ServerError,
        FetchFailure::Tls => Verdict::TlsError,
        FetchFailure::Timeout => Verdict::Timeout,
        FetchFailure::TooManyRedirects => Verdict::TooManyRedirects,
        FetchFailure::RedirectLoop => Verdict::RedirectLoop,
        FetchFailure::InvalidRedirect => Verdict::InvalidUrl,
    }
}

fn verdict_of_redirects(url: &str, fetched: &Fetched) -> Verdict {
    let hops = fetched.hops();
    if hops == 0 {
        return Verdict::Ok;
    }
    if path_of(&fetched.final_url) == "/" && is_deep(&path_of(url)) {
        return Verdict::RedirectToHome;
    }
    let permanent = fetched
        .chain
        .first()
        .is_some_and(|it| matches!(it.status, 301 | 308));
    match (hops, permanent) {
        (2.., _) => Verdict::RedirectChain,
        (_, true) => Verdict::RedirectPermanent,
        (_, false) => Verdict::RedirectOk,
    }
}

fn path_of(url: &str) -> String {
    Url::parse(url).map_or_else(
        |_| String::new(),
        |it| {
            let query = it.query().map(|query| format!("?{query}"));
            it.path().to_owned() + query.as_deref().unwrap_or_default()
        },
    )
}

/// Whether a path is not that of a home page.
fn is_deep(path: &str) -> bool {
    let name = path.trim_matches('/').to_ascii_lowercase();
    let is_start = name.is_empty()
        || ["index", "default", "home"]
            .iter()
            .any(|it| name == *it || name.starts_with(&format!("{it}.")));
    // `/en` is the home page in one language.
    !is_start && !is_locale_segment(&name)
}

fn is_soft_404(page: &WebPage) -> bool {
    let like_the_probe = page
        .probe_similarity
        .is_some_and(|it| it >= PROBE_SIMILARITY);
    like_the_probe || (page.has_error_title && page.word_count < ERROR_PAGE_WORDS)
}

fn misses_fragment(
    link: &PageLink,
    fragment: Option<&str>,
    response: Response<'_>,
    names: Option<Names<'_>>,
    verdict: Verdict,
) -> bool {
    let works = matches!(verdict.outcome(), Outcome::Ok | Outcome::Redirected);
    let (Some(fragment), Some(names)) = (fragment, names) else {
        return false;
    };
    let check: FragmentCheck = parse_fragment(fragment);
    works && response.is_html() && link.is_navigable() && !names.satisfy(&check)
}

fn is_mixed(page: &PageContent, link: &PageLink, url: &str) -> bool {
    page.fetched.final_url.starts_with("https:")
        && url.starts_with("http:")
        && (link.is_subresource() || link.element == "form")
}
