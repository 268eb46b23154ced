//! Verdicts, order, history and summary on small observations.

use super::*;
use crate::observation::page_content::{PlacedText, TagSource};
use crate::observation::web_site::{
    CheckState, CrawlScope, CrawlStep, Discovery, FetchFailure, Fetched, Hop, LimitHit, LinkTarget,
    PageLink, Placement, Position, TargetCheck, Truncation,
};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};

const SITE: &str = "https://example.com/";

fn day(number: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 1, 1, 0, 0, 0).unwrap() + TimeDelta::days(number)
}

fn answered(url: &str, statuses: &[(&str, u16)]) -> Fetched {
    let chain: Vec<Hop> = statuses
        .iter()
        .map(|(url, status)| Hop {
            url: (*url).to_owned(),
            status: *status,
        })
        .collect();
    let last = chain.last().cloned();
    Fetched {
        final_url: last.as_ref().map_or(url.to_owned(), |it| it.url.clone()),
        status: last.map(|it| it.status),
        chain,
        failure: None,
        detail: None,
        attempts: 1,
        at: day(0),
        content_type: Some("text/html".to_owned()),
        challenge: false,
        truncation: Truncation::None,
        bytes: None,
        max_age: None,
    }
}

fn with_status(url: &str, status: u16) -> Fetched {
    answered(url, &[(url, status)])
}

fn failed(url: &str, failure: FetchFailure) -> Fetched {
    Fetched {
        failure: Some(failure),
        detail: Some("why".to_owned()),
        ..answered(url, &[])
    }
}

fn checked(url: &str, fetched: Fetched) -> CrawlStep {
    CrawlStep::Check(Box::new(TargetCheck {
        url: url.to_owned(),
        state: CheckState::Requested {
            fetched,
            names: None,
        },
    }))
}

fn link(line: u32, element: &str, target: LinkTarget) -> PageLink {
    PageLink {
        raw: "as written".to_owned(),
        target,
        element: element.to_owned(),
        attribute: "href".to_owned(),
        rel: None,
        text: Some("the guide".to_owned()),
        position: Position {
            line,
            column: 1,
            css_path: element.to_owned(),
        },
        placement: Placement::Content,
        in_main_text: false,
    }
}

fn to(line: u32, url: &str) -> PageLink {
    let (url, fragment) = match url.split_once('#') {
        Some((url, fragment)) => (url, Some(fragment.to_owned())),
        None => (url, None),
    };
    link(
        line,
        "a",
        LinkTarget::Web {
            url: url.to_owned(),
            fragment,
        },
    )
}

fn page(url: &str, links: Vec<PageLink>) -> PageContent {
    let mut page = PageContent {
        fetched: with_status(url, 200),
        discovery: Discovery::Link,
        names: vec!["part".to_owned()],
        links,
        ..PageContent::blank(url)
    };
    page.text.counts.words = 500;
    titled(page, &format!("Title of {url}"))
}

fn titled(mut page: PageContent, title: &str) -> PageContent {
    page.titles = vec![PlacedText {
        text: title.to_owned(),
        source: TagSource::Head,
    }];
    page
}

/// A crawl's observation, and its pages in crawl order.
struct Seen {
    site: SiteObservation,
    pages: Vec<PageContent>,
}

fn site(pages: Vec<PageContent>, more: Vec<CrawlStep>) -> Seen {
    let scope = CrawlScope::from_host("example.com");
    let mut site = SiteObservation::started(SITE.to_owned(), scope, day(0));
    for page in &pages {
        site.add(CrawlStep::Page(Box::new(page.clone())));
    }
    for step in more {
        site.add(step);
    }
    Seen { site, pages }
}

fn found_on(day_number: i64, seen: &Seen, previous: &PreviousBrokenLinks) -> BrokenLinks {
    let context = FindingContext {
        project_id: 7,
        measured_at: day(day_number),
    };
    find(seen.site.clone(), &seen.pages, previous.clone(), &context)
}

fn found(seen: &Seen) -> BrokenLinks {
    found_on(1, seen, &PreviousBrokenLinks::default())
}

/// The verdict on a link to one checked URL, and its severity if it is listed.
fn verdict_on(url: &str, fetched: Fetched) -> (Verdict, Option<Severity>) {
    let site = site(
        vec![page(SITE, vec![to(1, url)])],
        vec![checked(url, fetched)],
    );
    let found = found(&site);
    let verdict = *found.summary.by_verdict.keys().next().unwrap();
    (verdict, found.records.first().map(|it| it.severity))
}

#[test]
fn every_status_has_its_verdict() {
    let url = "https://example.com/x";
    for (status, verdict) in [
        (200, Verdict::Ok),
        (204, Verdict::Ok),
        (304, Verdict::Ok),
        (301, Verdict::InvalidUrl),
        (302, Verdict::InvalidUrl),
        (400, Verdict::ClientError),
        (401, Verdict::Unauthorized),
        (403, Verdict::Unauthorized),
        (404, Verdict::NotFound),
        (405, Verdict::ClientError),
        (407, Verdict::Unauthorized),
        (410, Verdict::Gone),
        (418, Verdict::ClientError),
        (429, Verdict::RateLimited),
        (451, Verdict::Unauthorized),
        (500, Verdict::ServerError),
        (503, Verdict::ServerError),
        (999, Verdict::Unauthorized),
    ] {
        assert_eq!(
            verdict_on(url, with_status(url, status)).0,
            verdict,
            "{status}"
        );
    }
    let challenged = Fetched {
        challenge: true,
        ..with_status(url, 503)
    };
    assert_eq!(
        verdict_on(url, challenged),
        (Verdict::Unauthorized, Some(Severity::Notice))
    );
}

#[test]
fn every_failure_has_its_verdict() {
    let url = "https://example.com/x";
    for (failure, verdict) in [
        (FetchFailure::Dns, Verdict::DnsError),
        (FetchFailure::Connect, Verdict::ConnectError),
        (FetchFailure::Tls, Verdict::TlsError),
        (FetchFailure::Timeout, Verdict::Timeout),
        (FetchFailure::Incomplete, Verdict::ConnectError),
        (FetchFailure::Malformed, Verdict::ConnectError),
        (FetchFailure::Undecodable, Verdict::ServerError),
        (FetchFailure::TooManyRedirects, Verdict::TooManyRedirects),
        (FetchFailure::RedirectLoop, Verdict::RedirectLoop),
        (FetchFailure::InvalidRedirect, Verdict::InvalidUrl),
    ] {
        assert_eq!(
            verdict_on(url, failed(url, failure)),
            (verdict, Some(Severity::Error)),
            "{failure:?}"
        );
    }
}

#[test]
fn redirect_verdicts_depend_on_hops_and_permanence() {
    let (a, b, home) = (
        "https://example.com/a",
        "https://example.com/b",
        "https://example.com/",
    );
    assert_eq!(
        verdict_on(a, answered(a, &[(a, 302), (b, 200)])),
        (Verdict::RedirectOk, None)
    );
    assert_eq!(
        verdict_on(a, answered(a, &[(a, 301), (b, 200)])),
        (Verdict::RedirectPermanent, Some(Severity::Notice))
    );
    assert_eq!(
        verdict_on(
            a,
            answered(a, &[(a, 302), (b, 302), ("https://example.com/c", 200)])
        )
        .0,
        Verdict::RedirectChain
    );
    let deep = "https://example.com/old/page";
    assert_eq!(
        verdict_on(deep, answered(deep, &[(deep, 301), (home, 200)])).0,
        Verdict::RedirectToHome
    );
    // Two letters are a home page only if they are a language or country code.
    for (path, verdict) in [
        ("go", Verdict::RedirectToHome),
        ("de", Verdict::RedirectPermanent),
        ("us", Verdict::RedirectPermanent),
        ("de-at", Verdict::RedirectPermanent),
    ] {
        let short = format!("https://example.com/{path}");
        let found = verdict_on(&short, answered(&short, &[(&short, 301), (home, 200)]));
        assert_eq!(found.0, verdict, "{path}");
    }
    let index = "https://example.com/index.html";
    assert_eq!(
        verdict_on(index, answered(index, &[(index, 301), (home, 200)])).0,
        Verdict::RedirectPermanent
    );
    assert_eq!(
        verdict_on(a, answered(a, &[(a, 301), (b, 404)])).0,
        Verdict::NotFound
    );
}

#[test]
fn unfetched_links_are_checked_by_their_text() {
    for (target, verdict) in [
        (LinkTarget::Empty, Verdict::EmptyHref),
        (LinkTarget::Invalid, Verdict::InvalidUrl),
        (LinkTarget::Mail("nobody".into()), Verdict::MailtoInvalid),
        (LinkTarget::Mail("a@example.com".into()), Verdict::Ok),
        (LinkTarget::Phone("call".into()), Verdict::TelInvalid),
        (LinkTarget::Phone("+49 30 1".into()), Verdict::Ok),
        (LinkTarget::Inert, Verdict::Ok),
        (
            LinkTarget::OtherScheme("ftp".into()),
            Verdict::UnsupportedScheme,
        ),
        (
            LinkTarget::Web {
                url: "http://localhost:3000/".into(),
                fragment: None,
            },
            Verdict::LocalhostLink,
        ),
        (
            LinkTarget::Web {
                url: "http://127.0.0.1/".into(),
                fragment: None,
            },
            Verdict::LocalhostLink,
        ),
    ] {
        let site = site(
            vec![page(SITE, vec![link(1, "a", target.clone())])],
            Vec::new(),
        );
        assert_eq!(
            found(&site)
                .summary
                .by_verdict
                .keys()
                .copied()
                .collect::<Vec<_>>(),
            [verdict],
            "{target:?}"
        );
    }
}

#[test]
fn missing_fragments_are_reported() {
    let other = "https://example.com/other";
    let links = [
        "#part",
        "#Part",
        "#top",
        "#",
        "#:~:text=x",
        "#!route",
        "#missing%20one",
    ];
    let links = links
        .iter()
        .map(|it| to(1, &format!("{other}{it}")))
        .collect();
    let site = site(vec![page(SITE, links), page(other, Vec::new())], Vec::new());
    let found = found(&site);
    let missing: Vec<&str> = found
        .records
        .iter()
        .map(|it| it.target_url.as_str())
        .collect();
    assert_eq!(
        missing,
        [
            "https://example.com/other#Part",
            "https://example.com/other#missing%20one"
        ]
    );
    assert_eq!(found.records[0].severity, Severity::Warning);
    let better = found.records[0].suggested_target.as_ref().unwrap();
    assert_eq!(better.url, "https://example.com/other#part");
}

/// Names of a page that is read before the links to it are found in the second pass, others in the
/// first.
#[test]
fn similar_names_are_suggested_in_any_page_order() {
    let other = "https://example.com/other";
    let mut with_names = page(other, vec![to(1, "https://example.com/other#PART.two")]);
    with_names.names = ["Part-Two", "part", "part-two"].map(str::to_owned).into();
    let mut pages = vec![
        page(SITE, vec![to(1, "https://example.com/other#part_Two")]),
        with_names,
    ];
    let suggested = |pages: &[PageContent]| -> Vec<Option<String>> {
        let records = found(&site(pages.to_vec(), Vec::new())).records;
        let urls = records.into_iter().map(|it| it.suggested_target);
        urls.map(|it| it.map(|it| it.url)).collect()
    };
    let expected = vec![Some("https://example.com/other#Part-Two".to_owned()); 2];
    assert_eq!(suggested(&pages), expected);
    pages.reverse();
    assert_eq!(suggested(&pages), expected);
}

/// One target is mixed content on one page and fine on another: the last page by URL decides what
/// the next run gets.
#[test]
fn link_history_does_not_depend_on_crawl_order() {
    let image = "http://example.com/i.png";
    let target = || LinkTarget::Web {
        url: image.into(),
        fragment: None,
    };
    let checks = vec![checked(image, with_status(image, 200))];
    for (first, last) in [("img", "a"), ("a", "img")] {
        let mut pages = vec![
            page("https://example.com/a", vec![link(1, first, target())]),
            page("https://example.com/b", vec![link(1, last, target())]),
        ];
        let forward = found(&site(pages.clone(), checks.clone()));
        pages.reverse();
        assert_eq!(forward, found(&site(pages, checks.clone())));
        let targets: Vec<_> = forward.history.into_targets().collect();
        let is_bad = targets[0].1.bad_since.is_some();
        assert_eq!((targets.len(), is_bad), (1, last == "img"));
    }
}

#[test]
fn a_truncated_page_proves_no_missing_fragment() {
    let other = "https://example.com/other";
    let mut cut = page(other, Vec::new());
    cut.fetched.truncation = Truncation::AtLimit;
    let site = site(
        vec![page(SITE, vec![to(1, "https://example.com/other#x")]), cut],
        Vec::new(),
    );
    assert_eq!(found(&site).records, []);
}

#[test]
fn a_page_like_the_probe_response_is_a_soft_404() {
    let (like, error_titled, article) = (
        "https://example.com/like",
        "https://example.com/says",
        "https://example.com/article",
    );
    let mut a = page(like, Vec::new());
    a.probe_similarity = Some(0.9);
    let mut b = page(error_titled, Vec::new());
    b = titled(b, "Seite nicht gefunden | Firma");
    b.text.counts.words = 149;
    let mut c = titled(page(article, Vec::new()), "Error 404");
    c.probe_similarity = Some(0.89);
    let site = site(
        vec![
            page(SITE, vec![to(1, like), to(2, error_titled), to(3, article)]),
            a,
            b,
            c,
        ],
        Vec::new(),
    );
    let found: Vec<_> = found(&site)
        .records
        .into_iter()
        .map(|it| (it.target_url, it.verdict, it.severity))
        .collect();
    assert_eq!(
        found,
        [
            (like.to_owned(), Verdict::Soft404, Severity::Error),
            (error_titled.to_owned(), Verdict::Soft404, Severity::Error)
        ]
    );
}

#[test]
fn a_truncated_page_is_no_soft_404() {
    let url = "https://example.com/long";
    let mut long = titled(page(url, Vec::new()), "Error 404");
    long.probe_similarity = Some(1.0);
    let record_count = |long: &PageContent| {
        let pages = vec![page(SITE, vec![to(1, url)]), long.clone()];
        found(&site(pages, Vec::new())).records.len()
    };
    assert_eq!(record_count(&long), 1);
    long.document.parser_limit = true;
    assert_eq!(record_count(&long), 0);
}

#[test]
fn only_loaded_http_resources_are_mixed_content() {
    let image = LinkTarget::Web {
        url: "http://example.com/i.png".into(),
        fragment: None,
    };
    let links = vec![link(1, "img", image.clone()), link(2, "a", image)];
    let steps = vec![checked(
        "http://example.com/i.png",
        with_status("http://example.com/i.png", 200),
    )];
    let found = found(&site(vec![page(SITE, links)], steps));
    let listed: Vec<_> = found
        .records
        .iter()
        .map(|it| (it.verdict, it.element.as_str()))
        .collect();
    assert_eq!(listed, [(Verdict::MixedContent, "img")]);
}

#[test]
fn another_host_is_suspect_until_a_later_check_agrees() {
    let url = "https://other.example/x";
    let broken = site(
        vec![page(SITE, vec![to(1, url)])],
        vec![checked(url, with_status(url, 404))],
    );
    let works = site(
        vec![page(SITE, vec![to(1, url)])],
        vec![checked(url, with_status(url, 200))],
    );
    let zero = found_on(0, &works, &PreviousBrokenLinks::default());
    let first = found_on(1, &broken, &zero.history);
    let record = &first.records[0];
    assert_eq!(
        (record.confirmation, record.severity, record.last_ok_at),
        (Confirmation::Suspect, Severity::Notice, Some(day(0)))
    );
    assert_eq!(
        (
            first.summary.suspect,
            first.summary.broken,
            first.summary.broken_rate
        ),
        (1, 0, Some(0.0))
    );
    let second = found_on(2, &broken, &first.history);
    let record = &second.records[0];
    assert_eq!(
        (record.confirmation, record.severity, record.first_seen_at),
        (
            Confirmation::ConfirmedByEarlierRun,
            Severity::Warning,
            day(1)
        )
    );
    assert_eq!(
        (
            second.summary.suspect,
            second.summary.broken,
            record.envelope.sample_size
        ),
        (0, 1, 2)
    );
    let third = found_on(3, &works, &second.history);
    let fourth = found_on(4, &broken, &third.history);
    assert_eq!(
        (
            fourth.records[0].first_seen_at,
            fourth.records[0].last_ok_at
        ),
        (day(4), Some(day(3)))
    );
    assert_eq!(
        found_on(
            2,
            &broken,
            &PreviousBrokenLinks::from_records(&first.records)
        )
        .records,
        second.records
    );
}

#[test]
fn an_earlier_failure_confirms_a_url_with_any_fragment() {
    let (old, new) = ("https://other.example/old", "https://other.example/new");
    let with_part = LinkTarget::Web {
        url: old.to_owned(),
        fragment: Some("part".to_owned()),
    };
    let pages = |links: Vec<PageLink>| vec![page(SITE, links)];
    let checks = || [old, new].map(|it| checked(it, with_status(it, 404)));
    let first = site(
        pages(vec![link(1, "a", with_part.clone())]),
        checks().to_vec(),
    );
    let history = found_on(1, &first, &PreviousBrokenLinks::default()).history;
    let finished = CrawlStep::Finished { at: day(2) };
    let links = vec![link(1, "a", with_part), to(2, new)];
    let later = site(pages(links), [checks().to_vec(), vec![finished]].concat());
    let confirmed = |history: PreviousBrokenLinks| {
        let mut cards = TargetIndex::of(later.site.clone(), history);
        cards.add(&later.pages[0]);
        let confirmed = cards.confirmed_external().map(str::to_owned);
        confirmed.collect::<Vec<_>>()
    };
    assert_eq!(confirmed(history), [old]);
    assert_eq!(confirmed(PreviousBrokenLinks::default()), [] as [&str; 0]);
}

/// A retry on an already finished crawl gives records the same order.
#[test]
fn a_late_evaluation_does_not_confirm_a_suspect() {
    let url = "https://other.example/x";
    let steps = |more: Vec<CrawlStep>| [vec![checked(url, with_status(url, 404))], more].concat();
    let pages = || vec![page(SITE, vec![to(1, url)])];
    let first = found(&site(pages(), steps(Vec::new())));
    let at = day(1) + TimeDelta::minutes(5);
    let finished = steps(vec![CrawlStep::Finished { at }]);
    let later = found_on(2, &site(pages(), finished), &first.history);
    let record = &later.records[0];
    assert_eq!(record.confirmation, Confirmation::Suspect);
    assert_eq!(later.summary.suspect, 1);
}

#[test]
fn repeated_links_are_one_record_with_counts() {
    let gone = "https://example.com/gone";
    let pages = vec![
        page(SITE, vec![to(5, gone), to(9, gone)]),
        page("https://example.com/b", vec![to(2, gone)]),
    ];
    let found = found(&site(pages, vec![checked(gone, with_status(gone, 404))]));
    let counted: Vec<_> = found
        .records
        .iter()
        .map(|it| {
            (
                it.source_url.as_str(),
                it.position.line,
                it.occurrences,
                it.source_pages,
            )
        })
        .collect();
    assert_eq!(
        counted,
        [(SITE, 5, 2, 2), ("https://example.com/b", 2, 1, 2)]
    );
    assert_eq!((found.summary.broken, found.summary.checked), (1, 1));
}

#[test]
fn record_order_does_not_depend_on_crawl_order() {
    let (gone, moved) = ("https://example.com/gone", "https://example.com/moved");
    let pages = vec![
        page(
            SITE,
            vec![to(3, moved), to(2, gone), link(1, "a", LinkTarget::Invalid)],
        ),
        page("https://example.com/b", vec![to(1, gone)]),
    ];
    let checks = vec![
        checked(gone, with_status(gone, 410)),
        checked(moved, answered(moved, &[(moved, 301), (SITE, 200)])),
    ];
    let forward = found(&site(pages.clone(), checks.clone()));
    let backward = found(&site(
        pages.into_iter().rev().collect(),
        checks.into_iter().rev().collect(),
    ));
    assert_eq!(forward.records, backward.records);
    let order: Vec<_> = forward
        .records
        .iter()
        .map(|it| (it.severity, it.source_url.as_str(), it.position.line))
        .collect();
    assert_eq!(
        order,
        [
            (Severity::Error, SITE, 1),
            (Severity::Error, SITE, 2),
            (Severity::Error, "https://example.com/b", 1),
            (Severity::Notice, SITE, 3)
        ]
    );
}

#[test]
fn suggestions_use_redirect_slug_or_title() {
    let (moved, lost, strange) = (
        "https://example.com/old",
        "https://example.com/a/install.htm",
        "https://example.com/zzz",
    );
    let guide = titled(page("https://example.com/x", Vec::new()), "The Guide");
    let install = page("https://example.com/docs/install.html", Vec::new());
    let checks = vec![
        checked(
            moved,
            answered(moved, &[(moved, 301), ("https://example.com/new", 200)]),
        ),
        checked(lost, with_status(lost, 404)),
        checked(strange, with_status(strange, 404)),
    ];
    let found = found(&site(
        vec![
            page(SITE, vec![to(1, lost), to(2, strange), to(3, moved)]),
            guide,
            install,
        ],
        checks,
    ));
    let suggested: Vec<_> = found
        .records
        .iter()
        .map(|it| {
            it.suggested_target
                .as_ref()
                .map(|it| (it.url.as_str(), it.reason))
                .unwrap()
        })
        .collect();
    assert_eq!(
        suggested,
        [
            (
                "https://example.com/docs/install.html",
                SuggestionReason::SameSlug
            ),
            ("https://example.com/x", SuggestionReason::ClosestTitle),
            ("https://example.com/new", SuggestionReason::Redirect),
        ]
    );
}

#[test]
fn limits_make_the_rate_a_sample_of_checked_targets() {
    let (gone, unasked, fine) = (
        "https://example.com/gone",
        "https://example.com/unasked",
        "https://example.com/fine",
    );
    let checks = vec![
        checked(gone, with_status(gone, 404)),
        checked(fine, with_status(fine, 200)),
        CrawlStep::Limit(LimitHit::MaxPages),
    ];
    let summary = found(&site(
        vec![page(SITE, vec![to(1, gone), to(2, unasked), to(3, fine)])],
        checks,
    ))
    .summary;
    assert_eq!(
        (
            summary.checked,
            summary.ok,
            summary.broken,
            summary.not_checked
        ),
        (2, 1, 1, 1)
    );
    assert_eq!(
        (
            summary.broken_rate,
            summary.broken_rate_low,
            summary.broken_rate_high
        ),
        (Some(0.5), Some(0.094_531), Some(0.905_469))
    );
}

#[test]
fn unknown_targets_do_not_count_in_the_rate() {
    let urls = [
        "https://example.com/a",
        "https://example.com/b",
        "https://example.com/c",
    ];
    let rate = |statuses: [u16; 3]| {
        let links = (1..).zip(urls).map(|(line, url)| to(line, url)).collect();
        let checks = { urls.iter().zip(statuses) }
            .map(|(url, status)| checked(url, with_status(url, status)))
            .chain([CrawlStep::Limit(LimitHit::CrawlDelay)])
            .collect();
        let summary = found(&site(vec![page(SITE, links)], checks)).summary;
        assert_eq!(summary.checked, 3);
        // `crawlDelay` does not make the crawl a sample.
        assert_eq!(summary.broken_rate_low, None);
        summary.broken_rate
    };
    assert_eq!(rate([429, 429, 429]), None);
    assert_eq!(rate([429, 200, 200]), Some(0.0));
    assert_eq!(rate([429, 404, 200]), Some(0.5));
}

#[test]
fn records_serialize_every_field() {
    let gone = "https://example.com/gone";
    let found = found(&site(
        vec![page(SITE, vec![to(1, gone)])],
        vec![checked(gone, with_status(gone, 404))],
    ));
    let json = serde_json::to_value(&found.records[0]).unwrap();
    for field in [
        "type",
        "projectId",
        "keywordId",
        "url",
        "measuredAt",
        "status",
        "provenance",
        "methodVersion",
        "sampleSize",
        "warnings",
        "sourceUrl",
        "sourceTitle",
        "targetUrl",
        "finalUrl",
        "anchorText",
        "element",
        "attribute",
        "rel",
        "position",
        "isInternal",
        "placement",
        "verdict",
        "statusCode",
        "redirectChain",
        "hops",
        "errorDetail",
        "attempts",
        "firstSeenAt",
        "lastOkAt",
        "occurrences",
        "sourcePages",
        "suggestedTarget",
        "severity",
    ] {
        assert!(json.get(field).is_some(), "{field}");
    }
    assert_eq!(json["type"], "broken-links");
    assert_eq!(serde_json::to_value(Verdict::Soft404).unwrap(), "soft404");
    let back: BrokenLink = serde_json::from_value(json).unwrap();
    assert_eq!(back, found.records[0]);
}
