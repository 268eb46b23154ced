//! A page that says nothing: what examples and tests of findings begin with.

use super::{CharsetSource, DocumentFacts, PageContent, ResponseFacts, Structure, TextFacts};
use crate::observation::{
    page_content::PageMetadata,
    structured_data::PageStructuredData,
    web_site::{Discovery, Fetched},
};

impl PageContent {
    /// An empty document at a URL, which was answered with 200 at the beginning of 1970.
    #[must_use]
    pub fn blank(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            fetched: Fetched::plain(url, 200),
            response: ResponseFacts::default(),
            depth: 0,
            discovery: Discovery::Link,
            probe_similarity: None,
            document: DocumentFacts {
                has_doctype: true,
                charset: "UTF-8".to_owned(),
                charset_source: CharsetSource::Default,
                lang: None,
                base: None,
                elements: 0,
                duplicate_ids: Vec::new(),
                duplicate_id_count: 0,
                early_head_end: None,
                parser_limit: false,
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
        }
    }
}
