//! Site-level facts, collected from all pages before any page is evaluated.

use super::broken_links::{PreviousBrokenLinks, TargetIndex};
use super::eeat::SiteSignals;
use super::envelope::FindingContext;
use super::geo_score::AgentVerdict;
use super::issues::{SiteContext, SiteIssues, site_issues};
use super::llms_txt::{LlmsTxt, llms_txt};
use super::vitals::VitalsRecord;
use crate::document::Document;
use crate::observation::page_content::PageContent;
use crate::observation::web_site::{LimitHit, SiteObservation};
use crate::result_type::ResultType;
use crate::site_graph::{LinkFacts, SiteGraph, UrlId};
use crate::text::duplicates::{Duplicates, Fingerprint, clusters};
use crate::text::similarity::jaccard;
use std::collections::HashMap;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditContext {
    pub finding: FindingContext,
    /// Ranked keywords of each page, best rank first; by normalized URL.
    pub keywords: HashMap<String, Vec<String>>,
    /// Latest vitals of each page; by normalized URL.
    pub vitals: HashMap<String, Vec<VitalsRecord>>,
}

/// robots.txt verdicts of AI crawlers for a page; empty if unknown.
pub type RobotsVerdicts = dyn Fn(&str) -> Vec<AgentVerdict> + Send + Sync;

/// Bytes of shingles that are kept to compare texts exactly. Other pages are compared by signature,
/// an estimate with a standard error of at most 0.045 (datasketch, k = 128).
const MAX_SHINGLE_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub struct SiteCollector {
    graph: SiteGraph,
    links: TargetIndex,
    /// By page.
    fingerprints: Vec<Option<Fingerprint>>,
    /// By page; `None` without `room`.
    shingles: Vec<Option<Box<[u64]>>>,
    shingle_budget: usize,
    signals: SiteSignals,
    robots_txt: Option<String>,
    llms_txt: Option<LlmsTxt>,
}

impl SiteCollector {
    pub fn of(site: SiteObservation, previous: PreviousBrokenLinks) -> Self {
        let mut graph = SiteGraph::new(&site.start, site.scope.clone());
        for check in &site.checks {
            graph.add_check(check);
        }
        graph.sitemaps_are_read = !site.limits.contains(&LimitHit::Sitemaps);
        let read_at = site.finished_at.unwrap_or(site.started_at);
        for sitemap in &site.sitemaps {
            graph.add_sitemap(sitemap, read_at);
        }
        Self {
            graph,
            fingerprints: Vec::new(),
            shingles: Vec::new(),
            shingle_budget: MAX_SHINGLE_BYTES,
            signals: SiteSignals::new(site.scope.clone()),
            robots_txt: site.robots.as_ref().map(|it| it.text.clone()),
            llms_txt: site.llms_txt.as_ref().map(llms_txt),
            links: TargetIndex::of(site, previous),
        }
    }

    /// Adds a page; call once per page.
    pub fn add(&mut self, page: &PageContent) {
        self.signals.add(page);
        self.links.add(page);
        let names = self.links.names_of(page);
        let text = self.graph.add_page_with(page, names);
        let bytes = std::mem::size_of_val(text.shingles.as_slice());
        let fits = bytes <= self.shingle_budget;
        self.shingle_budget -= if fits { bytes } else { 0 };
        self.shingles.push(fits.then(|| text.shingles.into()));
        self.fingerprints.push(text.fingerprint);
    }

    /// Call after all pages were added.
    pub fn finish(self, robots: &RobotsVerdicts) -> Site {
        let Self {
            graph,
            links: targets,
            fingerprints,
            shingles,
            signals,
            llms_txt,
            robots_txt,
            ..
        } = self;
        let texts = Texts {
            fingerprints,
            shingles,
        };
        let duplicates = clusters(&texts.fingerprints, |one, other| {
            texts.similarity(one, other)
        });
        // Frees the largest part of memory.
        drop(texts);
        let links = LinkFacts::of(&graph);
        let mut confirmed: Vec<UrlId> = { targets.confirmed_external() }
            .filter_map(|it| graph.urls.known(it))
            .collect();
        confirmed.sort_unstable();
        let site = SiteContext {
            agents: &robots(graph.urls.text(graph.start)),
            robots_txt: robots_txt.as_deref(),
            llms_txt: llms_txt.as_ref(),
            confirmed_elsewhere: &confirmed,
        };
        let issues = site_issues(&graph, &links, &duplicates, &site);
        Site {
            graph,
            links,
            targets,
            duplicates,
            issues,
            signals,
            llms_txt,
        }
    }
}

struct Texts {
    fingerprints: Vec<Option<Fingerprint>>,
    shingles: Vec<Option<Box<[u64]>>>,
}

impl Texts {
    /// Similarity of two pages; exact if both texts were kept.
    fn similarity(&self, one: usize, other: usize) -> f64 {
        let kept = |page: usize| self.shingles.get(page).and_then(Option::as_deref);
        if let (Some(one), Some(other)) = (kept(one), kept(other)) {
            return jaccard(one, other);
        }
        let signature = |page: usize| self.fingerprints[page].as_ref().map(|it| &it.signature);
        let both = signature(one).zip(signature(other));
        both.map_or(0.0, |(one, other)| one.similarity(other))
    }
}

#[derive(Debug)]
pub struct Site {
    pub(super) graph: SiteGraph,
    pub(super) links: LinkFacts,
    pub(super) targets: TargetIndex,
    pub(super) duplicates: Duplicates,
    pub(super) issues: SiteIssues,
    pub(super) signals: SiteSignals,
    pub(super) llms_txt: Option<LlmsTxt>,
}

impl Site {
    /// Link state for the next audit; drops everything else.
    pub fn into_link_history(self, context: &AuditContext) -> PreviousBrokenLinks {
        let links = self.targets;
        drop((self.graph, self.links, self.duplicates, self.issues));
        links.history(context.finding.measured_at)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageRecord {
    pub result_type: ResultType,
    /// Its order among the records of its type: by URL; broken links by severity first.
    pub ordinal: usize,
    pub url: String,
    /// The score, as another sort key.
    pub sort_value: Option<f64>,
    pub record: Document,
}

#[derive(Debug, Clone, PartialEq)]
pub struct TypeSummary {
    pub result_type: ResultType,
    /// Method and version.
    pub method: &'static str,
    pub records: u64,
    pub summary: Document,
}
