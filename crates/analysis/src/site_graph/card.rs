//! What stays in memory of a page.

use super::urls::{UrlId, UrlIds};
use crate::{
    findings::broken_links::{FragmentCheck, examine, percent_decoded},
    keyword_text::normalised,
    observation::{
        page_content::{GOOGLEBOT, PageContent, TagSource},
        web_site::{Discovery, LinkTarget, PageLink, Truncation},
    },
    text::{duplicates::Fingerprint, likeness::hash_of},
};

/// A page, as far as findings about several pages need it.
#[derive(Debug, Clone, PartialEq)]
pub struct PageCard {
    /// Its address.
    pub url: UrlId,
    /// The status of its answer.
    pub status: u16,
    /// Links away from the start.
    pub depth: u32,
    /// How it became known.
    pub discovery: Discovery,
    /// 200, HTML, not `noindex`, canonical.
    pub is_indexable: bool,
    /// Robots are told not to list it.
    pub noindex: bool,
    /// Robots are told not to follow its links.
    pub nofollow: bool,
    /// Every address that it names as canonical in its head and headers.
    pub canonicals: Box<[UrlId]>,
    /// The language that `html[lang]` names, in lower case.
    pub lang: Option<Box<str>>,
    /// Hash of its title, folded; `None` without one.
    pub title: Option<u64>,
    /// Hash of its description, folded.
    pub description: Option<u64>,
    /// Hash of its first `h1`, folded.
    pub h1: Option<u64>,
    /// The fingerprint of its main text.
    pub fingerprint: Option<Fingerprint>,
    /// Words of its main text.
    pub words: u32,
    /// Links of `a` and `area` to addresses of the web.
    pub links: Box<[CardLink]>,
    /// Scripts, style sheets, frames, media: everything else that it loads, except images.
    pub files: Box<[UrlId]>,
    /// Addresses of `img[src]`.
    pub images: Box<[UrlId]>,
    /// The page in other languages, by head and headers.
    pub hreflangs: Box<[CardHreflang]>,
    /// The next pages of a series.
    pub next_pages: Box<[UrlId]>,
    /// The pages before it in a series.
    pub previous_pages: Box<[UrlId]>,
    /// Hashes of its `id`s and anchor names, sorted; `None` where it was not read to its end.
    pub names: Option<Box<[u32]>>,
}

/// A link of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardLink {
    /// Where it leads, without the fragment.
    pub target: UrlId,
    /// Hash of the name that its fragment needs; 0 for none.
    pub fragment: u32,
    /// `nofollow`, `ugc` or `sponsored`: robots are asked not to count it.
    pub is_nofollow: bool,
}

/// The page in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardHreflang {
    /// The language tag or `x-default`, in lower case.
    pub code: Box<str>,
    /// Where.
    pub url: UrlId,
}

impl PageCard {
    /// The card of a page with that fingerprint of its main text.
    #[must_use]
    pub fn of(page: &PageContent, fingerprint: Option<Fingerprint>, urls: &mut UrlIds) -> Self {
        let mut ids = |all: &[String]| all.iter().map(|it| urls.id(it)).collect();
        let next_pages = ids(&page.next_pages);
        let previous_pages = ids(&page.previous_pages);
        let robots = page.robots_for(GOOGLEBOT);
        let followed = page.links.iter().filter(|it| it.is_followed_by_readers());
        let links: Vec<CardLink> = followed.filter_map(|it| card_link(it, urls)).collect();
        let mut loaded: Vec<UrlId> = page
            .links
            .iter()
            .filter(|it| is_file(it))
            .filter_map(|it| web(it, urls))
            .collect();
        loaded.sort_unstable();
        loaded.dedup();
        let mut images: Vec<UrlId> = page
            .images
            .iter()
            .filter_map(|it| it.url.as_deref())
            .map(|it| urls.id(it))
            .collect();
        images.sort_unstable();
        images.dedup();
        Self {
            url: urls.id(&page.url),
            status: page.fetched.status.unwrap_or_default(),
            depth: page.depth,
            discovery: page.discovery,
            is_indexable: page.is_indexable(),
            noindex: robots.noindex,
            nofollow: robots.nofollow,
            canonicals: page
                .canonicals
                .iter()
                .filter(|it| it.counts())
                .filter_map(|it| it.url.as_deref())
                .map(|it| urls.id(it))
                .collect(),
            lang: page
                .document
                .lang
                .as_deref()
                .map(|it| it.to_ascii_lowercase().into()),
            title: page.title().map(folded_hash),
            description: page.description().map(folded_hash),
            h1: page
                .heading(1)
                .and_then(|it| it.text.as_deref())
                .map(folded_hash),
            fingerprint,
            words: u32::try_from(page.text.counts.words).unwrap_or(u32::MAX),
            links: links.into(),
            files: loaded.into(),
            images: images.into(),
            hreflangs: page
                .hreflangs
                .iter()
                .filter(|it| it.source != TagSource::Body)
                .filter_map(|it| {
                    Some(CardHreflang {
                        code: it.code.to_ascii_lowercase().into(),
                        url: urls.id(it.url.as_deref()?),
                    })
                })
                .collect(),
            next_pages,
            previous_pages,
            names: (page.fetched.truncation == Truncation::None).then(|| name_hashes(&page.names)),
        }
    }

    /// Whether it names another page as canonical.
    #[must_use]
    pub fn is_canonicalised_away(&self) -> bool {
        self.canonicals.iter().any(|it| *it != self.url)
    }

    /// Whether a link's fragment leads somewhere in it; yes where that is not known.
    #[must_use]
    pub fn has_fragment(&self, fragment: u32) -> bool {
        fragment == 0
            || self
                .names
                .as_ref()
                .is_none_or(|it| it.binary_search(&fragment).is_ok())
    }
}

fn card_link(link: &PageLink, urls: &mut UrlIds) -> Option<CardLink> {
    let LinkTarget::Web { url, fragment } = &link.target else {
        return None;
    };
    let needed = match fragment.as_deref().map(examine) {
        Some(FragmentCheck::NeedsName(_, decoded)) => short_hash(&decoded),
        _ => 0,
    };
    Some(CardLink {
        target: urls.id(url),
        fragment: needed,
        is_nofollow: link.is_nofollow(),
    })
}

fn is_file(link: &PageLink) -> bool {
    link.is_loaded_with_the_page() && link.element != "img"
}

fn web(link: &PageLink, urls: &mut UrlIds) -> Option<UrlId> {
    match &link.target {
        LinkTarget::Web { url, .. } => Some(urls.id(url)),
        _ => None,
    }
}

/// Hashes of names, sorted; a name that is written with escapes is found with and without them.
pub(super) fn name_hashes(names: &[String]) -> Box<[u32]> {
    let hash = |it: &String| {
        if it.contains('%') {
            short_hash(&percent_decoded(it))
        } else {
            short_hash(it)
        }
    };
    let mut hashes: Vec<u32> = names.iter().map(hash).collect();
    hashes.sort_unstable();
    hashes.into()
}

fn folded_hash(text: &str) -> u64 {
    hash_of(normalised(text).as_bytes())
}

/// Never 0, which stands for nothing.
fn short_hash(name: &str) -> u32 {
    let hash = hash_of(name.as_bytes());
    u32::try_from(hash >> 32).unwrap_or(u32::MAX).max(1)
}
