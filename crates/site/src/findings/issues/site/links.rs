use super::{SiteIssueCollector, known_target};
use crate::findings::issues::code::IssueCode;
use crate::site_graph::{FragmentLink, LinkFacts, PageNode, Resolved, SiteGraph, Target, UrlId};
use std::collections::BTreeSet;

/// Clicks from the start (`SEOnaut`).
const MAX_DEPTH: u32 = 4;
/// Bytes (`SEOnaut`).
const LARGE_IMAGE: u64 = 500_000;

/// `confirmed` are external URLs that failed in an earlier audit too; sorted.
pub fn find(
    site: &SiteGraph,
    links: &LinkFacts,
    confirmed: &[UrlId],
    all: &mut SiteIssueCollector,
) {
    for (number, node) in site.nodes.iter().enumerate() {
        check_page(site, node, confirmed, all);
        let inlinks = links.inlinks[number];
        let found_mixed = inlinks.following > 0 && inlinks.nofollow > 0;
        if found_mixed {
            let detail = format!("{} and {} pages", inlinks.following, inlinks.nofollow);
            all.issues_of(node.url)
                .add(IssueCode::FollowNofollowMixed, detail);
        }
        if node.depth > MAX_DEPTH {
            let detail = format!("{} clicks", node.depth);
            all.issues_of(node.url).add(IssueCode::DepthHigh, detail);
        }
    }
}

fn check_page(
    site: &SiteGraph,
    node: &PageNode,
    confirmed: &[UrlId],
    all: &mut SiteIssueCollector,
) {
    let linked: BTreeSet<UrlId> = { node.links.iter() }
        .map(|it| it.target())
        .chain(node.files.iter().copied())
        .collect();
    let mut where_target =
        |code, urls: &mut dyn Iterator<Item = UrlId>, holds: fn(&Target) -> bool| {
            let matching = urls.filter(|it| known_target(site, *it).is_some_and(holds));
            all.add_urls(site, node.url, code, matching);
        };
    let mut own = linked
        .iter()
        .copied()
        .filter(|it| site.urls.is_internal(*it));
    where_target(IssueCode::InternalBroken, &mut own, Target::is_gone);
    let others = || {
        linked
            .iter()
            .copied()
            .filter(|it| !site.urls.is_internal(*it))
    };
    where_target(IssueCode::ExternalRedirect, &mut others(), |it| {
        it.is_success() && it.hops > 0 && it.is_permanent
    });
    let mut images = node.images.iter().copied();
    where_target(IssueCode::ImageLarge, &mut images, |it| {
        it.is_success() && it.bytes.is_some_and(|it| it > LARGE_IMAGE)
    });
    let mut broken = BrokenTargets {
        site,
        page: node.url,
        confirmed,
        all,
    };
    broken.report(IssueCode::ExternalBroken, others());
    let images = node.images.iter().chain(&node.image_candidates);
    broken.report(IssueCode::ImageBroken, images.copied());
    let missing = node.fragments.iter().filter(|it| misses_fragment(site, it));
    let missing: BTreeSet<UrlId> = missing.map(|it| it.target).collect();
    all.add_urls(
        site,
        node.url,
        IssueCode::MissingFragment,
        missing.into_iter(),
    );
}

struct BrokenTargets<'a> {
    site: &'a SiteGraph,
    page: UrlId,
    confirmed: &'a [UrlId],
    all: &'a mut SiteIssueCollector,
}

impl BrokenTargets<'_> {
    fn report(&mut self, code: IssueCode, urls: impl Iterator<Item = UrlId>) {
        let is_broken = |it: &UrlId| known_target(self.site, *it).is_some_and(Target::is_broken);
        let broken = urls.filter(is_broken);
        self.all
            .add_broken(self.site, self.confirmed, self.page, code, broken);
    }
}

fn misses_fragment(site: &SiteGraph, link: &FragmentLink) -> bool {
    match site.resolve(link.target) {
        Resolved::Page(_, node) | Resolved::Redirect(_, Some((_, node))) => {
            !node.has_fragment(link)
        }
        Resolved::Redirect(target, None) | Resolved::Other(target) => {
            let names = target.names.as_ref().filter(|_| target.is_success());
            names.is_some_and(|it| !link.is_among(it))
        }
        Resolved::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        findings::{broken_links::Severity, issues::issue::Issue, sample_pages},
        observation::{
            page_content::PageContent,
            web_site::{CheckState, CrawlScope, FetchFailure, Fetched, PageLink, TargetCheck},
        },
    };

    const PAGE: &str = "https://example.com/page";

    fn checked(url: &str, status: u16, failure: Option<FetchFailure>) -> TargetCheck {
        TargetCheck {
            url: url.to_owned(),
            state: CheckState::Requested {
                fetched: Fetched {
                    failure,
                    ..Fetched::plain(url, status)
                },
                names: None,
            },
        }
    }

    /// The issues of a page with these links and checked targets.
    fn issues(links: &[PageLink], checks: &[TargetCheck], confirmed: &[&str]) -> Vec<Issue> {
        let mut site = SiteGraph::new(PAGE, CrawlScope::from_host("example.com"));
        let mut page = PageContent::blank(PAGE);
        page.links = links.to_vec();
        site.add_page(&page);
        for check in checks {
            site.add_check(check);
        }
        let confirmed: Vec<UrlId> = { confirmed.iter() }
            .filter_map(|it| site.urls.known(it))
            .collect();
        let mut all = SiteIssueCollector::default();
        find(&site, &LinkFacts::of(&site), &confirmed, &mut all);
        let found = all.by_url.remove(&site.start).unwrap_or_default();
        found.finished()
    }

    /// As in `broken-links`, where a first failure on another host is a suspect.
    #[test]
    fn a_first_external_failure_is_a_notice() {
        let url = "https://other.example/a";
        let link = [sample_pages::link(url, "a")];
        for (status, failure) in [
            (404, None),
            (503, None),
            (200, Some(FetchFailure::Timeout)),
            (200, Some(FetchFailure::Connect)),
        ] {
            let check = [checked(url, status, failure)];
            let once = issues(&link, &check, &[]);
            assert_eq!(once.len(), 1, "{once:?}");
            assert_eq!(once[0].code, IssueCode::ExternalBroken);
            assert_eq!(once[0].severity, Severity::Notice);
            let detail = once[0].detail.as_deref();
            assert_eq!(detail, Some("https://other.example/a (failed once)"));
            let again = issues(&link, &check, &[url]);
            assert_eq!(again[0].severity, Severity::Warning);
            assert_eq!(again[0].detail.as_deref(), Some(url));
        }
        for status in [401, 403, 429, 451, 999] {
            assert_eq!(issues(&link, &[checked(url, status, None)], &[url]), []);
        }
    }

    #[test]
    fn srcset_candidates_are_checked() {
        let candidate = |element: &str, url: &str| PageLink {
            element: element.to_owned(),
            attribute: "srcset".to_owned(),
            ..sample_pages::link(url, "")
        };
        let (own, picture) = ("https://example.com/a-2x.png", "https://example.com/b.avif");
        let elsewhere = "https://other.example/c.png";
        let links = [
            candidate("img", own),
            candidate("source", picture),
            candidate("img", elsewhere),
        ];
        let checks = [own, picture, elsewhere].map(|it| checked(it, 404, None));
        let found = issues(&links, &checks, &[]);
        let reported: Vec<_> = { found.iter() }
            .map(|it| (it.code, it.severity, it.count))
            .collect();
        let expected = [
            (IssueCode::ImageBroken, Severity::Error, 2),
            (IssueCode::ImageBroken, Severity::Notice, 1),
        ];
        assert_eq!(reported, expected);
    }
}
