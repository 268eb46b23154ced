use crate::{observation::web_site::CrawlScope, text::interner::Interner};
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlId(pub(super) u32);

/// Numbered in order of first use.
#[derive(Debug, Clone)]
pub struct UrlIds {
    scope: CrawlScope,
    texts: Interner,
    /// By number.
    internal: Vec<bool>,
}

impl UrlIds {
    pub fn new(scope: CrawlScope) -> Self {
        Self {
            scope,
            texts: Interner::default(),
            internal: Vec::new(),
        }
    }

    /// `url` is normalized.
    pub fn id(&mut self, url: &str) -> UrlId {
        let number = self.texts.intern(url);
        if self.internal.len() < self.texts.len() {
            let internal = Url::parse(url).is_ok_and(|it| self.scope.contains(&it));
            self.internal.push(internal);
        }
        UrlId(number)
    }

    /// `url` is normalized.
    pub fn known(&self, url: &str) -> Option<UrlId> {
        self.texts.get(url).map(UrlId)
    }

    pub fn text(&self, id: UrlId) -> &str {
        self.texts.text(id.0)
    }

    pub fn is_internal(&self, id: UrlId) -> bool {
        self.internal.get(id.index()).copied().unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub const fn scope(&self) -> &CrawlScope {
        &self.scope
    }
}

impl UrlId {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}
