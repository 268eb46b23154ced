//! Site-level signals, collected page by page: a few megabytes for 100,000 pages.

mod gather;

use super::{record::Organization, standard_pages::StandardPage};
use crate::{findings::geo_score::SiteIdentity, observation::web_site::CrawlScope};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteSignals {
    pub(super) scope: CrawlScope,
    pub(super) start: Option<String>,
    pub(super) pages: u32,
    /// Pages in languages with a phrase list, or in an unknown language.
    pub(super) listed_pages: u32,
    pub(super) https_pages: u32,
    pub(super) mixed_pages: u32,
    pub(super) insecure_example: Option<String>,
    pub(super) standard: BTreeMap<StandardPage, FoundPage>,
    pub(super) contact_means: Vec<String>,
    pub(super) address: Option<(String, String)>,
    pub(super) ids: BTreeSet<String>,
    pub(super) ids_at: Option<String>,
    pub(super) organization: Option<Organization>,
    pub(super) organization_at: Option<String>,
    /// Site names, titles and footers that readers see, in lower case.
    pub(super) visible_names: BTreeSet<String>,
    pub(super) is_shop: bool,
    /// Pages by hash of author and section.
    authors: BTreeMap<u64, u16>,
    /// Hashes of author names.
    author_names: BTreeSet<u64>,
    /// Words of each page, by hash of its URL.
    words: BTreeMap<u64, u16>,
    /// Links from pages on the same topic, by hash of the URL.
    topic_links: BTreeMap<u64, u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundPage {
    pub url: String,
    /// Text of the link to it, or its title.
    pub text: Option<String>,
    pub selector: Option<String>,
    /// Clicks from the start.
    pub depth: u32,
    /// Whether it was read, or only linked to.
    pub read: bool,
}

impl SiteSignals {
    pub const fn new(scope: CrawlScope) -> Self {
        Self {
            scope,
            start: None,
            pages: 0,
            listed_pages: 0,
            https_pages: 0,
            mixed_pages: 0,
            insecure_example: None,
            standard: BTreeMap::new(),
            contact_means: Vec::new(),
            address: None,
            ids: BTreeSet::new(),
            ids_at: None,
            organization: None,
            organization_at: None,
            visible_names: BTreeSet::new(),
            is_shop: false,
            authors: BTreeMap::new(),
            author_names: BTreeSet::new(),
            words: BTreeMap::new(),
            topic_links: BTreeMap::new(),
        }
    }

    pub fn topic_links_to(&self, url: &str) -> u32 {
        self.topic_links
            .get(&hash(url))
            .copied()
            .unwrap_or_default()
            .into()
    }

    pub fn pages_of_author(&self, name: &str, url: &str) -> u32 {
        let name = crate::keyword_text::normalized(name);
        let key = author_key(&name, &section(url));
        self.authors.get(&key).copied().unwrap_or_default().into()
    }

    /// `None` if the page was not read.
    pub fn words_of(&self, url: &str) -> Option<u32> {
        self.words.get(&hash(url)).map(|it| u32::from(*it))
    }

    pub fn has_one_author(&self) -> bool {
        self.author_names.len() == 1
    }

    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// Input of the GEO score; all unknown before the first page.
    pub fn identity(&self) -> SiteIdentity {
        if self.pages == 0 {
            return SiteIdentity::default();
        }
        let organization = self.organization.as_ref();
        SiteIdentity {
            about_reachable: Some(self.standard.contains_key(&StandardPage::About)),
            contact_reachable: Some(self.standard.contains_key(&StandardPage::Contact)),
            organization: Some(organization.is_some()),
            organization_same_as: Some(organization.is_some_and(|it| !it.same_as.is_empty())),
        }
    }
}

/// The first segment of a path with more than one.
fn section(url: &str) -> String {
    let Ok(url) = Url::parse(url) else {
        return String::new();
    };
    let parts: Vec<&str> = url
        .path_segments()
        .into_iter()
        .flatten()
        .filter(|it| !it.is_empty())
        .take(2)
        .collect();
    match parts.as_slice() {
        [first, _] => (*first).to_owned(),
        _ => String::new(),
    }
}

fn author_key(name: &str, section: &str) -> u64 {
    hash(&format!("{name}\n{section}"))
}

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
