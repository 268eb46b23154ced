//! All that is found on the pages of a site, in two passes over them, so that a site of any size
//! needs no more memory than what its pages have in common.
//!
//! [`SiteCards`] takes in each page once and lets it go; the [`Site`] that it comes to knows what
//! only all pages together tell. [`judge`] then judges each page by itself and by that.

use super::{
    content::{self, ContentContext, ContentSummary, SiteIndex, content_record},
    eeat::{self, EeatInput, EeatRecord, EeatSummary, PageAverages, PageType, SiteSignals},
    envelope::FindingContext,
    geo_score::{self, AI_AGENTS, AgentPurpose, GeoInput, GeoSummary},
    issues::{AgentVerdict, Issue, PageContext, SiteContext, SiteIssues, page_issues, site_issues},
    schema::{self, PageInput, PageTemplate, SchemaRecord, SchemaTally},
};
use crate::{
    document::Document,
    observation::{page_content::PageContent, web_site::SiteObservation},
    page_kind::{PageKind, page_kind},
    result_type::ResultType,
    site_graph::{LinkFacts, SiteGraph},
    text::{
        duplicates::{Duplicates, Fingerprint, clusters},
        likeness::jaccard,
    },
};
use std::collections::HashMap;

/// What the records have to say beside what was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditContext {
    /// What all records say.
    pub finding: FindingContext,
    /// What people find each page with, the best ranked first; by normalised URL.
    pub keywords: HashMap<String, Vec<String>>,
    /// `/llms.txt`, where there is one.
    pub llms_txt: Option<String>,
}

/// What robots.txt says to the crawlers of AI engines about a page; nothing where that is not known.
pub type Robots = dyn Fn(&str) -> Vec<geo_score::AgentVerdict> + Send + Sync;

/// Bytes of shingles that are kept to compare texts exactly. Of pages beyond, the signatures are
/// compared, whose estimate has a standard error of at most 0.045 (datasketch, k = 128).
const MOST_SHINGLES: usize = 64 << 20;

/// What has to be known of all pages before one is judged.
#[derive(Debug)]
pub struct SiteCards {
    graph: SiteGraph,
    /// By page, as far as there is room.
    shingles: Vec<Option<Box<[u64]>>>,
    room: usize,
    signals: SiteSignals,
    robots_txt: Option<String>,
}

impl SiteCards {
    /// Of a site of which no page was taken in yet.
    #[must_use]
    pub fn of(site: &SiteObservation) -> Self {
        let mut graph = SiteGraph::new(&site.start, site.scope.clone());
        for check in &site.checks {
            graph.add_check(check);
        }
        let read_at = site.finished_at.unwrap_or(site.started_at);
        for sitemap in &site.sitemaps {
            graph.add_sitemap(sitemap, read_at);
        }
        Self {
            graph,
            shingles: Vec::new(),
            room: MOST_SHINGLES,
            signals: SiteSignals::new(site.scope.clone()),
            robots_txt: site.robots.as_ref().map(|it| it.text.clone()),
        }
    }

    /// Takes in a page; each once.
    pub fn add(&mut self, page: &PageContent) {
        self.signals.add(page);
        let kept = self.graph.add_page(page);
        let bytes = std::mem::size_of_val(kept.as_slice());
        let fits = bytes <= self.room;
        self.room -= if fits { bytes } else { 0 };
        self.shingles.push(fits.then(|| kept.into()));
    }

    /// When all pages are in.
    #[must_use]
    pub fn complete(self, context: &AuditContext, robots: &Robots) -> Site {
        let Self {
            graph,
            shingles,
            signals,
            robots_txt,
            ..
        } = self;
        let fingerprints = graph.cards.iter().map(|card| card.fingerprint.clone());
        let texts = Texts {
            fingerprints: fingerprints.collect(),
            shingles,
        };
        let duplicates = clusters(&texts.fingerprints, |one, other| texts.likeness(one, other));
        let links = LinkFacts::of(&graph);
        let agents = searchers(&robots(graph.urls.text(graph.start)));
        let site = SiteContext {
            agents: &agents,
            robots_txt: robots_txt.as_deref(),
            llms_txt: context.llms_txt.as_deref(),
        };
        let issues = site_issues(&graph, &links, &duplicates, &site);
        let mut places: Vec<&str> = { graph.cards.iter() }
            .map(|card| graph.urls.text(card.url))
            .collect();
        places.sort_unstable();
        let places = { places.iter().enumerate() }
            .map(|(place, url)| ((*url).to_owned(), place))
            .collect();
        Site {
            graph,
            links,
            duplicates,
            issues,
            signals,
            places,
        }
    }
}

/// The crawlers of AI engines as the issues look at them: the two search engines are not among them.
fn searchers(verdicts: &[geo_score::AgentVerdict]) -> Vec<AgentVerdict> {
    let known = verdicts.iter().filter_map(|verdict| {
        let agent = AI_AGENTS.iter().find(|it| it.name == verdict.name)?;
        let is_engine = ["Googlebot", "Bingbot"].contains(&agent.name);
        (!is_engine).then(|| AgentVerdict {
            agent: verdict.name.clone(),
            searches: agent.purpose == AgentPurpose::Search,
            allowed: verdict.allowed,
        })
    });
    known.collect()
}

/// What is known of the pages' texts.
struct Texts {
    fingerprints: Vec<Option<Fingerprint>>,
    shingles: Vec<Option<Box<[u64]>>>,
}

impl Texts {
    /// How alike two pages are; exact where both texts were kept.
    fn likeness(&self, one: usize, other: usize) -> f64 {
        let kept = |page: usize| self.shingles.get(page).and_then(Option::as_deref);
        if let (Some(one), Some(other)) = (kept(one), kept(other)) {
            return jaccard(one, other);
        }
        let signature = |page: usize| self.fingerprints[page].as_ref().map(|it| &it.signature);
        let both = signature(one).zip(signature(other));
        both.map_or(0.0, |(one, other)| one.similarity(other))
    }
}

/// What only all pages together tell.
#[derive(Debug)]
pub struct Site {
    graph: SiteGraph,
    links: LinkFacts,
    duplicates: Duplicates,
    issues: SiteIssues,
    signals: SiteSignals,
    /// Places of the pages by URL: the same in whatever order they were read.
    places: HashMap<String, usize>,
}

/// A record of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRecord {
    /// Its type.
    pub result_type: ResultType,
    /// Its place among the records of its type.
    pub place: usize,
    /// The page.
    pub url: String,
    /// What records of its type are sorted by, beside their places: the score.
    pub sort_value: Option<f64>,
    /// The record.
    pub record: Document,
}

/// What a type of records comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeSummary {
    /// The type.
    pub result_type: ResultType,
    /// Method and version.
    pub method: &'static str,
    /// How many records there are.
    pub records: u64,
    /// The summary.
    pub summary: Document,
}

/// Judges pages one by one, hands out their records, and sums up.
#[must_use]
pub fn judge(
    site: &Site,
    context: &AuditContext,
    robots: &Robots,
    pages: impl Iterator<Item = PageContent>,
    mut hand_out: impl FnMut(PageRecord),
) -> Vec<TypeSummary> {
    let mut audit = Audit {
        site,
        context,
        robots,
        index: SiteIndex::new(&site.graph, &site.links, &site.duplicates, &site.issues),
        judged: 0,
        schema: SchemaTally::default(),
        content: ContentSummary::default(),
        geo: GeoSummary::default(),
        eeat: PageAverages::default(),
    };
    for page in pages {
        audit.judge(&page, &mut hand_out);
    }
    let site = audit.eeat_of_the_site(&mut hand_out);
    audit.summaries(&site)
}

struct Audit<'a> {
    site: &'a Site,
    context: &'a AuditContext,
    robots: &'a Robots,
    index: SiteIndex<'a>,
    judged: u64,
    schema: SchemaTally,
    content: ContentSummary,
    geo: GeoSummary,
    eeat: PageAverages,
}

impl Audit<'_> {
    fn judge(&mut self, page: &PageContent, hand_out: &mut impl FnMut(PageRecord)) {
        let Some(&place) = self.site.places.get(&page.url) else {
            return;
        };
        self.judged += 1;
        let mut add = |result_type, sort_value, record| {
            hand_out(PageRecord {
                result_type,
                place,
                url: page.url.clone(),
                sort_value,
                record,
            });
        };
        let kind = page_kind(page);
        let schema = self.schema(page, kind);
        let content = self.content(page, &schema);
        let geo = self.geo(page, &schema);
        let eeat = self.eeat(page, kind);
        add(
            ResultType::Content,
            content.content_score,
            Document::of(&content),
        );
        add(
            ResultType::Schema,
            schema.schema_score,
            Document::of(&schema),
        );
        add(ResultType::GeoScore, geo.geo_score, Document::of(&geo));
        add(ResultType::Eeat, eeat.eeat_score, Document::of(&eeat));
    }

    fn geo(&mut self, page: &PageContent, schema: &SchemaRecord) -> geo_score::GeoRecord {
        let input = GeoInput {
            page,
            agents: &(self.robots)(&page.url),
            rendered_words: None,
            schema: Some(schema),
            keywords: self.keywords(page),
            site: self.site.signals.identity(),
            llms_txt: None,
        };
        let record = geo_score::judge(&input, &self.context.finding);
        self.geo.add(&record, None);
        record
    }

    fn eeat(&mut self, page: &PageContent, kind: PageKind) -> EeatRecord {
        let input = EeatInput {
            page,
            page_type: page_type(kind),
            site: &self.site.signals,
            third_party_mentions: None,
        };
        let record = eeat::judge_page(&input, &self.context.finding);
        self.eeat.add(&record);
        record
    }

    /// The site has a record of its own, behind those of its pages.
    fn eeat_of_the_site(&self, hand_out: &mut impl FnMut(PageRecord)) -> EeatRecord {
        let record = eeat::judge_site(&self.site.signals, &self.eeat, None, &self.context.finding);
        let graph = &self.site.graph;
        hand_out(PageRecord {
            result_type: ResultType::Eeat,
            place: self.site.places.len(),
            url: graph.urls.text(graph.start).to_owned(),
            sort_value: record.eeat_score,
            record: Document::of(&record),
        });
        record
    }

    /// What people find a page with.
    fn keywords(&self, page: &PageContent) -> &[String] {
        let keywords = self.context.keywords.get(&page.url);
        keywords.map(Vec::as_slice).unwrap_or_default()
    }

    fn schema(&mut self, page: &PageContent, kind: PageKind) -> SchemaRecord {
        let input = PageInput {
            url: &page.url,
            data: &page.structured_data,
            visible_text: page.text.visible.as_deref(),
            template: template(kind),
            rendered_only: false,
        };
        let record = schema::judge_page(&input, &self.context.finding);
        self.schema.add(&record, page.is_indexable());
        record
    }

    fn content(&mut self, page: &PageContent, schema: &SchemaRecord) -> content::ContentRecord {
        let keywords = self.keywords(page);
        let scope = self.site.graph.urls.scope();
        let own = page_issues(
            page,
            &PageContext {
                scope,
                schema: Some(schema),
                vitals: &[],
                keywords,
                // Nobody finds a page that ranks nowhere; of the others nothing is known.
                has_traffic: (!keywords.is_empty()).then_some(true),
            },
        );
        let number = self.site.graph.urls.known(&page.url);
        let known = number.and_then(|it| self.site.graph.page(it));
        let facts = known.map(|(number, _)| self.index.of(number));
        let issues: Vec<Issue> = match number {
            Some(url) => self.site.issues.with_page(url, own),
            None => own,
        };
        let context = ContentContext {
            finding: self.context.finding,
            scope,
            keywords,
        };
        let record = content_record(page, facts.unwrap_or_default(), issues, &context);
        self.content.add(&record);
        record
    }

    /// With the issues of addresses that are no pages: files, sitemaps, what does not answer.
    fn summaries(mut self, site: &EeatRecord) -> Vec<TypeSummary> {
        let graph = &self.site.graph;
        for (url, issues) in &self.site.issues.by_url {
            if graph.page(*url).is_none() {
                self.content.add_issues(graph.urls.text(*url), issues);
            }
        }
        let judged = self.judged;
        let summary = |result_type, method, summary| TypeSummary {
            result_type,
            method,
            records: judged,
            summary,
        };
        let eeat = EeatSummary::of(site, &self.eeat);
        vec![
            summary(
                ResultType::Content,
                content::METHOD,
                Document::of(&self.content.finished()),
            ),
            summary(
                ResultType::Schema,
                schema::METHOD,
                Document::of(&self.schema.summary()),
            ),
            summary(
                ResultType::GeoScore,
                geo_score::METHOD,
                Document::of(&self.geo),
            ),
            TypeSummary {
                records: judged + 1,
                ..summary(ResultType::Eeat, eeat::METHOD, Document::of(&eeat))
            },
        ]
    }
}

/// What such a page is to those who look for evidence of trust.
const fn page_type(kind: PageKind) -> PageType {
    match kind {
        PageKind::Article => PageType::Article,
        PageKind::Product => PageType::Product,
        PageKind::Category => PageType::Category,
        PageKind::Home => PageType::Home,
        PageKind::About => PageType::About,
        PageKind::Contact => PageType::Contact,
        PageKind::Login | PageKind::Other => PageType::Other,
    }
}

/// What things of schema.org such a page is expected to describe.
const fn template(kind: PageKind) -> Option<PageTemplate> {
    match kind {
        PageKind::Home => Some(PageTemplate::Home),
        PageKind::Article => Some(PageTemplate::Article),
        PageKind::Product => Some(PageTemplate::Product),
        PageKind::Category => Some(PageTemplate::Category),
        PageKind::About | PageKind::Contact => Some(PageTemplate::About),
        PageKind::Login | PageKind::Other => None,
    }
}
