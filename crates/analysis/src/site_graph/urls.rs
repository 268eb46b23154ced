//! Addresses as numbers.

use crate::observation::web_site::SiteScope;
use std::{collections::HashMap, sync::Arc};
use url::Url;

/// The number of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlId(u32);

/// Numbers for addresses, given in the order in which they are first met.
#[derive(Debug, Clone)]
pub struct UrlIds {
    scope: SiteScope,
    numbers: HashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
    /// By number: whether it is one of the site's.
    internal: Vec<bool>,
}

impl UrlIds {
    /// No addresses yet, of a site with these bounds.
    #[must_use]
    pub fn new(scope: SiteScope) -> Self {
        Self {
            scope,
            numbers: HashMap::new(),
            texts: Vec::new(),
            internal: Vec::new(),
        }
    }

    /// The number of a normalised URL, new if need be.
    pub fn id(&mut self, url: &str) -> UrlId {
        if let Some(known) = self.numbers.get(url) {
            return UrlId(*known);
        }
        // Four thousand million addresses do not fit into memory.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = url.into();
        let internal = Url::parse(url).is_ok_and(|it| self.scope.contains(&it));
        self.numbers.insert(Arc::clone(&text), number);
        self.texts.push(text);
        self.internal.push(internal);
        UrlId(number)
    }

    /// The number of a normalised URL that was met before.
    #[must_use]
    pub fn known(&self, url: &str) -> Option<UrlId> {
        self.numbers.get(url).copied().map(UrlId)
    }

    /// The address.
    #[must_use]
    pub fn text(&self, id: UrlId) -> &str {
        self.texts.get(id.index()).map_or("", |it| it)
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
