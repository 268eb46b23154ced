//! [`PageContent`]: the facts of one page that findings need; stored by the crawl, loaded when findings are computed.

mod directives;
mod document;
mod elements;
mod head;
mod limits;
mod metadata;
mod rendered;
mod response;
mod text;

pub use directives::{DirectiveSource, RobotsDirective, RobotsEffect};
pub use document::{CharsetSource, DocumentFacts, EarlyHeadEnd};
pub use elements::{
    Form, Heading, Image, PageFile, Structure, UncrawlableAnchor, UnprotectedWindow,
};
pub use head::{Canonical, Hreflang, Meta, MetaKey, PlacedText, Refresh, TagSource};
pub use limits::{MAX_HEADINGS, MAX_IMAGES, MAX_LINKS};
pub use metadata::{Author, DateFact, DateRole, FactSource, PageMetadata, SourcedText};
pub use rendered::{
    RenderFailure, Rendered, RenderedPage, link_addresses, robots_rules, text_depends_on_scripts,
};
pub use response::{ResponseFacts, ResponseHeaders};
pub use text::{Block, BlockKind, DetectedLanguage, MainText, TextFacts, TextSource};

use super::fetched::Fetched;
use super::links::{Discovery, PageLink};
use super::structured_data::PageStructuredData;
use crate::text::language::tags::primary_subtag;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageContent {
    /// Normalized; the last requested URL.
    pub url: String,
    pub fetched: Fetched,
    pub response: ResponseFacts,
    /// Clicks from the start page; 1 for pages found only in a sitemap.
    pub depth: u32,
    pub discovery: Discovery,
    /// Similarity to the response to a random URL of the same directory; `None` if that was an HTTP error.
    pub probe_similarity: Option<f64>,
    pub document: DocumentFacts,
    /// In document order.
    pub titles: Vec<PlacedText>,
    /// With name and content, in document order.
    pub metas: Vec<Meta>,
    /// From `meta` and `X-Robots-Tag`.
    pub robots: Vec<RobotsDirective>,
    /// From `link` and the `Link` header.
    pub canonicals: Vec<Canonical>,
    /// From `link` and the `Link` header.
    pub hreflangs: Vec<Hreflang>,
    /// `rel=next` of `link` and of links in the body, normalized, unique.
    pub next_pages: Vec<String>,
    /// The same for `rel=prev`.
    pub previous_pages: Vec<String>,
    /// From `meta` or the `Refresh` header.
    pub refresh: Option<Refresh>,
    /// In document order.
    pub headings: Vec<Heading>,
    /// In document order.
    pub images: Vec<Image>,
    /// In document order.
    pub links: Vec<PageLink>,
    pub uncrawlable_anchors: Vec<UncrawlableAnchor>,
    pub unprotected_windows: Vec<UnprotectedWindow>,
    /// `id` and `a[name]`, sorted.
    pub names: Vec<String>,
    pub forms: Vec<Form>,
    pub files: Vec<PageFile>,
    pub structure: Structure,
    pub text: TextFacts,
    pub metadata: PageMetadata,
    pub structured_data: PageStructuredData,
    /// `None` if it was not rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<Rendered>,
}

/// The default robot of findings.
pub const GOOGLEBOT: &str = "googlebot";

impl PageContent {
    /// The declared one, else the detected one.
    pub fn language_code(&self) -> Option<String> {
        let declared = self.document.lang.as_deref().map(primary_subtag);
        declared.or_else(|| self.text.detected.as_ref().map(|it| it.code.clone()))
    }

    /// Empty, with status 200.
    pub fn blank(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            fetched: Fetched::plain(url, 200),
            response: ResponseFacts::default(),
            depth: 0,
            discovery: Discovery::Start,
            probe_similarity: None,
            document: DocumentFacts {
                has_doctype: false,
                charset: "UTF-8".to_owned(),
                charset_source: CharsetSource::Default,
                replaced_sequences: 0,
                lang: None,
                base: None,
                elements: 3,
                duplicate_ids: Vec::new(),
                duplicate_id_count: 0,
                early_head_end: None,
                parser_limit: false,
                links_left_out: false,
                extraction: 0,
            },
            titles: Vec::new(),
            metas: Vec::new(),
            robots: Vec::new(),
            canonicals: Vec::new(),
            hreflangs: Vec::new(),
            next_pages: Vec::new(),
            previous_pages: Vec::new(),
            refresh: None,
            headings: Vec::new(),
            images: Vec::new(),
            links: Vec::new(),
            uncrawlable_anchors: Vec::new(),
            unprotected_windows: Vec::new(),
            names: Vec::new(),
            forms: Vec::new(),
            files: Vec::new(),
            structure: Structure::default(),
            text: TextFacts::default(),
            metadata: PageMetadata::default(),
            structured_data: PageStructuredData::default(),
            rendered: None,
        }
    }

    /// The first, unless empty.
    pub fn title(&self) -> Option<&str> {
        let first = self.titles.first()?;
        (!first.text.is_empty()).then_some(first.text.as_str())
    }

    /// In document order.
    pub fn descriptions(&self) -> impl Iterator<Item = &Meta> {
        self.metas_named("description")
    }

    /// The first that is not empty.
    pub fn description(&self) -> Option<&str> {
        self.descriptions()
            .map(|it| it.content.as_str())
            .find(|it| !it.is_empty())
    }

    /// `name` must be in lower case.
    pub fn metas_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Meta> {
        self.metas
            .iter()
            .filter(move |it| it.key == MetaKey::Name && it.name == name)
    }

    /// The first; `name` must be in lower case.
    pub fn http_equiv(&self, name: &str) -> Option<&str> {
        let mut all = self.metas.iter();
        all.find(|it| it.key == MetaKey::HttpEquiv && it.name == name)
            .map(|it| it.content.as_str())
    }

    /// The first of that level that is not empty.
    pub fn heading(&self, level: u8) -> Option<&Heading> {
        self.headings
            .iter()
            .find(|it| it.level == level && it.text.is_some())
    }

    /// The first that is not empty.
    pub fn first_h1(&self) -> Option<&str> {
        self.heading(1)?.text.as_deref()
    }

    /// `None` if unknown.
    pub fn rendered_words(&self) -> Option<u32> {
        Some(self.rendered_page()?.words)
    }

    /// No text, image, frame, media or form.
    pub fn has_no_visible_content(&self) -> bool {
        self.text.all_words == 0
            && self.text.counts.words == 0
            && self.images.is_empty()
            && self.forms.is_empty()
            && self.structure.frames == 0
            && self.structure.media == 0
    }

    pub fn has_data_only_when_rendered(&self) -> bool {
        self.structured_data.items.is_empty()
            && !self.is_truncated()
            && self
                .rendered_page()
                .is_some_and(|it| !it.types_only_here.is_empty())
    }

    /// Rules for it and for all robots; the most restrictive wins.
    pub fn robots_for(&self, agent: &str) -> RobotsEffect {
        RobotsEffect::for_agent(&self.robots, agent).at(self.fetched.at)
    }

    /// From `head` and header; `None` without one, or if several differ.
    pub fn canonical(&self) -> Option<&str> {
        let mut named = self
            .canonicals
            .iter()
            .filter(|it| it.is_effective())
            .filter_map(|it| it.url.as_deref());
        let first = named.next()?;
        named.all(|it| it == first).then_some(first)
    }

    /// In the document as sent or as rendered. A script that removes it does not help: Google may skip rendering of
    /// `noindex` pages (Google, "Understand JavaScript SEO basics").
    pub fn is_noindex(&self) -> bool {
        self.robots_for(GOOGLEBOT).noindex || self.rendered_page().is_some_and(|it| it.noindex)
    }

    fn rendered_page(&self) -> Option<&RenderedPage> {
        self.rendered.as_ref()?.page()
    }

    /// Self-canonical or without canonical, also when rendered; URLs other than `http` and `https` are ignored.
    pub fn is_canonical(&self) -> bool {
        self.is_canonical_as_sent() && !self.rendered_page().is_some_and(|it| it.names_another)
    }

    pub fn is_canonical_as_sent(&self) -> bool {
        let named = self.canonicals.iter().filter(|it| it.is_effective());
        let mut urls = named.filter_map(|it| it.url.as_deref());
        urls.all(|it| it == self.url)
    }

    /// Added or changed by scripts; `None` if not rendered.
    pub fn canonical_by_script(&self) -> Option<&str> {
        let shown = self.rendered_page()?.canonical.as_deref();
        shown.filter(|it| Some(*it) != self.canonical())
    }

    /// 200, HTML, not `noindex` for Googlebot, canonical; also when rendered. Robots.txt allowed the fetch.
    pub fn is_indexable(&self) -> bool {
        self.is_indexable_as_sent() && !self.is_noindex() && self.is_canonical()
    }

    pub fn is_indexable_as_sent(&self) -> bool {
        self.fetched.status == Some(200)
            && self.fetched.is_html()
            && !self.robots_for(GOOGLEBOT).noindex
            && self.is_canonical_as_sent()
    }

    pub fn is_https(&self) -> bool {
        self.url.starts_with("https:")
    }
}
