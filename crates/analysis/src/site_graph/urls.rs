//! Addresses as numbers.

use crate::{observation::web_site::SiteScope, text::interned::Interned};
use url::Url;

/// The number of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlId(pub(super) u32);

/// Numbers for addresses, given in the order in which they are first met.
#[derive(Debug, Clone)]
pub struct UrlIds {
    scope: SiteScope,
    texts: Interned,
    /// By number: whether it is one of the site's.
    internal: Vec<bool>,
}

impl UrlIds {
    /// No addresses yet, of a site with these bounds.
    #[must_use]
    pub fn new(scope: SiteScope) -> Self {
        Self {
            scope,
            texts: Interned::default(),
            internal: Vec::new(),
        }
    }

    /// The number of a normalised URL, new if need be.
    pub fn id(&mut self, url: &str) -> UrlId {
        let number = self.texts.id(url);
        if self.internal.len() < self.texts.len() {
            let internal = Url::parse(url).is_ok_and(|it| self.scope.contains(&it));
            self.internal.push(internal);
        }
        UrlId(number)
    }

    /// The number of a normalised URL that was met before.
    #[must_use]
    pub fn known(&self, url: &str) -> Option<UrlId> {
        self.texts.known(url).map(UrlId)
    }

    /// The address.
    #[must_use]
    pub fn text(&self, id: UrlId) -> &str {
        self.texts.text(id.0)
    }

    /// Whether it is one of the site's.
    #[must_use]
    pub fn is_internal(&self, id: UrlId) -> bool {
        self.internal.get(id.index()).copied().unwrap_or_default()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The site's bounds.
    #[must_use]
    pub const fn scope(&self) -> &SiteScope {
        &self.scope
    }
}

impl UrlId {
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}
