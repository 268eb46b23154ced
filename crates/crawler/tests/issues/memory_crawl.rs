//! An in-memory crawl of a generated site.

use crate::fault_sites::{Answer, Failing, GeneratedSite, SiteSpec, VitalsFault};
use analysis::{
    findings::{
        content::{ContentContext, ContentRecord, SiteIndex, content_record},
        geo_score::AgentVerdict,
        issues::{Issue, PageContext, SiteContext, page_issues, site_issues},
        llms_txt::llms_txt,
        schema,
        vitals::{Subject, VitalsRecord, field_record},
    },
    observation::{
        page_content::{PageContent, ResponseFacts, ResponseHeaders},
        page_url::{is_loopback, normalize},
        vitals::{FieldMetric, FieldSample, FieldScope, FormFactor, VitalsMetric},
        web_site::{
            CheckState, CrawlScope, Discovery, FetchFailure, Fetched, Hop, LinkTarget, LlmsTxtFact,
            SitemapFact, TargetCheck,
        },
    },
    page_kind::page_kind,
    site_graph::{LinkFacts, SiteGraph},
    text::{
        duplicates::clusters,
        similarity::{jaccard, shingles},
    },
};
use chrono::{DateTime, Utc};
use crawler::{
    RobotsRules, Sitemap,
    extract::{ReceivedPage, read_page},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, VecDeque},
};
use url::Url;

const PRODUCT: &str = "Sightline";
const MAX_HOPS: usize = 10;

struct Crawl {
    site: GeneratedSite,
    scope: CrawlScope,
    robots: RobotsRules,
    pages: BTreeMap<String, PageContent>,
    checks: BTreeMap<String, TargetCheck>,
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_750_000_000, 0).unwrap()
}

pub struct Audit {
    /// Issues by URL, of pages and others.
    pub issues: BTreeMap<String, Vec<Issue>>,
    /// By URL.
    pub records: BTreeMap<String, ContentRecord>,
}

/// Crawls and audits a site.
pub fn audit(spec: &SiteSpec, vitals: Option<VitalsFault>) -> Audit {
    let site = spec.generated();
    let robots_txt = text(&site, "/robots.txt");
    let start = Url::parse(&site.origin).unwrap();
    let mut crawl = Crawl {
        scope: CrawlScope::from_host(start.host_str().unwrap()),
        robots: RobotsRules::parse(&robots_txt, PRODUCT),
        pages: BTreeMap::new(),
        checks: BTreeMap::new(),
        site,
    };
    let start = normalize(&start).0;
    let sitemap = crawl.sitemap();
    crawl.read_level(vec![start.clone()], 0, Discovery::Start);
    let beyond = sitemap
        .pages
        .iter()
        .filter(|it| !crawl.is_known(it))
        .cloned();
    crawl.read_level(beyond.collect(), 1, Discovery::Sitemap);
    crawl.check_targets();

    let mut graph = SiteGraph::new(&start, crawl.scope.clone());
    let pages = crawl.pages.values();
    let fingerprints: Vec<_> = pages.map(|it| graph.add_page(it).fingerprint).collect();
    crawl.checks.values().for_each(|it| graph.add_check(it));
    graph.add_sitemap(&sitemap, now());
    let order: Vec<&PageContent> = crawl.pages.values().collect();
    let of = |at: usize| shingles(&order[at].text.main.text());
    let duplicates = clusters(&fingerprints, |a, b| jaccard(&of(a), &of(b)));
    let links = LinkFacts::of(&graph);
    let agents = ["OAI-SearchBot", "PerplexityBot"].map(|agent| AgentVerdict {
        name: agent.to_owned(),
        rule: None,
        allowed: RobotsRules::parse(&robots_txt, agent).allow_path("/"),
    });
    let llms = crawl
        .site
        .answers
        .get(&format!("{}/llms.txt", crawl.site.origin));
    let llms = llms.map(|it| {
        llms_txt(&LlmsTxtFact {
            status: it.status,
            text: String::from_utf8_lossy(&it.body).into_owned(),
        })
    });
    let context = SiteContext {
        agents: &agents,
        robots_txt: Some(&robots_txt),
        llms_txt: llms.as_ref(),
        confirmed_elsewhere: &[],
    };
    let of_site = site_issues(&graph, &links, &duplicates, &context);
    let index = SiteIndex::new(&graph, &links, &duplicates, &of_site);
    let (mut issues, mut records) = (BTreeMap::new(), BTreeMap::new());
    for (number, page) in order.iter().enumerate() {
        let own = crawl.issues_of(page, vitals.filter(|_| page.url.ends_with("/glaze")));
        let url = graph.urls.known(&page.url).unwrap();
        let all = of_site.with_page(url, own);
        let context = ContentContext {
            finding: schema::FindingContext {
                project_id: 1,
                measured_at: now(),
            },
            kind: page_kind(page),
            scope: &crawl.scope,
            keywords: &[],
        };
        let record = content_record(page, index.page_facts(number), all.clone(), &context);
        issues.insert(page.url.clone(), all);
        records.insert(page.url.clone(), record);
    }
    for (url, all) in &of_site.by_url {
        let address = graph.urls.text(*url).to_owned();
        issues.entry(address).or_insert_with(|| all.clone());
    }
    issues.retain(|_, it| !it.is_empty());
    Audit { issues, records }
}

fn text(site: &GeneratedSite, path: &str) -> String {
    let answer = &site.answers[&format!("{}{path}", site.origin)];
    String::from_utf8(answer.body.clone()).unwrap()
}

impl Crawl {
    fn sitemap(&self) -> SitemapFact {
        let url = format!("{}/sitemap.xml", self.site.origin);
        let read = Sitemap::read(&self.site.answers[&url].body);
        let own = |text: &str| {
            let url = Url::parse(text).ok()?;
            self.scope.contains(&url).then(|| normalize(&url).0)
        };
        SitemapFact {
            url,
            pages: read.pages.iter().filter_map(|it| own(&it.url)).collect(),
            last_modified: { read.pages.iter() }
                .filter_map(|it| Some((own(&it.url)?, it.last_modified?.text())))
                .collect(),
            sitemaps: Vec::new(),
            entries: u32::try_from(read.pages.len()).unwrap(),
            problem: read.problem.map(str::to_owned),
            named: true,
            status: Some(200),
            foreign: 0,
            foreign_examples: Vec::new(),
        }
    }

    fn is_known(&self, url: &str) -> bool {
        self.pages.contains_key(url) || self.checks.contains_key(url)
    }

    fn allows(&self, url: &str) -> bool {
        let url = Url::parse(url).unwrap();
        !self.scope.contains(&url) || self.robots.allow(&url)
    }

    fn is_internal(&self, url: &str) -> bool {
        Url::parse(url).is_ok_and(|it| self.scope.contains(&it))
    }

    /// Breadth-first, like the crawler.
    fn read_level(&mut self, level: Vec<String>, depth: u32, discovery: Discovery) {
        let mut waiting: VecDeque<_> = level.into_iter().map(|it| (it, depth, discovery)).collect();
        while let Some((url, depth, discovery)) = waiting.pop_front() {
            if self.is_known(&url) {
                continue;
            }
            let Some(landed) = self.read(&url, depth, discovery) else {
                continue;
            };
            for link in &self.pages[&landed].links {
                if let LinkTarget::Web { url, .. } = &link.target
                    && link.may_target_page()
                    && self.is_internal(url)
                {
                    waiting.push_back((url.clone(), depth + 1, Discovery::Link));
                }
            }
        }
    }

    /// Fetches a URL; returns its page, if any.
    fn read(&mut self, url: &str, depth: u32, discovery: Discovery) -> Option<String> {
        if !self.allows(url) {
            self.check(url, CheckState::BlockedByRobots);
            return None;
        }
        let (fetched, answer) = self.fetch(url);
        let is_page =
            fetched.is_success() && fetched.is_html() && self.is_internal(&fetched.final_url);
        if fetched.hops() > 0 || !is_page {
            let state = CheckState::Requested {
                fetched: fetched.clone(),
                names: None,
            };
            self.check(url, state);
        }
        let answer = answer.filter(|_| is_page)?;
        let landed = fetched.final_url.clone();
        if !self.pages.contains_key(&landed) {
            let page = self.page(fetched, &answer, depth, discovery);
            self.pages.insert(landed.clone(), page);
        }
        Some(landed)
    }

    fn check(&mut self, url: &str, state: CheckState) {
        let check = TargetCheck {
            url: url.to_owned(),
            state,
        };
        self.checks.insert(url.to_owned(), check);
    }

    fn fetch(&self, url: &str) -> (Fetched, Option<Answer>) {
        let mut fetched = Fetched {
            chain: Vec::new(),
            ..Fetched::plain(url, 0)
        };
        let mut at = url.to_owned();
        loop {
            fetched.final_url.clone_from(&at);
            let answer = self.site.answer(&at);
            if let Some(failing) = answer.failing {
                fetched.status = None;
                fetched.failure = Some(match failing {
                    Failing::Silence => FetchFailure::Timeout,
                    Failing::Reset => FetchFailure::Connect,
                });
                return (fetched, None);
            }
            fetched.chain.push(Hop {
                url: at.clone(),
                status: answer.status,
            });
            fetched.status = Some(answer.status);
            let header = |name: &str| {
                answer
                    .headers
                    .iter()
                    .find(|it| it.0 == name)
                    .map(|it| it.1.clone())
            };
            if let Some(to) = header("location") {
                let next = Url::parse(&at).unwrap().join(&to).unwrap();
                at = normalize(&next).0;
                let is_loop = fetched.chain.iter().any(|it| it.url == at);
                if is_loop || fetched.chain.len() > MAX_HOPS {
                    fetched.failure = Some(FetchFailure::RedirectLoop);
                    return (fetched, None);
                }
                continue;
            }
            fetched.content_type = header("content-type");
            fetched.bytes = Some(answer.body.len() as u64);
            fetched.max_age = headers_of(&answer).max_age();
            return (fetched, Some(answer));
        }
    }

    fn page(
        &self,
        fetched: Fetched,
        answer: &Answer,
        depth: u32,
        discovery: Discovery,
    ) -> PageContent {
        let url = Url::parse(&fetched.final_url).unwrap();
        let size = answer.body.len() as u64;
        let mut page = read_page(ReceivedPage {
            bytes: Cow::Borrowed(&answer.body),
            charset: None,
            url: &url,
            fetched,
            response: ResponseFacts {
                ttfb_ms: Some(answer.delay_ms + 3),
                body_bytes: size,
                received_bytes: if answer.compressed { size / 3 } else { size },
                headers: headers_of(answer),
            },
            depth,
            discovery,
        });
        let probe = url.join("xkcdqwertzuiopasdfghjklyx").unwrap();
        let (fetched, probed) = self.fetch(probe.as_str());
        if let Some(probed) = probed.filter(|_| fetched.is_success()) {
            let other = read_page(ReceivedPage::without_crawl(&probed.body, None, &probe));
            let of = |page: &PageContent| shingles(&page.text.main.text());
            page.probe_similarity = Some(jaccard(&of(&page), &of(&other)));
        }
        page
    }

    fn check_targets(&mut self) {
        let targets: BTreeSet<String> = { self.pages.values() }
            .flat_map(|it| &it.links)
            .filter_map(|it| match &it.target {
                LinkTarget::Web { url, .. } => Some(url.clone()),
                _ => None,
            })
            .collect();
        for url in targets {
            let local = Url::parse(&url).is_ok_and(|it| is_loopback(&it));
            if !self.is_known(&url) && !local {
                let (fetched, _) = self.fetch(&url);
                let state = CheckState::Requested {
                    fetched,
                    names: None,
                };
                self.check(&url, state);
            }
        }
    }

    fn issues_of(&self, page: &PageContent, vitals: Option<VitalsFault>) -> Vec<Issue> {
        let input = schema::PageInput {
            url: &page.url,
            data: &page.structured_data,
            visible_text: page.text.visible.as_deref(),
            days: &page.metadata.days_of_time_elements(),
            template: None,
            rendered_only: false,
        };
        let context = schema::FindingContext {
            project_id: 1,
            measured_at: now(),
        };
        let record = schema::evaluate_page(&input, &context);
        let vitals: Vec<VitalsRecord> = vitals
            .map(|it| record_of(&page.url, it))
            .into_iter()
            .collect();
        page_issues(
            page,
            &PageContext {
                kind: page_kind(page),
                scope: &self.scope,
                schema: Some(&record),
                vitals: &vitals,
                keywords: &[],
                has_traffic: None,
            },
        )
    }
}

fn headers_of(answer: &Answer) -> ResponseHeaders {
    let mut headers = ResponseHeaders::default();
    for (name, value) in &answer.headers {
        headers.add(name, value);
    }
    if answer.compressed {
        headers.add("content-encoding", "gzip");
    }
    headers
}

pub fn record_of(url: &str, fault: VitalsFault) -> VitalsRecord {
    let (metric, value) = match fault {
        VitalsFault::Lcp => (VitalsMetric::Lcp, 5_000.0),
        VitalsFault::Inp => (VitalsMetric::Inp, 600.0),
        VitalsFault::Cls => (VitalsMetric::Cls, 0.3),
        VitalsFault::Ttfb => (VitalsMetric::Ttfb, 2_000.0),
    };
    let known = FieldMetric {
        p75: Some(value),
        histogram: Vec::new(),
        samples: None,
    };
    let sample = FieldSample {
        url: url.to_owned(),
        scope: FieldScope::Page,
        form_factor: FormFactor::Phone,
        period: None,
        metrics: BTreeMap::from([(metric, known)]),
        provider: "crux".to_owned(),
    };
    let subject = Subject {
        project_id: 1,
        url,
        measured_at: now(),
    };
    field_record(&subject, &sample, None)
}
