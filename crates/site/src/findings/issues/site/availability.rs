use super::SiteIssueCollector;
use crate::findings::issues::code::IssueCode;
use crate::observation::web_site::FetchFailure;
use crate::site_graph::{MediaKind, SiteGraph, Target, TargetState, UrlId};
use std::collections::HashSet;

pub fn find(site: &SiteGraph, all: &mut SiteIssueCollector) {
    let linked: HashSet<UrlId> = site
        .nodes
        .iter()
        .flat_map(|it| &it.links)
        .map(|it| it.target())
        .collect();
    for (url, target) in site.targets() {
        if !site.urls.is_internal(url) {
            continue;
        }
        if linked.contains(&url)
            && let Some((code, detail)) = target_issue(site, target)
        {
            all.issues_of(url).add(code, detail);
        }
        if let Some(expected) = expected_kind(site.urls.text(url), target) {
            all.issues_of(url)
                .add(IssueCode::WrongMediaType, format!("{expected:?} expected"));
        }
    }
}

fn target_issue(site: &SiteGraph, target: &Target) -> Option<(IssueCode, Option<String>)> {
    let landed = || Some(site.urls.text(target.final_url).to_owned());
    Some(match target.state {
        TargetState::Blocked => (IssueCode::BlockedByRobots, None),
        TargetState::Challenged => return None,
        TargetState::Failed(failure) => match failure {
            FetchFailure::Timeout => (IssueCode::Timeout, None),
            FetchFailure::RedirectLoop | FetchFailure::TooManyRedirects => {
                (IssueCode::RedirectLoop, None)
            }
            // Reported as a broken link.
            FetchFailure::InvalidRedirect => return None,
            other => (IssueCode::DnsOrTls, Some(format!("{other:?}"))),
        },
        TargetState::Answered(status @ 400..=499) => (IssueCode::Http4xx, Some(status.to_string())),
        TargetState::Answered(status @ 500..=599) => (IssueCode::Http5xx, Some(status.to_string())),
        TargetState::Answered(_) => match target.hops {
            0 => return None,
            1 => (IssueCode::Redirect3xx, landed()),
            _ => (IssueCode::RedirectChain, landed()),
        },
    })
}

/// The kind by file extension, if the response has another one.
fn expected_kind(url: &str, target: &Target) -> Option<MediaKind> {
    if !target.is_success() || target.hops > 0 || target.media == MediaKind::Unknown {
        return None;
    }
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let name = path.rsplit('/').next()?.to_ascii_lowercase();
    let expected = match name.rsplit_once('.')?.1 {
        "css" => MediaKind::Css,
        "js" | "mjs" => MediaKind::Script,
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "svg" | "ico" => MediaKind::Image,
        "html" | "htm" => MediaKind::Html,
        _ => return None,
    };
    (target.media != expected).then_some(expected)
}
