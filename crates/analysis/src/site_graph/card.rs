//! What stays in memory of a page.

use super::{
    series::title_of_series,
    urls::{UrlId, UrlIds},
};
use crate::{
    findings::broken_links::{FragmentCheck, examine},
    keyword_text::normalised,
    observation::{
        page_content::{GOOGLEBOT, PageContent, TagSource},
        web_site::{Discovery, LinkTarget, PageLink, Truncation, name_hashes},
    },
    text::likeness::hash_of,
};
use std::{num::NonZeroU64, sync::Arc};

/// A page, as far as findings about several pages need it.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// Every address that it names as canonical in its head and headers, and by its scripts where a
    /// browser showed it.
    pub canonicals: Box<[UrlId]>,
    /// Hash of its title, folded; `None` without one.
    pub title: Option<NonZeroU64>,
    /// The same without the number of a page; `None` without a title.
    pub title_of_series: Option<NonZeroU64>,
    /// Hash of its description, folded.
    pub description: Option<NonZeroU64>,
    /// Hash of its first `h1`, folded.
    pub h1: Option<NonZeroU64>,
    /// The digest of its main text; `None` for one without words.
    pub digest: Option<[u8; 32]>,
    /// Words of its main text.
    pub words: u32,
    /// Links of `a` and `area` to addresses of the web.
    pub links: Box<[CardLink]>,
    /// Whether there may be more of these.
    pub links_are_cut: bool,
    /// Those of them with a fragment that needs a name.
    pub fragments: Box<[CardFragment]>,
    /// Scripts, style sheets, frames, media: everything else that it loads, except images.
    pub files: Box<[UrlId]>,
    /// Addresses of `img[src]`.
    pub images: Box<[UrlId]>,
    /// Addresses of images that only a `srcset` names: of `img`, and of `source` in a `picture`.
    pub image_candidates: Box<[UrlId]>,
    /// The page in other languages, by head and headers.
    pub hreflangs: Box<[CardHreflang]>,
    /// The next pages of a series.
    pub next_pages: Box<[UrlId]>,
    /// The pages before it in a series.
    pub previous_pages: Box<[UrlId]>,
    /// Hashes of its `id`s and anchor names, sorted; `None` where it was not read to its end.
    pub names: Option<Arc<[u64]>>,
}

/// A link of a page, in four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardLink(u32);

impl CardLink {
    /// The bit that says `nofollow`: two thousand million addresses do not fit into memory either.
    const NOFOLLOW: u32 = 1 << 31;

    fn new(target: UrlId, is_nofollow: bool) -> Self {
        let bit = if is_nofollow { Self::NOFOLLOW } else { 0 };
        Self((target.0 & !Self::NOFOLLOW) | bit)
    }

    /// Where it leads, without the fragment.
    #[must_use]
    pub const fn target(self) -> UrlId {
        UrlId(self.0 & !Self::NOFOLLOW)
    }

    /// `nofollow`, `ugc` or `sponsored`: robots are asked not to count it.
    #[must_use]
    pub const fn is_nofollow(self) -> bool {
        self.0 & Self::NOFOLLOW != 0
    }
}

/// A link to a place in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CardFragment {
    /// Where it leads, without the fragment.
    pub target: UrlId,
    /// Hashes of the names of which the page needs one: decoded, and as written.
    needed: [u64; 2],
}

impl CardFragment {
    /// Whether it leads somewhere among names, given as sorted hashes.
    #[must_use]
    pub fn is_among(&self, names: &[u64]) -> bool {
        let mut needed = self.needed.iter();
        needed.any(|it| names.binary_search(it).is_ok())
    }
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
    /// The card of a page with that digest of its main text.
    #[must_use]
    pub fn of(page: &PageContent, digest: Option<[u8; 32]>, urls: &mut UrlIds) -> Self {
        let mut ids = |all: &[String]| all.iter().map(|it| urls.id(it)).collect();
        let next_pages = ids(&page.next_pages);
        let previous_pages = ids(&page.previous_pages);
        let robots = page.robots_for(GOOGLEBOT);
        let followed = || page.links.iter().filter(|it| it.is_followed_by_readers());
        let links: Vec<CardLink> = followed()
            .filter_map(|it| Some(CardLink::new(web(it, urls)?, it.is_nofollow())))
            .collect();
        let fragments: Vec<CardFragment> = followed()
            .filter_map(|it| card_fragment(it, urls))
            .collect();
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
        let mut candidates: Vec<UrlId> = { page.links.iter() }
            .filter(|it| is_candidate(it))
            .filter_map(|it| web(it, urls))
            .filter(|it| images.binary_search(it).is_err())
            .collect();
        candidates.sort_unstable();
        candidates.dedup();
        Self {
            url: urls.id(&page.url),
            status: page.fetched.status.unwrap_or_default(),
            depth: page.depth,
            discovery: page.discovery,
            is_indexable: page.is_indexable(),
            noindex: page.is_noindex(),
            nofollow: robots.nofollow,
            canonicals: { page.canonicals.iter() }
                .filter(|it| it.counts())
                .filter_map(|it| it.url.as_deref())
                .chain(page.canonical_by_script())
                .map(|it| urls.id(it))
                .collect(),
            title: page.title().map(folded_hash),
            title_of_series: { page.title() }.map(|it| folded_hash(&title_of_series(it))),
            description: page.description().map(folded_hash),
            h1: page
                .heading(1)
                .and_then(|it| it.text.as_deref())
                .map(folded_hash),
            digest,
            words: u32::try_from(page.text.counts.words).unwrap_or(u32::MAX),
            links: links.into(),
            links_are_cut: page.links_are_cut(),
            fragments: fragments.into(),
            files: loaded.into(),
            images: images.into(),
            image_candidates: candidates.into(),
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
    pub fn has(&self, fragment: &CardFragment) -> bool {
        let names = self.names.as_deref();
        names.is_none_or(|it| fragment.is_among(it))
    }
}

fn card_fragment(link: &PageLink, urls: &mut UrlIds) -> Option<CardFragment> {
    let LinkTarget::Web { url, fragment } = &link.target else {
        return None;
    };
    let FragmentCheck::NeedsName(raw, decoded) = examine(fragment.as_deref()?) else {
        return None;
    };
    Some(CardFragment {
        target: urls.id(url),
        needed: [decoded, raw].map(|it| hash_of(it.as_bytes())),
    })
}

fn is_file(link: &PageLink) -> bool {
    link.is_loaded_with_the_page() && link.element != "img" && !is_candidate(link)
}

/// Whether a browser may choose it for an image.
fn is_candidate(link: &PageLink) -> bool {
    link.attribute == "srcset"
}

fn web(link: &PageLink, urls: &mut UrlIds) -> Option<UrlId> {
    match &link.target {
        LinkTarget::Web { url, .. } => Some(urls.id(url)),
        _ => None,
    }
}

/// 0 stands for nothing, so it is never a hash.
fn folded_hash(text: &str) -> NonZeroU64 {
    NonZeroU64::new(hash_of(normalised(text).as_bytes())).unwrap_or(NonZeroU64::MIN)
}
