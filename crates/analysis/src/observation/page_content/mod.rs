//! Everything that findings need of one page, as plain data: the page itself is let go.
//!
//! [`PageContent`] is one value that is written down when a page was read and taken up again when
//! findings are computed; nothing in it refers to the parsed page. What has to stay in memory of
//! every page of a site while it is audited is a much smaller card.

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
pub use limits::{MOST_HEADINGS, MOST_IMAGES, MOST_LINKS};
pub use metadata::{Author, DateFact, DateRole, FactSource, PageMetadata, SourcedText};
pub use rendered::{
    RenderFailure, Rendered, RenderedPage, link_addresses, robots_rules, text_depends_on_scripts,
};
pub use response::{ResponseFacts, ResponseHeaders};
pub use text::{Block, BlockKind, DetectedLanguage, MainText, TextFacts, TextSource};

use super::{
    structured_data::PageStructuredData,
    web_site::{Discovery, Fetched, PageLink},
};
use crate::text::language::tags::primary;
use serde::{Deserialize, Serialize};

/// An HTML page that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageContent {
    /// Its normalised URL: where the last request went.
    pub url: String,
    /// What the request brought.
    pub fetched: Fetched,
    /// What the answer's headers say, and how large and fast it was.
    pub response: ResponseFacts,
    /// Links away from the start; pages that only a sitemap lists count as 1.
    pub depth: u32,
    /// How it became known.
    pub discovery: Discovery,
    /// How much its main text resembles the answer to a made-up URL of the same directory;
    /// `None` when that answer was an honest error.
    pub probe_similarity: Option<f64>,
    /// The document as a whole.
    pub document: DocumentFacts,
    /// Every `title` of HTML, in document order.
    pub titles: Vec<PlacedText>,
    /// Every `meta` with a name and a content, in document order.
    pub metas: Vec<Meta>,
    /// What robots are told, by `meta` elements and by `X-Robots-Tag`.
    pub robots: Vec<RobotsDirective>,
    /// What the page says its canonical URL is, by `link` elements and by the `Link` header.
    pub canonicals: Vec<Canonical>,
    /// The page in other languages, by `link` elements and by the `Link` header.
    pub hreflangs: Vec<Hreflang>,
    /// `rel=next` of `link` elements and links in the body, normalised, each once.
    pub next_pages: Vec<String>,
    /// `rel=prev` of the same.
    pub previous_pages: Vec<String>,
    /// A `meta` refresh or a `Refresh` header.
    pub refresh: Option<Refresh>,
    /// `h1` to `h6`, in document order.
    pub headings: Vec<Heading>,
    /// `img` elements, in document order.
    pub images: Vec<Image>,
    /// Every link, in document order.
    pub links: Vec<PageLink>,
    /// Anchors that lead nowhere a robot could go.
    pub uncrawlable_anchors: Vec<UncrawlableAnchor>,
    /// Links that give a page of another host power over this one.
    pub unprotected_windows: Vec<UnprotectedWindow>,
    /// Every `id` and `a[name]`, sorted.
    pub names: Vec<String>,
    /// Forms.
    pub forms: Vec<Form>,
    /// Scripts and style sheets.
    pub files: Vec<PageFile>,
    /// What the page is made of.
    pub structure: Structure,
    /// The text.
    pub text: TextFacts,
    /// What the page says about itself: dates, authors, site.
    pub metadata: PageMetadata,
    /// JSON-LD, microdata, `RDFa`, Open Graph, Twitter's cards.
    pub structured_data: PageStructuredData,
    /// The page as a browser shows it; `None` where none was asked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered: Option<Rendered>,
}

/// The robot that findings speak of where none is named.
pub const GOOGLEBOT: &str = "googlebot";

impl PageContent {
    /// The code of the language that it declares, or else of the one that was detected.
    #[must_use]
    pub fn language_code(&self) -> Option<String> {
        let declared = self.document.lang.as_deref().map(primary);
        declared.or_else(|| self.text.detected.as_ref().map(|it| it.code.clone()))
    }

    /// A document without anything in it, as if a server had answered 200.
    #[must_use]
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

    /// The title that browsers show: the first, if it says anything.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        let first = self.titles.first()?;
        (!first.text.is_empty()).then_some(first.text.as_str())
    }

    /// Every description, in document order.
    pub fn descriptions(&self) -> impl Iterator<Item = &Meta> {
        self.metas_named("description")
    }

    /// The first description that says anything.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.descriptions()
            .map(|it| it.content.as_str())
            .find(|it| !it.is_empty())
    }

    /// Every `meta` of a name, which is in lower case.
    pub fn metas_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Meta> {
        self.metas
            .iter()
            .filter(move |it| it.key == MetaKey::Name && it.name == name)
    }

    /// The content of the first `meta[http-equiv]` of a name, which is in lower case.
    #[must_use]
    pub fn http_equiv(&self, name: &str) -> Option<&str> {
        let mut all = self.metas.iter();
        all.find(|it| it.key == MetaKey::HttpEquiv && it.name == name)
            .map(|it| it.content.as_str())
    }

    /// The first heading of a level that says anything.
    #[must_use]
    pub fn heading(&self, level: u8) -> Option<&Heading> {
        self.headings
            .iter()
            .find(|it| it.level == level && it.text.is_some())
    }

    /// The text of the first `h1` that says anything.
    #[must_use]
    pub fn first_h1(&self) -> Option<&str> {
        self.heading(1)?.text.as_deref()
    }

    /// Words of the main text as a browser shows it; `None` where that is not known.
    #[must_use]
    pub fn rendered_words(&self) -> Option<u32> {
        Some(self.shown()?.words)
    }

    /// Whether there is nothing to see: no text, no image, no frame, nothing to play, no form.
    #[must_use]
    pub fn shows_nothing(&self) -> bool {
        self.text.all_words == 0
            && self.text.counts.words == 0
            && self.images.is_empty()
            && self.forms.is_empty()
            && self.structure.frames == 0
            && self.structure.media == 0
    }

    /// Whether it has structured data only after its scripts have run.
    #[must_use]
    pub fn has_data_only_when_rendered(&self) -> bool {
        self.structured_data.items.is_empty()
            && !self.is_cut()
            && self
                .shown()
                .is_some_and(|it| !it.types_only_here.is_empty())
    }

    /// What a robot has to do, by everything that is said to it and to all robots; the most
    /// restrictive rule of a kind wins.
    #[must_use]
    pub fn robots_for(&self, agent: &str) -> RobotsEffect {
        RobotsEffect::of(&self.robots, agent).at(self.fetched.at)
    }

    /// The canonical URL that a search engine would take: the only one that is named in the head
    /// or the header, `None` where there is none or where they contradict each other.
    #[must_use]
    pub fn canonical(&self) -> Option<&str> {
        let mut named = self
            .canonicals
            .iter()
            .filter(|it| it.counts())
            .filter_map(|it| it.url.as_deref());
        let first = named.next()?;
        named.all(|it| it == first).then_some(first)
    }

    /// Whether Google is told not to list it: by the document as it was sent, or by what its scripts
    /// made of it where a browser showed it. What scripts take away counts on: robots may not run the
    /// scripts of a page that is `noindex` (Google, "Understand JavaScript SEO basics").
    #[must_use]
    pub fn is_noindex(&self) -> bool {
        self.robots_for(GOOGLEBOT).noindex || self.shown().is_some_and(|it| it.noindex)
    }

    /// The page as a browser showed it.
    fn shown(&self) -> Option<&RenderedPage> {
        self.rendered.as_ref()?.page()
    }

    /// Whether the page names itself or nobody as canonical, with its scripts too where a browser showed
    /// it; addresses that are none of the web are nobody.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.is_canonical_as_sent() && !self.shown().is_some_and(|it| it.names_another)
    }

    /// The same of the document as it was sent.
    #[must_use]
    pub fn is_canonical_as_sent(&self) -> bool {
        let named = self.canonicals.iter().filter(|it| it.counts());
        let mut urls = named.filter_map(|it| it.url.as_deref());
        urls.all(|it| it == self.url)
    }

    /// The canonical URL that scripts bring or change, where a browser showed the page.
    #[must_use]
    pub fn canonical_by_script(&self) -> Option<&str> {
        let shown = self.shown()?.canonical.as_deref();
        shown.filter(|it| Some(*it) != self.canonical())
    }

    /// Whether a search engine may list it: 200, HTML, not `noindex` for Googlebot, and no other
    /// page is canonical; neither with its scripts, where a browser showed it. That robots.txt allows
    /// reading it shows in that it was read.
    #[must_use]
    pub fn is_indexable(&self) -> bool {
        self.is_indexable_as_sent() && !self.is_noindex() && self.is_canonical()
    }

    /// The same of the document as it was sent.
    #[must_use]
    pub fn is_indexable_as_sent(&self) -> bool {
        self.fetched.status == Some(200)
            && self.fetched.is_html()
            && !self.robots_for(GOOGLEBOT).noindex
            && self.is_canonical_as_sent()
    }

    /// The scheme of its URL is `https`.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.url.starts_with("https:")
    }
}
