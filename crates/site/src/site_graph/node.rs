use super::series::series_title;
use super::urls::{UrlId, UrlIds};
use crate::fragment::{FragmentCheck, parse_fragment};
use crate::keyword_text::normalized;
use crate::observation::page_content::{GOOGLEBOT, PageContent, TagSource};
use crate::observation::web_site::{Discovery, LinkTarget, PageLink, Truncation, name_hashes};
use crate::text::similarity::fnv1a;
use std::{num::NonZeroU64, sync::Arc};

/// A compact page for findings about several pages.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, PartialEq)]
pub struct PageNode {
    pub url: UrlId,
    pub status: u16,
    /// Clicks from the start.
    pub depth: u32,
    pub discovery: Discovery,
    /// 200, HTML, not `noindex`, canonical.
    pub is_indexable: bool,
    pub noindex: bool,
    pub nofollow: bool,
    /// Of head and headers and, if rendered, scripts.
    pub canonicals: Box<[UrlId]>,
    /// Normalized, hashed.
    pub title: Option<NonZeroU64>,
    /// Without the page number, hashed.
    pub series_title: Option<NonZeroU64>,
    /// Normalized, hashed.
    pub description: Option<NonZeroU64>,
    /// The first, normalized, hashed.
    pub h1: Option<NonZeroU64>,
    /// Of the main text; `None` without words.
    pub digest: Option<[u8; 32]>,
    pub words: u32,
    /// `a` and `area`, to web URLs.
    pub links: Box<[PackedLink]>,
    pub links_are_cut: bool,
    /// Links with a fragment that needs a name.
    pub fragments: Box<[FragmentLink]>,
    /// Scripts, style sheets, frames, media; no images.
    pub files: Box<[UrlId]>,
    /// `img[src]`.
    pub images: Box<[UrlId]>,
    /// Only in `srcset` of `img` or of `source` in `picture`.
    pub image_candidates: Box<[UrlId]>,
    /// Of head and headers.
    pub hreflangs: Box<[HreflangLink]>,
    pub next_pages: Box<[UrlId]>,
    pub previous_pages: Box<[UrlId]>,
    /// Hashes, sorted; `None` if truncated.
    pub names: Option<Arc<[u64]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedLink(u32);

impl PackedLink {
    /// The top bit: 2³¹ URLs do not fit into memory.
    const NOFOLLOW: u32 = 1 << 31;

    fn new(target: UrlId, is_nofollow: bool) -> Self {
        let bit = if is_nofollow { Self::NOFOLLOW } else { 0 };
        Self((target.0 & !Self::NOFOLLOW) | bit)
    }

    /// Without the fragment.
    pub const fn target(self) -> UrlId {
        UrlId(self.0 & !Self::NOFOLLOW)
    }

    /// `nofollow`, `ugc` or `sponsored`.
    pub const fn is_nofollow(self) -> bool {
        self.0 & Self::NOFOLLOW != 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentLink {
    /// Without the fragment.
    pub target: UrlId,
    /// Hashes of the name, decoded and as written; one is enough.
    needed: [u64; 2],
}

impl FragmentLink {
    /// `names` are sorted hashes.
    pub fn is_among(&self, names: &[u64]) -> bool {
        let mut needed = self.needed.iter();
        needed.any(|it| names.binary_search(it).is_ok())
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HreflangLink {
    /// Language tag or `x-default`, in lower case.
    pub code: Box<str>,
    pub url: UrlId,
}

impl PageNode {
    pub fn of(page: &PageContent, digest: Option<[u8; 32]>, urls: &mut UrlIds) -> Self {
        let mut ids = |all: &[String]| all.iter().map(|it| urls.id(it)).collect();
        let next_pages = ids(&page.next_pages);
        let previous_pages = ids(&page.previous_pages);
        let robots = page.robots_for(GOOGLEBOT);
        let followed = || page.links.iter().filter(|it| it.is_navigable());
        let links: Vec<PackedLink> = followed()
            .filter_map(|it| Some(PackedLink::new(web_url(it, urls)?, it.is_nofollow())))
            .collect();
        let fragments: Vec<FragmentLink> = followed()
            .filter_map(|it| fragment_link(it, urls))
            .collect();
        let mut loaded: Vec<UrlId> = page
            .links
            .iter()
            .filter(|it| is_file(it))
            .filter_map(|it| web_url(it, urls))
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
            .filter_map(|it| web_url(it, urls))
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
                .filter(|it| it.is_effective())
                .filter_map(|it| it.url.as_deref())
                .chain(page.canonical_by_script())
                .map(|it| urls.id(it))
                .collect(),
            title: page.title().map(folded_hash),
            series_title: { page.title() }.map(|it| folded_hash(&series_title(it))),
            description: page.description().map(folded_hash),
            h1: page
                .heading(1)
                .and_then(|it| it.text.as_deref())
                .map(folded_hash),
            digest,
            words: u32::try_from(page.text.counts.words).unwrap_or(u32::MAX),
            links: links.into(),
            links_are_cut: page.links_are_truncated(),
            fragments: fragments.into(),
            files: loaded.into(),
            images: images.into(),
            image_candidates: candidates.into(),
            hreflangs: page
                .hreflangs
                .iter()
                .filter(|it| it.source != TagSource::Body)
                .filter_map(|it| {
                    Some(HreflangLink {
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

    pub fn is_canonicalized_elsewhere(&self) -> bool {
        self.canonicals.iter().any(|it| *it != self.url)
    }

    /// True if unknown.
    pub fn has_fragment(&self, fragment: &FragmentLink) -> bool {
        let names = self.names.as_deref();
        names.is_none_or(|it| fragment.is_among(it))
    }
}

fn fragment_link(link: &PageLink, urls: &mut UrlIds) -> Option<FragmentLink> {
    let LinkTarget::Web { url, fragment } = &link.target else {
        return None;
    };
    let FragmentCheck::NeedsName(raw, decoded) = parse_fragment(fragment.as_deref()?) else {
        return None;
    };
    Some(FragmentLink {
        target: urls.id(url),
        needed: [decoded, raw].map(|it| fnv1a(it.as_bytes())),
    })
}

fn is_file(link: &PageLink) -> bool {
    link.is_subresource() && link.element != "img" && !is_candidate(link)
}

/// A browser may choose it as an image.
fn is_candidate(link: &PageLink) -> bool {
    link.attribute == "srcset"
}

fn web_url(link: &PageLink, urls: &mut UrlIds) -> Option<UrlId> {
    match &link.target {
        LinkTarget::Web { url, .. } => Some(urls.id(url)),
        _ => None,
    }
}

/// 0 is `None`, so it is never a hash.
fn folded_hash(text: &str) -> NonZeroU64 {
    NonZeroU64::new(fnv1a(normalized(text).as_bytes())).unwrap_or(NonZeroU64::MIN)
}
